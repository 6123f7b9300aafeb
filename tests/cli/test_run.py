#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run leaves, refusal to overwrite, the other verbs on it, JSON, the progress line."""
import csv
import json
import os
import pty
import select
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, check_same_run, heddle, main, tree, write_scene


def test_first_run():
    write_scene()
    result = heddle("run", "scene.yaml", "--threads", "1")
    check("done" in result.stdout, result.stdout)
    found = tree("out/small")
    for name in ("scene.yaml", "summary.json", "energy.csv", "measure.csv", "checkpoint",
                 "frames/objects.hed", "frames/000000.hed", "frames/000005.hed"):
        check(name in found, f"{name} is missing")
    check("frames/000006.hed" not in found, "too many frames")
    check(not [name for name in found if name.endswith(".part")], "halves were left")
    with open("out/small/energy.csv") as stream:
        rows = list(csv.reader(stream))
    check(rows[0][:3] == ["time", "step", "kinetic"] and rows[0][-1] == "total", rows[0])
    check(len(rows) == 7 and all(len(row) == len(rows[0]) for row in rows), "energy.csv")
    for row in rows[1:]:
        values = dict(zip(rows[0], map(float, row)))
        potentials = sum(values[name] for name in rows[0][3:-3])
        total = values["kinetic"] + potentials + values["dissipated"] - values["external"]
        # A sum of ten numbers in another order: some units in the last place of the largest.
        check(abs(total - values["total"]) < 1e-12, f"total {values['total']} is not {total}")
    with open("out/small/measure.csv") as stream:
        head = next(csv.reader(stream))
    check(head == ["time", "step", "corner_x", "corner_y", "corner_z", "pull_x", "pull_y",
                   "pull_z"], head)
    summary = json.loads(found["summary.json"])
    check(summary["outcome"] == "done" and summary["steps"] == 20 and summary["frames"] == 6,
          summary)


def test_nothing_is_overwritten():
    before = tree("out")
    result = heddle("run", "scene.yaml", code=2)
    check("--force" in result.stderr, result.stderr)
    check(tree("out") == before, "files changed")
    result = heddle("run", "scene.yaml", "--resume")
    check("finished already" in result.stdout, result.stdout)
    check({k: v for k, v in tree("out").items() if not k.endswith(".lock")} ==
          {k: v for k, v in before.items() if not k.endswith(".lock")}, "files changed")
    os.makedirs("own")
    shutil.copy("scene.yaml", "own/scene.yaml")
    for more in ([], ["--force"], ["--resume"]):
        result = heddle("run", "own/scene.yaml", "-o", "own", *more, code=2)
        check("own/scene.yaml" in result.stderr, result.stderr)
    check(os.listdir("own") == ["scene.yaml"], os.listdir("own"))


def test_the_resolved_scene_gives_the_same_run():
    shutil.copy("out/small/scene.yaml", "resolved.yaml")
    heddle("run", "resolved.yaml", "-o", "again", "--threads", "2")
    a, b = tree("out/small"), tree("again")
    for name in ("energy.csv", "measure.csv", "frames/000005.hed"):
        check(a[name] == b[name], f"{name} differs")


def test_force_and_set():
    result = heddle("run", "scene.yaml", "--force", "--set", "duration=0.04", "--quiet")
    check(result.stdout == "" and result.stderr == "", result)
    check("frames/000003.hed" not in tree("out/small"), "frames of the old run stay")
    heddle("run", "scene.yaml", "--resume", code=2)  # another scene now
    heddle("run", "scene.yaml", "--resume", "--set", "duration=0.04", "--duration", "100ms")
    check(json.loads(tree("out/small")["summary.json"])["steps"] == 20, "not lengthened")


