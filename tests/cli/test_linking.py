#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""heddle info --linking: proofs that yarns did not pass through each other, and that they did."""
import json
import math
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def write_curves(path, curves):
    """curves: (points, closed), as polylines of an .obj file."""
    with open(path, "w") as out:
        first = 1
        for points, closed in curves:
            for point in points:
                out.write("v %.9g %.9g %.9g\n" % tuple(point))
            numbers = list(range(first, first + len(points))) + ([first] if closed else [])
            out.write("l " + " ".join(map(str, numbers)) + "\n")
            first += len(points)


def rings(apart):
    """Two rings of radius 1, one upright, with their centres so far apart."""
    angles = [2 * math.pi * k / 30 for k in range(30)]
    return [([(math.cos(t), math.sin(t), 0) for t in angles], True),
            ([(apart + math.cos(t), 0, math.sin(t)) for t in angles], True)]


def test_proofs():
    write_curves("linked.obj", rings(1.0))
    write_curves("moved.obj", rings(1.3))
    write_curves("free.obj", rings(3.0))
    write_curves("far.obj", rings(-3.0))
    same = json.loads(heddle("info", "linked.obj", "moved.obj", "--linking", "--json").stdout)
    check(same["linking"] == "unchanged" and same["yarns"] == 2 and same["closed"] == 2, same)
    out = heddle("info", "linked.obj", "free.obj", "--linking", "--json", code=1)
    changed = json.loads(out.stdout)
    check(changed["linking"] == "changed" and changed["jumps"] == 1, changed)
    check(abs(changed["time"] - 0.5) < 0.01, changed)  # they touch where centres are 2 apart
    unknown = json.loads(heddle("info", "free.obj", "far.obj", "--linking", "--json", code=1).stdout)
    check(unknown["linking"] == "unknown" and unknown["jumps"] == 0, unknown)
    text = heddle("info", "linked.obj", "free.obj", "--linking", code=1).stdout
    check("linking   changed" in text and "yarns 0 and 1" in text, text)


def test_knit():
    """A swatch against itself stretched by half: its loops hold."""
    knit = os.path.join(os.environ["SOURCE_DIR"], "scenes", "knit.bcc")
    heddle("convert", knit, "knit.obj")
    with open("knit.obj") as stream, open("wide.obj", "w") as out:
        for line in stream:
            words = line.split()
            if words and words[0] == "v":
                words[1] = repr(1.5 * float(words[1]))
                line = " ".join(words) + "\n"
            out.write(line)
    facts = json.loads(heddle("info", "knit.obj", "wide.obj", "--linking", "--json").stdout)
    check(facts["linking"] == "unchanged" and facts["yarns"] == 18, facts)


def test_refusals():
    write_curves("a.obj", rings(1.0))
    write_curves("b.obj", rings(1.0)[:1])
    write_curves("c.obj", [(p[:-1], closed) for p, closed in rings(1.0)])
    for arguments, word in [
        (("info", "a.obj", "b.obj", "--linking"), "a.obj has 2 yarns, b.obj has 1"),
        (("info", "a.obj", "c.obj", "--linking"), "yarn 0 has 30 points (closed) in a.obj, 29"),
        (("info", "a.obj", "--linking"), "name a second file"),
        (("info", "a.obj", "missing.obj", "--linking"), "missing.obj: no such file"),
        (("info", "a.obj", "b.obj"), "unexpected argument 'b.obj'"),
    ]:
        result = heddle(*arguments, code=2)
        check(word in result.stderr, f"{arguments}: {result.stderr!r}")


if __name__ == "__main__":
    main(globals())
