#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of yarns from other programs (.yarns, .pyp): info, convert, render and scenes; and what is refused."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main, tree

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
CORNER = os.path.join(DATA, "corner.yarns")
CELL = os.path.join(DATA, "cell.pyp")

SCENE = """heddle: 1
duration: 2 ms
step: {size: 1 ms}
yarns:
  - name: a
    curves: {file: %s}
"""


def refused(arguments, *words):
    before = tree(".")
    result = heddle(*arguments, code=2)
    for word in words:
        check(word in result.stderr, f"{arguments}: '{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{arguments}: files were written")


def facts(path, *more):
    return json.loads(heddle("info", path, "--json", *more).stdout)


def test_info():
    f = facts(CORNER)
    check(f["curves"] == 2 and f["points"] == 6 and f["radius"] == 0.25 and f["open"] == 2, f)
    check("2 checkpoints ask for 2.5 units of yarn" in heddle("info", CORNER).stderr, "checkpoints")
    f = facts(CELL)
    check(f["curves"] == 2 and f["points"] == 8 and f["radius"] == 0.0002, f)
    check(f["period_across"] == [0.004, 0, 0] and f["period_up"] == [0, 0.002, 0], f)
    check("cell      0.004 x 0.002 m" in heddle("info", CELL).stdout, "cell")


def test_convert_scales_colours_and_radii():
    heddle("convert", CORNER, "a.usda", "--scale", "1 cm")
    with open("a.usda") as stream:
        text = stream.read()
    widths = [float(w) for w in re.search(r"widths = \[(.*?)\]", text).group(1).split(", ")]
    # Diameters of 0.5 and 0.25 units at each of four and of two points, in the numbers of 24 bits that the format has.
    expected = [0.005] * 4 + [0.0025] * 2
    check(len(widths) == 6 and all(abs(w / d - 1) < 1e-7 for w, d in zip(widths, expected)), widths)
    # 16/255, 32/255, 48/255 in linear light: ((c + 0.055) / 1.055)^2.4
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in (16, 32, 48)]
    check(f"{linear[1]:.4f}"[:6] in text, f"{linear} is not in the colours")


def test_tiles():
    heddle("convert", CELL, "t.bcc", "--tiles", "2x3")
    f = facts("t.bcc")
    # 3 yarns across of 2 x 4 + 1 points, 2 upwards of 3 x 2 + 1
    check(f["curves"] == 5 and f["points"] == 3 * 9 + 2 * 7, f)
    one, many = facts(CELL), facts("t.bcc")
    check(abs(many["length"] - 6 * one["length"]) < 1e-6 * many["length"], "six cells have six times the yarn")
    for text in ("0x1", "2", "2x", "x2", "2x1001", "1x2x3", "-1x2"):
        refused(["convert", CELL, "u.bcc", "--tiles", text], "--tiles needs NxM, whole numbers from 1 to 1000")
    refused(["convert", CORNER, "u.bcc", "--tiles", "2x2"], "tiles need yarns that repeat")


def test_render():
    heddle("render", CELL, "-o", "c.png", "--size", "64x48", "--samples", "1", "--tiles", "3x3")
    check(os.path.getsize("c.png") > 500, "a picture")
    heddle("render", CORNER, "-o", "y.png", "--size", "64x48", "--samples", "1")


def test_scenes():
    with open("s.yaml", "w") as out:
        out.write(SCENE % f"{CELL}, tiles: [2, 2]")
    text = heddle("check", "s.yaml").stdout
    check("a: 28 vertices, 4 curves" in text, text)  # two across of 9 points, two upwards of 5
    heddle("run", "s.yaml", "-o", "out")
    heddle("convert", "out", "s.bcc")
    check(facts("s.bcc")["curves"] == 4, facts("s.bcc"))
    with open("s.yaml", "w") as out:
        out.write(SCENE % f"{CORNER}, scale: 0.01, tiles: [2, 1]")
    refused(["check", "s.yaml"], "s.yaml:6:", "tiles need yarns that repeat")
    with open("s.yaml", "w") as out:
        out.write(SCENE % f"{CORNER}, scale: 0.01")
    heddle("run", "s.yaml", "-o", "out2")
    check(json.loads(heddle("info", "out2", "--json").stdout)["objects"][0]["curves"] == 2, "two yarns")


def test_bad_files():
    with open(CORNER, "rb") as stream:
        data = stream.read()
    with open(CELL) as stream:
        text = stream.read()
    with open("short.yarns", "wb") as out:
        out.write(data[:100])
    with open("loop.pyp", "w") as out:
        out.write(text.replace("3 0 1 0", "3 1 1 0"))
    for name, words in (("short.yarns", "short.yarns: byte 80: chunk 'src.' has 24 bytes, the file has 12 more"),
                        ("loop.pyp", "loop.pyp:16: a second edge leads to vertex 1")):
        for arguments in (["info", name], ["convert", name, "o.obj"], ["render", name, "-o", "o.png"]):
            refused(arguments, words)
        with open("s.yaml", "w") as out:
            out.write(SCENE % name)
        result = heddle("check", "s.yaml", code=2)
        check("s.yaml:6:" in result.stderr and words in result.stderr, result.stderr)
        os.remove("s.yaml")


if __name__ == "__main__":
    main(globals())