def test_json():
    result = heddle("run", "scene.yaml", "-o", "json", "--json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    check(lines[-1]["outcome"] == "done" and lines[-1]["steps"] == 20, lines[-1])
    check(lines[-1]["directory"] == "json" and "total" in lines[-1]["energies"], lines[-1])
    result = heddle("run", "scene.yaml", "-o", "json", "--json", code=2)
    last = json.loads(result.stdout.splitlines()[-1])
    check(last["outcome"] == "error" and last["exit"] == 2 and "json" in last["error"], last)
    facts = json.loads(heddle("check", "scene.yaml", "--json").stdout)
    check(facts["points"] == 36 and facts["steps"] == 20 and facts["frames"] == 6, facts)
    check(json.loads(heddle("info", "scene.yaml", "--json").stdout)["name"] == "small", "info scene")
    facts = json.loads(heddle("info", "json", "--json").stdout)
    check(facts["frames"] == 6 and facts["has_summary"], facts)
    check([o["kind"] for o in facts["objects"]] == ["sheet", "body"], facts)


def test_check_warns_of_unstable_steps():
    result = heddle("check", "scene.yaml")
    check("36" in result.stdout and "warning" not in result.stderr, result)
    result = heddle("check", "scene.yaml", "--set", "step.integrator=symplectic-euler",
                    "--set", "sheets.0.stretch=1e5")
    check("warning: time step" in result.stderr, result.stderr)


def test_giving_up():
    heddle("run", "scene.yaml", "-o", "boom", "--duration", "100s", "--quiet", "--set",
           "step.integrator=explicit-euler", "--set", "sheets.0.stretch=1e5", code=1)
    check(json.loads(tree("boom")["summary.json"])["outcome"] == "gave up", "summary")
    check(json.loads(heddle("info", "boom", "--json").stdout)["frames"] >= 1, "frames")
    check("nan" not in tree("boom")["energy.csv"].decode().lower(), "not finite")


def test_giving_up_in_implicit_steps():
    # Two corrections never get as far as that, so that every step fails down to the least one.
    result = heddle("run", "scene.yaml", "-o", "stuck", "--set", "step.newton_tolerance=1e-15",
                    "--set", "step.newton_iterations=2", "--set", "step.least_step=0.1", code=1)
    check("vertex" in result.stderr and "sheet '" in result.stderr, result.stderr)
    summary = json.loads(tree("stuck")["summary.json"])
    check(summary["outcome"] == "gave up" and "no convergence" in summary["trouble"], summary)
    check(summary["steps"] == 0, summary)
    facts = json.loads(heddle("info", "stuck", "--json").stdout)
    check(facts["frames"] == 1, facts)  # the start, which is the last good state


def test_convert():
    heddle("convert", "json", "last.obj")
    heddle("convert", "json", "first.ply", "--frame", "0")
    heddle("convert", "json", "all.usda")
    heddle("convert", "json", "some.pvd", "--frame", "2:4")
    heddle("convert", "json", "many.obj", "--frame", "1:")
    heddle("convert", "json", "last.obj", code=2)
    heddle("convert", "json", "last.obj", "--force")
    heddle("convert", "json", "x.obj", "--frame", "6", code=2)
    heddle("convert", "json", "x.obj", "--frame", "4:2", code=2)
    heddle("convert", "json", "x.obj", "--frame", "a:b", code=2)
    check(not os.path.exists("x.obj"), "x.obj was written")
    with open("all.usda") as stream:
        check(stream.read(9) == "#usda 1.0", "all.usda")
    facts = json.loads(heddle("info", "first.ply", "--json").stdout)
    check(facts["vertices"] > 36, facts)
    heddle("convert", "last.obj", "again.ply")


def test_plot():
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    heddle("plot", "json", "-o", "energy.png")
    heddle("plot", "json", "again", "-o", "two.svg")
    heddle("plot", "json", "-o", "measure.png", "--what", "measure")
    for name in ("energy.png", "measure.png"):
        with open(name, "rb") as stream:
            check(stream.read(8) == b"\x89PNG\r\n\x1a\n", f"{name} is no PNG")
    with open("two.svg") as stream:
        text = stream.read()
    check("<svg" in text and "again: kinetic" in text, "two.svg")
    heddle("plot", "json", "-o", "energy.png", code=2)
    heddle("plot", "json", "-o", "energy.png", "--force")
    heddle("plot", "json", "-o", "x.gif", code=2)
    heddle("plot", "json", "nowhere", "-o", "x.png", code=2)
    check(not [n for n in os.listdir(".") if n.startswith("x.") or n.endswith(".part")], "leftovers")
    return None


def test_names_cannot_leave_the_gnuplot_script():
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    name = "a'; set output 'owned'; system 'touch owned' #`touch owned`"
    shutil.copytree("json", name)
    heddle("plot", name, "-o", "harmless.svg")
    heddle("plot", name, "-o", "harmless.png")
    check(not os.path.exists("owned"), "a file name was executed")
    return None


def test_missing_gnuplot():
    os.makedirs("empty")
    result = heddle("plot", "json", "-o", "none.png", code=3, env={**os.environ, "PATH": "empty"})
    check("gnuplot-nox" in result.stderr, result.stderr)
    check(not [n for n in os.listdir(".") if n.startswith("none")], "leftovers")


def test_progress_on_a_terminal():
    try:
        main_end, other_end = pty.openpty()
    except OSError as trouble:
        return f"skipped: {trouble}"
    process = subprocess.Popen([HEDDLE, "run", "scene.yaml", "-o", "tty", "--duration", "300ms"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=other_end)
    os.close(other_end)
    text = b""
    while True:
        select.select([main_end], [], [], 60)
        try:
            piece = os.read(main_end, 4096)
        except OSError:  # how Linux says that nobody has the other end any more
            break
        if not piece:
            break
        text += piece
    os.close(main_end)
    check(process.wait() == 0, "exit code")
    check(b"\r[" in text and b"steps/s" in text and b"left" in text and b"newton" in text, text)
    check(text.endswith(b"\r\x1b[K"), "the line was not cleaned up")
    check(all(len(line) < 100 for line in text.split(b"\r")), "a line wider than the terminal")
    return None


def test_plain_progress_has_no_control_characters():
    result = heddle("run", "scene.yaml", "-o", "plain")
    check("\r" not in result.stderr and "\x1b" not in result.stderr, repr(result.stderr))


def test_thread_counts_give_the_same_bits():
    for count in (1, 2, 3, 8):
        heddle("run", "scene.yaml", "-o", f"threads{count}", "--threads", count)
    for count in (2, 3, 8):
        check_same_run("threads1", f"threads{count}")


if __name__ == "__main__":
    main(globals())
