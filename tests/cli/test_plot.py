#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""heddle plot: what it draws, fits and refuses."""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, heddle, main, tree, write_scene

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HAS_GNUPLOT = shutil.which("gnuplot") is not None


def fields(*arguments):
    return json.loads(heddle("plot", *arguments, "--json").stdout)["curves"]


def texts(path):
    """All texts of an SVG, which must be XML."""
    root = xml.etree.ElementTree.parse(path).getroot()
    return ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]


def refused(arguments, *words, code=2):
    before = tree(".")
    result = heddle("plot", *arguments, code=code)
    check(result.stdout == "", f"{arguments}: stdout should be empty, is {result.stdout!r}")
    for word in words:
        check(word in result.stderr, f"{arguments}: '{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{arguments}: files were written")


def make_run(path, energy, measure):
    """A run directory with tables of our own: names of columns and rows of numbers or texts."""
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree("small", path)
    for name, (head, rows) in (("energy", energy), ("measure", measure)):
        with open(os.path.join(path, name + ".csv"), "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["time", "step", *head])
            for i, row in enumerate(rows):
                writer.writerow([row[0], i, *row[1:]])


def test_runs_to_draw():
    write_scene()
    heddle("run", "scene.yaml", "-o", "small", "--quiet")
    heddle("run", os.path.join(SOURCE, "scenes", "swing.yaml"), "-o", "out/swing", "--quiet")
    heddle("run", os.path.join(SOURCE, "scenes", "pull.yaml"), "-o", "out/pull", "--quiet")


def test_damping_of_a_band():
    """A chain of 30 springs, held above, with half a mass at its free end: its lowest mode has
    w = 2 sqrt(k/m) sin(pi/120) and the damping ratio b w / 2, where b is the springs' damping over
    stiffness. Higher modes are gone after 0.8 s: they decay at least nine times as fast."""
    spacing, speed, b = 0.01, math.sqrt(2.0 / 0.2), 3e-3
    w = 2.0 * speed / spacing * math.sin(math.pi / 120)
    ratio = 0.5 * b * w
    (curve,) = fields("out/swing", "--what", "damping", "--from", "0.8")
    check(curve["column"] == "tip" and curve["kind"] == "oscillation", curve)
    damped = w * math.sqrt(1.0 - ratio * ratio) / (2.0 * math.pi)
    # The output has 38 samples a period; Verlet's frequency is off by (w dt)^2 / 24 = 3e-6. What the
    # third mode (decay 3.7 1/s, amplitude 1/9 at first) leaves after 0.8 s is 0.6 % of the first.
    check(abs(curve["frequency"]["value"] / damped - 1.0) < 5e-4, (curve["frequency"], damped))
    check(abs(curve["ratio"]["value"] / ratio - 1.0) < 0.01, (curve["ratio"], ratio))
    check(abs(curve["rate"]["value"] / (ratio * w) - 1.0) < 0.01, (curve["rate"], ratio * w))
    check(0.0 < curve["frequency"]["error"] < 1e-3, curve["frequency"])
    check(curve["explained"] > 0.999 and abs(curve["start"] - 0.8) < 1e-9, curve)
    # Energy goes with the square: twice the frequency, twice the rate.
    (energy,) = fields("out/swing", "--what", "damping", "--y", "kinetic", "--from", "0.8")
    check(abs(energy["frequency"]["value"] / (2.0 * damped) - 1.0) < 1e-3, energy)
    check(abs(energy["rate"]["value"] / (2.0 * ratio * w) - 1.0) < 0.01, energy)
    (total,) = fields("out/swing", "--what", "damping", "--y", "total")
    check(total["kind"] != "oscillation", total)


def test_damping_of_given_numbers():
    def y(t):
        return 0.1 + 0.02 * math.exp(-0.7 * t) * math.cos(2.0 * math.pi * 3.0 * t + 0.5)
    rows = [(0.01 * i, repr(y(0.01 * i)), repr(math.exp(-2.0 * 0.01 * i)), 5, i % 2) for i in range(200)]
    energy = (["kinetic", "total"], [(row[0], 0, 1) for row in rows])
    make_run("given", energy, (["a", "b", "c", "d"], rows))
    a, b, c = fields("given", "--what", "damping", "--y", "a", "--y", "b", "--y", "c")
    for name, value in (("frequency", 3.0), ("rate", 0.7), ("amplitude", 0.02), ("phase", 0.5), ("offset", 0.1)):
        check(abs(a[name]["value"] - value) < 1e-9, (name, a[name]))
    check(abs(a["ratio"]["value"] - 0.7 / math.hypot(0.7, 6.0 * math.pi)) < 1e-9, a["ratio"])
    check(b["kind"] == "exponential" and abs(b["rate"]["value"] - 2.0) < 1e-9, b)
    check(b["frequency"]["value"] is None, b)
    check(c["kind"] == "constant" and abs(c["offset"]["value"] - 5) < 1e-13, c)
    (window,) = fields("given", "--what", "damping", "--y", "a", "--from", "0.5", "--to", "1.5")
    check(window["samples"] == 101 and abs(window["rate"]["value"] - 0.7) < 1e-9, window)
    check(abs(window["amplitude"]["value"] - 0.02 * math.exp(-0.35)) < 1e-9, "amplitude at the start")
    (few,) = fields("given", "--what", "damping", "--y", "a", "--to", "0.04")
    check(few["kind"] == "too-few" and few["samples"] == 5, few)
    if HAS_GNUPLOT:
        heddle("plot", "given", "--what", "damping", "--y", "a", "--y", "b", "--y", "c", "-o", "fits.svg")
        found = texts("fits.svg")
        check(any(t.startswith("fit: 3 Hz, damping 0.7 1/s") for t in found), found)
        check(any("no oscillation: it does not change" in t for t in found), found)
        check(any("over-damped, decay rate 2 1/s" in t for t in found), found)


def test_force_and_extension():
    (curve,) = fields("out/pull", "--what", "force-extension")
    with open("out/pull/measure.csv") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    x = [row["length"] - rows[0]["length"] for row in rows]
    y = [row["pull_x"] for row in rows]  # the pull is along x
    work = sum(0.5 * (y[i] + y[i + 1]) * (x[i + 1] - x[i]) for i in range(len(x) - 1))
    check(abs(curve["work"] - work) < 1e-9, (curve["work"], work))
    check(curve["closed"] and curve["work_unit"] == "J" and curve["stiffness_unit"] == "N/m", curve)
    # What damping took out is what the loop holds; the frames are 20 ms apart and cut its corners.
    with open("out/pull/energy.csv") as stream:
        last = list(csv.DictReader(stream))[-1]
    check(abs(curve["work"] / float(last["dissipated"]) - 1.0) < 0.05, (curve["work"], last))
    first = [i for i in range(len(x)) if all(abs(v) <= 0.1 * max(map(abs, x)) for v in x[:i + 1])]
    mean_x, mean_y = sum(x[i] for i in first) / len(first), sum(y[i] for i in first) / len(first)
    slope = (sum((x[i] - mean_x) * (y[i] - mean_y) for i in first)
             / sum((x[i] - mean_x) ** 2 for i in first))
    check(curve["stiffness_samples"] == len(first), (curve, len(first)))
    check(abs(curve["stiffness"]["value"] / slope - 1.0) < 1e-9, (curve["stiffness"], slope))
    (strained,) = fields("out/pull", "--what", "force-extension", "--strain", "--csv", "strain.csv")
    check(strained["work"] == curve["work"], "work is in J with --strain too")
    with open("strain.csv") as stream:
        drawn = [(float(row["x"]), float(row["y"])) for row in csv.DictReader(stream)]
    # The largest one stands at the end of the way out and at the beginning of the way back.
    check(len(drawn) == len(x) + 1, (len(drawn), len(x)))
    check(abs(max(v for v, _ in drawn) - max(x) / rows[0]["length"]) < 1e-12, "strain")
    # What the solver leaves across the pull, a millionth of it, adds its square.
    check(abs(max(v for _, v in drawn) / max(y) - 1.0) < 1e-11, (max(v for _, v in drawn), max(y)))
    (other,) = fields("out/pull", "--what", "force-extension", "--x", "length", "--y", "pull_y")
    check(abs(other["work"]) < 1e-6, other)
    if HAS_GNUPLOT:
        heddle("plot", "out/pull", "--what", "force-extension", "-o", "pull.svg")
        found = texts("pull.svg")
        check("extension (mm)" in found and "force (N)" in found, found)
        check(any("N/m over the first tenth, loop 1." in t and t.endswith("mJ") for t in found), found)
        heddle("plot", "out/pull", "--what", "force-extension", "--strain", "-o", "strain.svg")
        check("strain (%)" in texts("strain.svg"), texts("strain.svg"))


def test_stiffness_that_cannot_be_told():
    # A jerk, then nothing, then 500 N/m: the first tenth has no slope, the last one has.
    rows = [(0.01 * i, 1e-4 * i, 0.01 + 0.01 * (i == 1) + max(0.0, 500.0 * 1e-4 * (i - 50)))
            for i in range(101)]
    make_run("jerk", (["kinetic"], [(row[0], 0.0) for row in rows]), (["x", "pull"], rows))
    (curve,) = fields("jerk", "--what", "force-extension", "--x", "x", "--y", "pull")
    first = curve["stiffness"]
    check(abs(first["value"]) < 2.0 * first["error"], first)
    check(abs(curve["last_stiffness"]["value"] / 500.0 - 1.0) < 1e-9, curve)
    if HAS_GNUPLOT:
        heddle("plot", "jerk", "--what", "force-extension", "--x", "x", "--y", "pull", "-o", "jerk.svg")
        (label,) = [t for t in texts("jerk.svg") if "stiffness" in t]
        check("stiffness below " in label and ", 500" in label and "over the last" in label, label)


def test_pulls_that_cannot_be():
    refused(["out/swing", "--what", "force-extension", "-o", "x.svg"], "no reaction", "--y")
    refused(["out/swing", "--what", "force-extension", "--y", "kinetic", "--strain", "-o", "x.svg"], "--strain", "tip")
    refused(["out/pull", "--strain", "-o", "x.svg"], "force-extension")
    refused(["out/pull", "--what", "force-extension", "--to", "0", "-o", "x.svg"], "at least 2 samples")


def test_labels_and_names_of_runs():
    if not HAS_GNUPLOT:
        return "gnuplot is not installed"
    shutil.copytree("out/pull", "out/stiff/deep")
    heddle("plot", "out/pull", "out/stiff/deep/", "--what", "measure", "-o", "runs.svg")
    found = texts("runs.svg")
    for text in ("pull: length", "stiff/deep: pull_x", "time (s)", "distance (m)", "force (N)"):
        check(text in found, f"'{text}' is not in {found}")
    heddle("plot", "out/swing", "-o", "energy.svg", "--title", "of <all> & 'none'", "--size", "600x400")
    found = texts("energy.svg")
    check("of <all> & 'none'" in found and "energy (µJ)" in found, found)
    check("shear" not in found and "stretch" in found, f"energies that stay zero are left out: {found}")
    with open("energy.svg") as stream:
        check('width="600" height="400"' in stream.read(), "size")
    heddle("plot", "out/swing", "--y", "kinetic", "--y", "tip_y", "--log-y", "-o", "log.png")
    heddle("plot", "out/pull", "--what", "measure", "--x", "length", "--column", "pull", "-o", "xy.svg")
    check({"distance (m)", "force (N)", "pull"} <= set(texts("xy.svg")), texts("xy.svg"))
    return None


def test_names_are_only_names():
    if not HAS_GNUPLOT:
        return "gnuplot is not installed"
    names = ["a'; set output 'owned' #", "b`touch owned`", 'c"\\', "d\ne; !touch owned", "é {x}_2^3 $y @z",
             "<b>&amp;</b>", "%s%n", "日本語", b"bad\xff\xfe\xc3utf".decode(errors="surrogateescape")]
    rows = [(0.1 * i, *[i + k for k in range(len(names))]) for i in range(10)]
    make_run("names", (["kinetic"], [(r[0], 1) for r in rows]), (["plain"], [r[:2] for r in rows]))
    with open("names/measure.csv", "wb") as out:
        head = ",".join('"' + n.replace("\n", " ").replace('"', '""') + '"' for n in names)
        out.write(("time,step," + head + "\n").encode(errors="surrogateescape"))
        for i, row in enumerate(rows):
            out.write((",".join(map(str, (row[0], i, *row[1:]))) + "\n").encode())
    heddle("plot", "names", "--what", "measure", "-o", "names.svg")
    heddle("plot", "names", "--what", "measure", "-o", "names.png")
    found = texts("names.svg")
    for name in (names[0], names[1], names[2], names[4], names[5], names[6], names[7], "bad???utf"):
        check(name in found, f"{name!r} is not in {found}")
    for run in (n for n in names if "/" not in n):
        shutil.copytree("names", os.path.join("dirs", run))
    runs = [os.path.join("dirs", n) for n in os.listdir("dirs")]
    for title in ("'`touch owned`", "'; system 'touch owned' #", "'7'8\\7", '"; system "touch owned" #', "\\", "'"):
        heddle("plot", *runs, "-o", "dirs.svg", "--title", title, "--force")
        check(title in texts("dirs.svg"), (title, texts("dirs.svg")))
    check(not os.path.exists("owned"), "a name was executed")
    return None


def test_keys_do_not_grow_without_end():
    if not HAS_GNUPLOT:
        return "gnuplot is not installed"
    names = [f"column_{k}_" + "long" * 30 for k in range(60)]
    rows = [(i, *[i + k for k in range(60)]) for i in range(5)]
    make_run("wide", (["kinetic"], [(i, 1) for i in range(5)]), (names, rows))
    heddle("plot", "wide", "--what", "measure", "-o", "wide.svg")
    found = [t for t in texts("wide.svg") if t.startswith("column_")]
    check(5 <= len(found) <= 28 and all(len(t) <= 48 and "…" in t for t in found), found)
    check(f"and {60 - len(found)} more" in texts("wide.svg"), texts("wide.svg"))
    return None


def test_missing_columns():
    refused(["out/pull", "--y", "kinetik", "-o", "x.svg"], "no column 'kinetik'", "'kinetic'", "pull_x", "stretch")
    refused(["out/pull", "--x", "xyzzy", "-o", "x.svg"], "no column 'xyzzy'", "there are: length, pull")
    refused(["out/pull", "out/swing", "--what", "measure", "--y", "pull", "-o", "x.svg"], "out/swing: no column 'pull'")
    refused(["out/pull", "--what", "damping", "--x", "length", "-o", "x.svg"], "over time")


def test_bad_options():
    refused(["out/pull"], "-o FILE")
    refused(["out/pull", "--what", "sound", "-o", "x.svg"], "damping", "'sound'")
    for size in ("600", "600x", "x600", "10x10", "600x400x2", "1e3x400", "99999x400"):
        refused(["out/pull", "--size", size, "-o", "x.svg"], "--size needs", size)
    refused(["out/pull", "--from", "2", "--to", "1", "-o", "x.svg"], "--from", "after")
    refused(["out/pull", "--from", "1000", "-o", "x.svg"], "has no number")
    refused(["out/pull", "--log-y", "--y", "pull_y", "-o", "x.svg", "--to", "0"], "above 0")
    refused(["out/pull", "nowhere", "-o", "x.svg"], "nowhere: holds no run")
    refused(["out/pull", "-o", "x.gif"], ".png or .svg")
    with open("there.csv", "w") as out:
        out.write("mine\n")
    refused(["out/pull", "--csv", "there.csv"], "there already")
    refused(["out/pull", "--csv", "no/such/place.csv"], "no/such/place.csv", code=3)
    heddle("plot", "out/pull", "--csv", "there.csv", "--force")
    with open("there.csv") as stream:
        check(stream.readline() == "run,column,x,y\n", "head of the CSV")


def test_gaps_and_short_runs():
    rows = [[i, i * i] for i in range(10)]
    rows[4][1] = ""
    make_run("gap", (["kinetic"], [(i, 1) for i in range(10)]), (["v", "w"], [[*r, ""] for r in rows]))
    refused(["gap", "--what", "measure", "--y", "w", "-o", "x.svg"], "'w' has no number")
    refused(["gap", "--what", "damping", "--y", "v", "-o", "x.gif"], ".png or .svg")
    (curve,) = fields("gap", "--what", "damping", "--y", "v")
    check(curve["samples"] == 9, "rows without a number are left out")
    make_run("one", (["kinetic"], [(0, 1)]), (["v"], [(0, 2)]))
    make_run("none", (["kinetic"], []), (["v"], []))
    refused(["none", "-o", "x.svg"], "no frames yet")
    # A run that grows: a line that is half written, and one table ahead of the other.
    make_run("grows", (["kinetic"], [(i, 1) for i in range(10)]), (["v"], [(i, i) for i in range(9)]))
    with open("grows/measure.csv", "a") as out:
        out.write("9,9,12")
    check(fields("grows", "--what", "measure")[0]["samples"] == 9, "rows that both tables have")
    if HAS_GNUPLOT:
        heddle("plot", "gap", "--what", "measure", "--y", "v", "-o", "gap.svg")
        heddle("plot", "one", "--what", "measure", "-o", "one.svg")
        heddle("plot", "one", "--what", "damping", "--y", "v", "-o", "one.png")
        heddle("plot", "grows", "-o", "grows.png")


def test_without_a_scene():
    """If the scene cannot be read any more, columns are drawn without units."""
    shutil.copytree("out/pull", "orphan")
    os.remove("orphan/scene.yaml")
    (curve,) = fields("orphan", "--what", "measure", "--y", "pull_x")
    check(curve["unit"] == "", curve)
    refused(["orphan", "--what", "force-extension", "-o", "x.svg"], "no distance", "--x")
    (curve,) = fields("orphan", "--what", "force-extension", "--x", "length", "--y", "pull_x")
    check(curve["closed"], curve)


def test_pictures_that_fail():
    if not HAS_GNUPLOT:
        return "gnuplot is not installed"
    os.makedirs("fake")
    with open("fake/gnuplot", "w") as out:
        out.write("#!/bin/sh\necho 'out of paper' >&2\nexit 1\n")
    os.chmod("fake/gnuplot", 0o755)
    before = tree(".")
    result = subprocess.run([HEDDLE, "plot", "out/pull", "-o", "fail.svg"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, "PATH": "fake"})
    check(result.returncode == 3 and "out of paper" in result.stderr, result)
    check(tree(".") == before, "files were written")
    return None


if __name__ == "__main__":
    main(globals())
