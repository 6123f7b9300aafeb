#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A full disk and memory that is not there: exit code 3, a message, no crash, and resumable."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, check_same_run, heddle, main, results, write_scene

RUN = ("run", "scene.yaml", "--threads", "1", "--quiet")


def test_undisturbed():
    write_scene(duration=0.2)
    heddle(*RUN, "-o", "straight")


def mount_small_disk(directory, kilobytes):
    """A tmpfs of that size; False if this machine does not let us."""
    os.makedirs(directory, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", directory],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def test_full_disk():
    disk = tempfile.mkdtemp(prefix="disk-", dir=".")
    pages = sum(len(data) // 4096 + 1 for data in results("straight").values())
    # From a disk that holds next to nothing to one that lacks the last few pages.
    for part in (0.1, 0.3, 0.5, 0.7, 0.9):
        if not mount_small_disk(disk, max(8, 4 * int(part * pages))):
            return "no right to mount a small disk"
        try:
            run = os.path.join(disk, "run")
            result = heddle(*RUN, "-o", run, code=3)
            check("No space left" in result.stderr, result.stderr)
            halves = [n for _, _, names in os.walk(run) for n in names if n.endswith(".part")]
            check(not halves, f"halves were left: {halves}")
            if os.path.exists(os.path.join(run, "frames/000000.hed")):
                check(json.loads(heddle("info", run, "--json").stdout)["frames"] >= 1, "info")
            heddle(*RUN, "-o", run, "--resume", code=3)  # still full
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            heddle(*RUN, "-o", run, "--resume")
            check_same_run("straight", run)
        finally:
            subprocess.run(["umount", disk], check=True)
    return None


def test_file_size_limit():
    """The same by a limit on the size of files: writes fail with another error."""
    largest = max(len(data) for data in results("straight").values())
    for limit in (0, 100, 1000, largest - 1):
        directory = f"limit{limit}"
        result = heddle(*RUN, "-o", directory, code=3,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                              (limit, limit)))
        check("heddle: " in result.stderr, result.stderr)
        heddle(*RUN, "-o", directory, "--resume")
        check_same_run("straight", directory)


def test_directory_that_may_not_be_written():
    if os.geteuid() == 0:
        return "root may write everywhere"
    os.makedirs("locked")
    os.chmod("locked", 0o500)
    heddle(*RUN, "-o", "locked/run", code=3)
    return None


def fail_allocations(arguments, clean, codes=(3,)):
    """Makes the 1st, 2nd, ... allocation fail until the program gets through; how many there were."""
    n = 0
    while True:
        n += 1
        clean()
        result = heddle(*arguments, code=None, env={**os.environ, "HEDDLE_FAIL_ALLOC": str(n)})
        if result.returncode == 0:
            return n
        check(result.returncode in codes, f"allocation {n}: exit code {result.returncode}: "
              f"{result.stderr}")
        check("memory" in result.stderr, f"allocation {n}: {result.stderr!r}")


def test_every_allocation_fails_once():
    with open("tiny.yaml", "w") as out:
        out.write("heddle: 1\nname: tiny\nduration: 0.02 s\nstep: {size: 1/100 s}\n"
                  "output: {frame_interval: 1/50 s}\n"
                  "sheets:\n  - {name: c, grid: {size: [1, 1], points: [2, 2]}}\n")
    count = fail_allocations(["run", "tiny.yaml", "-o", "tiny", "--quiet", "--threads", "1"],
                             lambda: shutil.rmtree("tiny", ignore_errors=True))
    check(count > 20, f"only {count} allocations")
    print(f"     {count} allocations of a run")


def test_every_allocation_of_reading_fails_once():
    def clean():
        if os.path.exists("tiny.usda"):
            os.remove("tiny.usda")
    print(f"     {fail_allocations(['info', 'tiny'], clean, (2, 3))} of info,"
          f" {fail_allocations(['convert', 'tiny', 'tiny.usda'], clean)} of convert")


if __name__ == "__main__":
    main(globals())
