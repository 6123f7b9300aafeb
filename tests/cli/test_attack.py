#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""A handful of everything that tools/attack does at full size; SEED chooses other cases."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, main

ATTACK = os.path.join(os.environ["SOURCE_DIR"], "tools", "attack")


def attack(*arguments):
    return subprocess.run([ATTACK, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=500, check=False,
                          env={**os.environ, "HEDDLE_SANITIZED": HEDDLE})


def test_a_handful_of_each():
    result = attack("--quick", "--seed", os.environ.get("SEED", "1"), "--directory", os.path.abspath("attack"))
    check(result.returncode == 0, result.stdout)
    rows = result.stdout[result.stdout.index("\nattack "):].strip().splitlines()[1:]
    names = [line.split()[0] for line in attack("--list").stdout.splitlines()]
    check([row.split()[0] for row in rows] == names and len(names) > 20, f"{names}: {result.stdout}")
    idle = [row for row in rows if int(row.split()[1]) == 0 and "left out" not in row]
    check(not idle, f"attacks that tried nothing: {idle}")
    print("\n".join(rows))


def test_a_loss_is_told_and_counted():
    """A program that believes everything loses: the tool can tell."""
    with open("believer", "w") as out:
        out.write("#!/bin/sh\nexit 0\n")
    os.chmod("believer", 0o755)
    result = subprocess.run([ATTACK, "flips", "sizes", "--quick", "--directory", os.path.abspath("lost")],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=False,
                            env={**os.environ, "HEDDLE": os.path.abspath("believer")})
    check(result.returncode == 1, result.stdout)
    check("first loss of flips (again: tools/attack flips --seed 1" in result.stdout, result.stdout)
    check(attack("no-such").returncode == 2, "an unknown name")


if __name__ == "__main__":
    main(globals())
