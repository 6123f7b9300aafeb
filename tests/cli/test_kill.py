#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Killed at random moments, stopped by signals, two at once: always the bits of one long run."""
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
