#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_golden.py [--update [NAME...]]: short runs against numbers stored beside this file.

The energies and measurements at the end of each run are compared with NAME.csv. Solvers run to
tight tolerances and the runs are short, so that compilers and machines, which round differently,
agree: builds with gcc -O2, with gcc -O1 and sanitizers, and with clang without -march differed by a
hundred-millionth of what is allowed. A golden file that changes is explained in the commit that
changes it.
"""
import csv
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

from support import check, heddle, main

TIGHT = ["step.newton_tolerance=1e-11", "step.linear_tolerance=1e-9"]
BALL = "bodies.1.position=[0.013, 0.15, 0.007]"
CASES = {
    # Held at two corners, swinging down: springs, bending, pins.
    "hanging": ("hanging.yaml", 0.4, ["sheets.0.grid.points=[9, 9]", "measure.2.vertex=76"] + TIGHT),
    # Onto the ball and round it: contact and friction. The ball stands aside, so that rounding has
    # no ties to break.
    "ball": ("ball.yaml", 0.15, ["sheets.0.grid.points=[9, 9]", BALL] + TIGHT),
    # Triangles in gusts.
    "flag": ("flag.yaml", 0.3, ["sheets.0.grid.points=[9, 8]"] + TIGHT),
    # Position-based steps on the same ball.
    "xpbd": ("xpbd.yaml", 0.12, ["sheets.0.grid.points=[9, 9]", BALL]),
}
# Scenes beside this file, each with a line on what it is for.
CASES.update({name: (os.path.join(HERE, name + ".yaml"), None, []) for name in
              ("rods", "rods-implicit", "splines", "sliding-weave", "sliding-knit")})
RELATIVE = 1e-5  # of the number itself, and a hundredth of that of the largest one in its table
# Crossings of loops are found where two curves come nearest, to a part of a millionth of their length:
# builds start from nets that differ by so much, and loops hang soft.
COARSE = {"sliding-knit": 1e-3}


def last_row(path):
    with open(path) as stream:
        rows = list(csv.DictReader(stream))
    return {key: float(value) for key, value in rows[-1].items()}


def run(name):
    scene, duration, settings = CASES[name]
    arguments = [part for setting in settings for part in ("--set", setting)]
    if duration:
        arguments += ["--duration", duration]
    heddle("run", os.path.join(ROOT, "scenes", scene), "-o", name, "--threads", 1, *arguments)
    result = {}
    for table in ("energy", "measure"):
        for key, value in last_row(os.path.join(name, table + ".csv")).items():
            result[table, key] = value
    return result


def stored(name):
    with open(os.path.join(HERE, name + ".csv")) as stream:
        return {(row["table"], row["quantity"]): float(row["value"]) for row in csv.DictReader(stream)}


def compare(name):
    found, expected = run(name), stored(name)
    check(sorted(found) == sorted(expected), f"columns differ: {set(found) ^ set(expected)}")
    worst = 0.0
    for (table, key), value in expected.items():
        largest = max(abs(other) for (t, k), other in expected.items()
                      if t == table and k not in ("time", "step"))
        allowed = COARSE.get(name, RELATIVE) * (abs(value) + 0.01 * largest)
        error = abs(found[table, key] - value)
        check(error <= allowed,
              f"{name}: {table}.{key} is {found[table, key]!r}, stored {value!r}, allowed {allowed:.2g}")
        worst = max(worst, error / allowed)
    print(f"{name}: at most {worst:.2g} of what is allowed")


def test_hanging():
    compare("hanging")


def test_ball():
    compare("ball")


def test_flag():
    compare("flag")


def test_xpbd():
    compare("xpbd")


def test_rods():
    compare("rods")
    compare("rods-implicit")


def test_splines():
    compare("splines")


def test_sliding():
    compare("sliding-weave")
    compare("sliding-knit")


def update(names):
    for name in names or CASES:
        rows = run(name)
        with open(os.path.join(HERE, name + ".csv"), "w") as out:
            out.write("table,quantity,value\n")
            for (table, key), value in rows.items():
                out.write(f"{table},{key},{value!r}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2:])
    else:
        main(globals())
