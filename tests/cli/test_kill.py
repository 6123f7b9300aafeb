#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Killed at random moments, stopped by signals, two at once: always the bits of one long run."""
import json
import os
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import (HEDDLE, check, check_same_run, heddle, main, start, stop, tree, wait_for,
                     write_scene)

RUN = ("run", "scene.yaml", "--threads", "1", "--quiet")
KILLS = 20
seconds = 0.0  # that the undisturbed run takes


def timed(directory, duration):
    write_scene(duration=duration, points=8)
    begin = time.monotonic()
    heddle(*RUN, "-o", directory)
    return time.monotonic() - begin


def test_undisturbed():
    """A run of about 1.5 s, however fast this build and this machine are."""
    global seconds
    probe = timed("probe", 0.3)
    seconds = timed("straight", round(min(3.0, max(0.3, 0.3 * 1.5 / probe)), 2))


def test_kill_at_random_moments():
    seed = int(os.environ.get("SEED", "1"))
    moments = random.Random(seed)
    directory, attempt, killed, finished = "killed0", 0, 0, 0
    while killed < KILLS:
        process = start(*RUN, "-o", directory, "--resume")
        try:
            process.wait(timeout=moments.uniform(0.0, 0.3) * seconds)
            check(process.returncode == 0, f"exit code {process.returncode} after {killed} kills")
            check_same_run("straight", directory)
            attempt, finished = attempt + 1, finished + 1
            directory = f"killed{attempt}"
        except subprocess.TimeoutExpired:
            check(stop(process) in (-signal.SIGKILL, 0), "not killed")
            killed += 1
            if os.path.exists(f"{directory}/frames/000000.hed"):
                heddle("info", directory)  # readable as it is
    heddle(*RUN, "-o", directory, "--resume")
    check_same_run("straight", directory)
    print(f"     seed {seed}: {killed} kills, {finished + 1} runs finished, each {seconds:.1f} s")


def test_kill_before_the_summary():
    for end in (0.32, 0.325):  # with a frame, and between two
        scene = write_scene(f"{end}.yaml", duration=end, points=8)
        heddle("run", scene, "--quiet", "-o", f"summed{end}")
        heddle("run", scene, "--quiet", "-o", f"unsummed{end}")
        os.rename(f"unsummed{end}/summary.json", f"unsummed{end}/summary.json.123.part")
        heddle("run", scene, "--quiet", "-o", f"unsummed{end}", "--resume")
        check(os.path.exists(f"unsummed{end}/summary.json"), "no summary")
        check_same_run(f"summed{end}", f"unsummed{end}")


def test_interrupt():
    for number in (signal.SIGINT, signal.SIGTERM):
        directory = f"stopped{int(number)}"
        process = start(*RUN, "-o", directory)
        wait_for(f"{directory}/frames/000002.hed")
        check(stop(process, number) == 130, f"exit code {process.returncode} for {number}")
        check(b'"stopped"' in tree(directory)["summary.json"], "summary")
        heddle(*RUN, "-o", directory, "--resume")
        check_same_run("straight", directory)


HARD = """
heddle: 1
duration: 1 s
step: {size: 50 ms, integrator: quasi-static}
world: {gravity: [0, 0, 0]}
yarns:
  - name: strip
    model: sliding
    weave:
      {pattern: plain, cut: [5 cm, 15 cm], bias: 45 deg, sett: [9 1/cm, 9 1/cm], warp: 60 tex,
       weft: 60 tex}
    sliding: {stretch: 20 N, bend: 2e-9 N*m^2, shear: 5 mN}
pins:
  - {yarns: strip, box: {min: [-1 m, -1 m, -1 m], max: [1 m, -7.2 cm, 1 m]}}
  - yarns: strip
    box: {min: [-1 m, 7.2 cm, -1 m], max: [1 m, 1 m, 1 m]}
    keyframes: [{time: 0, position: [0, 0, 0]}, {time: 1 s, position: [0, 15 mm, 0]}]
"""


def test_interrupt_within_a_step():
    """A step that takes half a minute tells what is worst in it, and ends when it is asked to."""
    with open("hard.yaml", "w", encoding="utf-8") as file:
        file.write(HARD)
    process = subprocess.Popen([HEDDLE, "run", "hard.yaml", "--threads", "1", "--json", "-o", "hard"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    told = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    summary = process.communicate()[0].splitlines()[-1]
    # A second or two are promised; a build with sanitizers beside other work gets five times that.
    check(time.monotonic() - begin < 10.0, "deaf to SIGTERM in a step")
    check(process.returncode == 130, process.returncode)
    check(told.get("in_step") is True and "of yarns 'strip'" in told["trouble"], told)
    check(told["piece"] > 0.0 and told["residual"] > 0.0, told)
    check(json.loads(summary)["outcome"] == "stopped", summary)
    heddle("info", "hard")


def test_two_at_once():
    process = start(*RUN, "-o", "shared")
    wait_for("shared/frames/000001.hed")
    process.send_signal(signal.SIGSTOP)
    try:
        result = heddle(*RUN, "-o", "shared", "--resume", code=2)
        check(f"process {process.pid} is writing" in result.stderr, result.stderr)
        heddle(*RUN, "-o", "shared", "--force", code=2)
    finally:
        process.send_signal(signal.SIGCONT)
    check(process.wait() == 0, "the first run was disturbed")
    check_same_run("straight", "shared")


def test_read_while_it_grows():
    process = start(*RUN, "-o", "growing")
    wait_for("growing/frames/000001.hed")
    while process.poll() is None:
        heddle("info", "growing")
        heddle("convert", "growing", "growing.obj", "--force")
    check(process.returncode == 0, "exit code")


def test_json_into_a_closed_pipe():
    process = subprocess.Popen([HEDDLE, *RUN[:-1], "-o", "pipe", "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdout.close()
    process.wait(timeout=120)
    heddle(*RUN, "-o", "pipe", "--resume")
    check_same_run("straight", "pipe")


if __name__ == "__main__":
    main(globals())
