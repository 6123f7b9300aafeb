#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_picture.py [--update]: small pictures against PNG files stored beside this file.

A path that another compiler or processor rounds differently may meet another yarn, so single pixels
may differ; a picture may not. Builds with gcc -O2, with gcc -O1 and sanitizers and with clang differ
by a mean of a millionth of full brightness on one machine. Embree takes other instructions on other
processors, so a mean of 0.002 is allowed, and differences above 0.05 in one number of 200: a lamp that
is 5 % brighter, other plies or other hairs are more than that. A
picture that changes is explained in the commit that changes it.
"""
import math
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))

from png import read_png
from support import check, heddle, main

MEAN, FAR, FAR_PART = 0.002, 0.05, 0.005
SIZE = ("--size", "160x120", "--samples", "32", "--quiet", "--force")


def write_yarns():
    """Three yarns over and under three others."""
    with open("yarns.obj", "w") as out:
        for i in range(6):
            for k in range(40):
                along, across = 2 * k / 39 - 1, 0.45 * (i % 3 - 1)
                y = 0.11 * math.sin(7 * along + math.pi * i)
                x, z = (along, across) if i < 3 else (across, along)
                out.write(f"v {x:.6f} {y:.6f} {z:.6f}\n")
            out.write("l " + " ".join(str(40 * i + k + 1) for k in range(40)) + "\n")


def draw_yarns(path):
    write_yarns()
    heddle("render", "yarns.obj", "--radius", 0.1, "--elevation", 35, *SIZE, "-o", path)


def draw_cloth(path):
    """A sheet that falls onto a ball, on a floor."""
    heddle("run", os.path.join(ROOT, "scenes", "ball.yaml"), "-o", "cloth", "--duration", 0.15, "--threads", 1,
           "--set", "sheets.0.grid.points=[9, 9]", "--set", "bodies.1.position=[0.013, 0.15, 0.007]",
           "--set", "step.newton_tolerance=1e-11", "--set", "step.linear_tolerance=1e-9", "--force", "--quiet")
    heddle("render", "cloth", *SIZE, "-o", path)


CASES = {"yarns": draw_yarns, "cloth": draw_cloth}


def compare(name):
    CASES[name](f"{name}.png")
    found, expected = read_png(f"{name}.png"), read_png(os.path.join(HERE, f"{name}.png"))
    check(found[:3] == expected[:3], f"{found[:3]} {expected[:3]}")
    differences = [abs(a - b) for r, s in zip(found[3], expected[3]) for a, b in zip(r, s)]
    mean = sum(differences) / len(differences)
    far = sum(d > FAR for d in differences) / len(differences)
    print(f"{name}: mean difference {mean:.6f}, far off {far:.6f}")
    check(mean <= MEAN, f"{name}: mean difference {mean}")
    check(far <= FAR_PART, f"{name}: {far} of the numbers are far off")


def test_yarns():
    compare("yarns")


def test_cloth():
    compare("cloth")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for case, draw in CASES.items():
            draw(os.path.join(HERE, f"{case}.png"))
    else:
        main(globals())
