#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""heddle view and heddle export in a real browser: a run, a run while it is computed, yarn files, a lost
connection, a page from disk; bytes a frame and the time to the first picture. (label: slow)"""
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leave the source tree as it is

from browser import HEDDLE, Browser, build_viewer, check, difference, main

SCENE = """\
heddle: 1
name: {name}
duration: {duration} s
step: {{size: 1/200 s, integrator: implicit-euler}}
output: {{frame_interval: 1/50 s}}
sheets:
  - name: cloth
    grid: {{size: [0.5 m, 0.5 m], points: [{points}, {points}], origin: [-0.25, 0.27, -0.25]}}
bodies:
  - {{shape: sphere, name: ball, radius: 0.15, position: [0.02, 0.1, 0]}}
pins:
  - {{name: hold, where: top-left}}
measure:
  - {{kind: position, name: corner, vertex: 7}}
"""
MOST_BYTES = 16    # a segment and frame: what is wanted


def write_scene(name, duration=0.4, points=12):
    with open(f"{name}.yaml", "w") as out:
        out.write(SCENE.format(name=name, duration=duration, points=points))
    return f"{name}.yaml"


def heddle(*arguments):
    result = subprocess.run([HEDDLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=120)
    check(result.returncode == 0, f"{arguments}: {result.returncode} {result.stderr}")
    return result.stdout


@contextlib.contextmanager
def view(*paths):
    """The address of the page while heddle view serves it."""
    process = subprocess.Popen([HEDDLE, "view", *paths, "--port", "0", "--no-open"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        check(found, "heddle view says its address")
        yield found[0], process
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def write_yarns(path, rows, vertices):
    """Wavy yarns side by side as polylines of an OBJ file."""
    with open(path, "w") as out:
        for r in range(rows):
            for k in range(vertices):
                out.write(f"v {k * 0.001:.6f} {0.0004 * math.sin(0.9 * k):.6f} {r * 0.0015:.6f}\n")
            first = r * vertices + 1
            out.write("l " + " ".join(str(first + k) for k in range(vertices)) + "\n")
    return path


def project(browser, run, object_, vertex):
    p = browser.run("return heddle.project(arguments[0], arguments[1], arguments[2])", run, object_, vertex)
    return p["x"], p["y"]


def test_a_run():
    heddle("run", write_scene("done"), "-o", "done", "--quiet")
    with view("done") as (address, _), Browser(address) as b:
        state = b.ready()
        check(state["frames"] == 21 and state["titles"] == ["done"], state)
        b.wait(lambda s: s["rows"] == [{"energy": 21, "measure": 21}], "tables")
        first = b.canvas("run-first")
        b.seek(20)
        check(abs(b.state()["time"] - 0.4) < 1e-9, b.state()["time"])
        check(difference(first, b.canvas("run-last")) > 0.01, "the cloth has moved")
        b.run("heddle.play()")
        b.wait(lambda s: 2 <= s["shown"][0] < 20, "it plays from the beginning")
        b.run("heddle.pause()")
        for name in b.state()["quantities"][0]:
            b.run("heddle.setQuantity(arguments[0])", name)
            b.wait(lambda s: s["settled"] and s["quantity"] == name, f"values of {name}")
        b.page("run")


def test_a_scene():
    with view(write_scene("still")) as (address, _), Browser(address) as b:
        state = b.ready()
        check(state["frames"] == 1 and state["titles"] == ["still"], state)
        names = b.run("return Array.from(document.querySelectorAll('.object, label')).map(e => e.textContent).join(' ')")
        check("cloth" in names and "ball" in names and "pin hold" in names, names)
        b.canvas("scene")
        b.page("scene")


def test_two_runs():
    heddle("run", write_scene("fine", points=20, duration=0.2), "-o", "fine", "--quiet")
    with view("done", "fine") as (address, _), Browser(address) as b:
        state = b.ready()
        check(state["titles"] == ["done", "fine"], state["titles"])
        b.wait(lambda s: s["frames"] == 21, "the longer run leads")
        b.seek(5)
        state = b.wait(lambda s: s["settled"], "both")
        check(state["shown"] == [5, 5] and abs(state["times"][1] - 0.1) < 1e-9, state)
        b.page("two-runs")


def test_a_run_while_it_is_computed():
    scene = write_scene("live", duration=1000, points=24)
    run = subprocess.Popen([HEDDLE, "run", scene, "-o", "live", "--quiet", "--threads", "1"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while not os.path.exists("live/.lock"):
            check(time.monotonic() < end and run.poll() is None, "the run begins")
            time.sleep(0.01)
        with view("live") as (address, _), Browser(address) as b:
            state = b.ready()
            check(state["growing"], "the run is being computed")
            check(not b.run("return document.getElementById('live').hidden"), "the page says so")
            for _ in range(3):
                last = state["shown"][0]
                state = b.wait(lambda s: s["shown"][0] > last, f"a frame after {last}")
            check(state["rows"][0]["energy"] > 1, "tables grow too")
            b.run("heddle.seek(1)")
            count = b.state()["frames"]
            state = b.wait(lambda s: s["frames"] > count, "more frames")
            check(state["frame"] == 1, "whoever looks back is left there")
            run.send_signal(signal.SIGINT)
            run.wait(timeout=60)
            state = b.wait(lambda s: not s["growing"], "the end of the run")
            b.seek(state["frames"] - 1)
            b.page("live")
    finally:
        if run.poll() is None:
            run.kill()
            run.wait()


def test_a_lost_connection():
    with view("done") as (address, process), Browser(address, errors_allowed=True) as b:
        b.ready()
        b.seek(3)
        process.terminate()
        process.wait(timeout=30)
        end = time.monotonic() + 30
        while b.run("return document.getElementById('message').hidden"):
            check(time.monotonic() < end, "the page says that the connection is lost")
            time.sleep(0.02)
        b.run("heddle.seek(0)")
        b.wait(lambda s: s["settled"] and s["shown"] == [0], "a frame that was loaded before")
        check(not b.state()["errors"], b.state()["errors"])
        b.page("lost")


def test_yarn_files():
    write_yarns("yarns.obj", 12, 40)
    with view("yarns.obj") as (address, _), Browser(address) as b:
        state = b.ready()
        check(state["segments"] == [12 * 39] and state["frames"] == 1, state)
        b.run("heddle.pickAt(arguments[0], arguments[1])", *project(b, 0, 0, 7 * 40 + 20))
        picked = b.state()["picked"]
        check(picked and picked["yarn"] == 7 and 7 * 40 + 20 in picked["vertices"], picked)
        picture = b.canvas("yarn-file")
        check(len({p for p in picture.box(300, 200, 700, 500, 7)}) > 50, "shaded yarns")


def test_export_works_from_disk():
    heddle("export", "done", "--html", "done.html")
    with Browser("done.html") as b:
        state = b.ready()
        check(state["frames"] == 21 and state["titles"] == ["done"], state)
        b.wait(lambda s: s["rows"] == [{"energy": 21, "measure": 21}], "tables")
        first = b.canvas("export-first")
        b.seek(20)
        exported = b.canvas("export-last")
        check(difference(first, exported) > 0.01, "the cloth has moved")
        exported_at = project(b, 0, 0, 100)
    with view("done") as (address, _), Browser(address) as b:
        b.ready()
        b.seek(20)
        served_at = project(b, 0, 0, 100)
        check(all(abs(p - q) < 0.01 for p, q in zip(exported_at, served_at)), "the same place as in the served page")


def test_100000_segments():
    """Bytes a segment of a frame. Seconds to the first picture (2 s are wanted) and the browser's processor time are
    written down, not judged: they depend on what else the machine does."""
    write_yarns("many.obj", 100, 1001)
    with view("many.obj") as (address, _):
        before = Browser.processor_times()
        with Browser(address) as b:
            state = b.ready()
            work = sum(t - before.get(p, 0) for p, t in Browser.processor_times().items())
            picture_ms = b.run("return heddle.time(3)")
            b.page("segments")
    check(state["segments"] == [100 * 1000], state["segments"])
    size = state["traffic"][0]["lastBytes"] / 100000
    numbers = {"bytes_per_segment": size, "first_picture_s": state["firstPicture"] / 1000, "processor_s": work,
               "picture_ms": picture_ms, "load": os.getloadavg()[0], "renderer": state["renderer"]}
    with open("numbers.json", "w") as out:
        json.dump(numbers, out)
    print(f"     {numbers}")
    check(size <= MOST_BYTES, f"{size} bytes a segment and frame")


if __name__ == "__main__":
    build_viewer()
    if not os.path.exists(HEDDLE):
        sys.exit(f"{HEDDLE} is not there")
    main(globals())
