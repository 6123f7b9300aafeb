# SPDX-License-Identifier: MIT
"""What the tests of the program share. They run in a fresh directory; HEDDLE names the program."""
import os
import signal
import subprocess
import sys
import time
import traceback

HEDDLE = os.environ["HEDDLE"]

SCENE = """\
heddle: 1
name: small
duration: {duration} s
step: {{size: 1/200 s, integrator: {integrator}}}
output: {{frame_interval: 1/50 s}}
sheets:
  - name: cloth
    grid: {{size: [0.5 m, 0.5 m], points: [{points}, {points}], origin: [-0.25, 0.27, -0.25]}}
bodies:
  - {{shape: sphere, name: ball, radius: 0.15, position: [0.02, 0.1, 0]}}
pins:
  - {{name: hold, where: top-left, release: 0.2 s}}
wind: {{velocity: [1, 0, 0.5], gust: 0.3}}
measure:
  - {{kind: position, name: corner, vertex: 7}}
  - {{kind: reaction, name: pull}}
"""


def write_scene(path="scene.yaml", duration=0.1, integrator="implicit-euler", points=6):
    with open(path, "w") as out:
        out.write(SCENE.format(duration=duration, integrator=integrator, points=points))
    return path


def heddle(*arguments, code=0, **more):
    """Runs the program and checks its exit code, unless code is None."""
    more.setdefault("timeout", 120)
    result = subprocess.run([HEDDLE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if "Sanitizer" in result.stderr or "runtime error:" in result.stderr:
        raise AssertionError(f"{arguments}: {result.stderr}")
    if code is not None and result.returncode != code:
        raise AssertionError(f"{arguments}: exit code {result.returncode}, expected {code}\n"
                             f"stdout: {result.stdout}\nstderr: {result.stderr}")
    return result


def start(*arguments, **more):
    return subprocess.Popen([HEDDLE, *map(str, arguments)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def tree(root):
    """All files below a directory with their content."""
    found = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, root)] = stream.read()
    return found


def results(root):
    """What must be the same bits: all but the lock and the summary (wall time)."""
    return {path: data for path, data in tree(root).items() if path not in (".lock", "summary.json")}


def check_same_run(expected, found):
    a, b = results(expected), results(found)
    check(sorted(a) == sorted(b), f"{found}: files {sorted(set(a) ^ set(b))} on one side only")
    for path in a:
        check(a[path] == b[path], f"{found}/{path} differs from that of {expected}")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def wait_for(path, seconds=60):
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        check(time.monotonic() < end, f"{path} did not appear in {seconds} s")
        time.sleep(0.005)


def stop(process, number=signal.SIGKILL):
    """Sends a signal to a process of ours; its exit code, negative for a signal."""
    process.send_signal(number)
    return process.wait(timeout=120)


def main(names):
    """Runs all functions test_* of a module, in the order they are written."""
    failed = 0
    for name, function in list(names.items()):
        if name.startswith("test_") and callable(function):
            begin = time.monotonic()
            try:
                note = function()
                print(f"{'SKIP' if note else 'ok'}   {name} ({time.monotonic() - begin:.1f} s)"
                      + (f": {note}" if note else ""), flush=True)
            except Exception:  # every failure of a test is reported, the rest still runs
                failed += 1
                print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)
