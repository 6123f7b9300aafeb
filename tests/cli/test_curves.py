#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Yarn curves: heddle info and heddle convert of .bcc and .obj files, and what they refuse."""
import json
import math
import os
import re
import struct
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main, tree


def write_bcc(path, curves, up=1, tail=b""):
    """curves: (points, closed)."""
    with open(path, "wb") as out:
        out.write(b"BCC\x44C0\x03" + bytes([up]))
        out.write(struct.pack("<QQ40s", len(curves), sum(len(p) for p, _ in curves), b"test"))
        for points, closed in curves:
            out.write(struct.pack("<i", -len(points) if closed else len(points)))
            for point in points:
                out.write(struct.pack("<fff", *point))
        out.write(tail)


def read_bcc(path):
    with open(path, "rb") as stream:
        data = stream.read()
    check(data[:8] == b"BCC\x44C0\x03\x01", f"{path}: {data[:8]}")
    count, total = struct.unpack_from("<QQ", data, 8)
    at, curves = 64, []
    for _ in range(count):
        (n,) = struct.unpack_from("<i", data, at)
        points = [struct.unpack_from("<fff", data, at + 4 + 12 * i) for i in range(abs(n))]
        curves.append((points, n < 0))
        at += 4 + 12 * abs(n)
    check(at == len(data) and total == sum(len(p) for p, _ in curves), f"{path}: size")
    return curves


# A square of side 2 around the y axis and a straight line of length 3 that stands on it. All numbers
# are short in binary, so that lengths are exact.
SQUARE = ([(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)], True)
LINE = ([(0, 0, 0), (0, 0.5, 0), (0, 3, 0)], False)


def refused(arguments, *words, code=2):
    before = tree(".")
    result = heddle(*arguments, code=code)
    check(result.stdout == "", f"{arguments}: {result.stdout!r}")
    for word in words:
        check(word in result.stderr, f"{arguments}: '{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{arguments}: files were written")


def test_info():
    write_bcc("a.bcc", [SQUARE, LINE])
    facts = json.loads(heddle("info", "a.bcc", "--json").stdout)
    expected = {"kind": "curves", "path": "a.bcc", "curves": 2, "closed": 1, "open": 1, "points": 7, "segments": 6,
                "length": 11, "shortest_segment": 0.5, "mean_segment": 11 / 6, "low": [-1, 0, -1],
                "high": [1, 3, 1], "size": [2, 3, 2], "up_axis": "y"}
    check(facts == expected, facts)
    text = heddle("info", "a.bcc").stdout
    for word in ("2 (1 closed, 1 open), 7 points", "11 m", "the shortest 0.5 m", "y in the file\n", "not known"):
        check(word in text, f"'{word}' is not in {text!r}")


def test_info_of_other_axes_and_radius():
    points = [(1, 2, 3), (2, 4, 6)]
    tail = struct.pack("<f", 0.25) + bytes(16 * len(points))
    write_bcc("z.bcc", [(points, False)], up=2, tail=tail)
    facts = json.loads(heddle("info", "z.bcc", "--json").stdout)
    check(facts["up_axis"] == "z" and facts["radius"] == 0.25, facts)
    check(facts["low"] == [1, 3, -4] and facts["high"] == [2, 6, -2], facts)
    check("z in the file, turned to y" in heddle("info", "z.bcc").stdout, "up axis")
    write_bcc("e.bcc", [LINE], tail=b"more")
    check("4 bytes after the last curve" in heddle("info", "e.bcc").stderr, "note about extra bytes")


def test_there_and_back():
    ring = [(math.cos(i), 0.1 * i, math.sin(i)) for i in range(6)]
    write_bcc("r.bcc", [(ring, True), LINE, (ring[::-1], False)])
    check(heddle("convert", "r.bcc", "r.obj").stderr == "", "nothing to note")
    heddle("convert", "r.obj", "s.bcc")
    check(read_bcc("s.bcc") == read_bcc("r.bcc"), "points are not the same floats")
    facts = [json.loads(heddle("info", name, "--json").stdout) for name in ("r.bcc", "r.obj")]
    check("up_axis" not in facts[1], facts[1])
    for key in ("curves", "closed", "points", "length", "shortest_segment", "low", "high"):
        check(facts[0][key] == facts[1][key], f"{key}: {facts}")


def test_scale_and_radius():
    write_bcc("a.bcc", [SQUARE, LINE])
    note = heddle("convert", "a.bcc", "b.bcc", "--scale", "0.25", "--radius", "2mm").stderr
    check("radius is left out, bcc files do not hold it" in note, note)
    for (points, closed), (given, was_closed) in zip(read_bcc("b.bcc"), [SQUARE, LINE]):
        check(points == [tuple(0.25 * x for x in p) for p in given] and closed == was_closed, points)
    heddle("convert", "a.bcc", "a.usda", "--scale", "1 cm", "--radius=0.125 mm")
    with open("a.usda") as stream:
        text = stream.read()
    widths = [float(x) for x in re.findall(r"widths = \[([^,\]]*)\]", text)]
    check(len(widths) == 2 and all(abs(w - 0.25e-3) < 1e-9 for w in widths), widths)
    check("(0, 0.0299999993, 0)" in text, "3 units are 3 cm, in single precision")
    heddle("convert", "b.bcc", "b.vtp", "--radius", "2 mm")
    with open("b.vtp", "rb") as stream:
        check(struct.pack("<dd", 0.002, 0.002) in stream.read(), "radius in the .vtp")
    with open("tetra.obj", "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    heddle("convert", "tetra.obj", "small.ply", "--scale", "1mm")
    check(json.loads(heddle("info", "small.ply", "--json").stdout)["high"] == [1e-3] * 3, "a scaled mesh")


def test_every_format_to_every_other():
    """Points, ends and radii survive each way; all numbers are short in binary."""
    write_bcc("each.bcc", [SQUARE, LINE])
    expected = json.loads(heddle("info", "each.bcc", "--json").stdout)
    heddle("convert", "each.bcc", "each.obj")
    heddle("convert", "each.bcc", "each.ply", "--radius", "0.25")
    heddle("convert", "each.ply", "each.usda")
    heddle("convert", "each.ply", "each.vtp")
    for source in ("bcc", "obj", "ply", "usda", "vtp"):
        for target in ("bcc", "obj", "ply", "usda", "vtp"):
            name = f"{source}.{target}"
            heddle("convert", f"each.{source}", name)
            facts = json.loads(heddle("info", name, "--json").stdout)
            for key in ("curves", "closed", "open", "points", "segments", "length", "low", "high"):
                check(facts[key] == expected[key], f"{name}: {key} is {facts[key]}, not {expected[key]}")
            has_radius = source in ("ply", "usda", "vtp") and target in ("ply", "usda", "vtp")
            check(facts.get("radius") == (0.25 if has_radius else None), f"{name}: {facts}")
        heddle("convert", f"each.{source}", f"{source}.html")


def test_radius_of_a_file_is_scaled():
    write_bcc("x.bcc", [LINE], tail=struct.pack("<f", 0.5) + bytes(16 * 3))
    heddle("convert", "x.bcc", "x.vtp", "--scale", "0.5")
    with open("x.vtp", "rb") as stream:
        data = stream.read()
    offset = int(re.search(rb'Name="radius"[^>]*offset="(\d+)"', data)[1])
    start = data.index(b"_", data.index(b"<AppendedData")) + 1 + offset
    check(struct.unpack_from("<Qd", data, start) == (8, 0.25), data[start:start + 16])


def test_obj_of_both_kinds():
    square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    with open("both.obj", "w") as out:
        out.write(square + "f 1 2 3\nl 1 2 3 4\n")
    result = heddle("info", "both.obj")
    check(result.stdout.startswith("mesh "), result.stdout)
    check("1 polylines left out: the file has faces" in result.stderr, result.stderr)
    refused(["convert", "both.obj", "both.bcc"], "bcc files hold curves only", "'both'")
    with open("lines.obj", "w") as out:
        out.write(square + "l 1 2\nl 2 3\nl 3 4\nl 4 1\n")
    heddle("convert", "lines.obj", "lines.bcc")
    ((points, closed),) = read_bcc("lines.bcc")
    check(closed and points == [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], points)


def test_vtp_of_both_kinds():
    """Faces win over lines, as in the other formats; what heddle writes comes back."""
    with open("tetra.obj", "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    heddle("convert", "tetra.obj", "tetra.vtp", "--scale", "0.5")
    heddle("convert", "tetra.vtp", "again.obj", "--scale", "2")
    with open("again.obj") as stream:
        lines = [line.split() for line in stream if line[0] in "vf"]
    points = [tuple(float(x) for x in line[1:]) for line in lines if line[0] == "v"]
    faces = [tuple(int(x) for x in line[1:]) for line in lines if line[0] == "f"]
    check(points == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], points)
    check(faces == [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)], faces)
    facts = json.loads(heddle("info", "tetra.vtp", "--json").stdout)
    check(facts["kind"] == "mesh" and facts["vertices"] == 4 and facts["triangles"] == 4, facts)
    array = '<DataArray type="Int32" Name="{}" format="ascii">{}</DataArray>'
    with open("both.vtp", "w") as out:
        out.write('<VTKFile type="PolyData"><Piece NumberOfLines="1"><Points><DataArray type="Float32" format="ascii">'
                  "0 0 0 1 0 0 1 1 0</DataArray></Points>"
                  f'<Lines>{array.format("connectivity", "0 1 2")}{array.format("offsets", 3)}</Lines>'
                  f'<Polys>{array.format("connectivity", "0 1 2")}{array.format("offsets", 3)}</Polys></Piece></VTKFile>')
    result = heddle("info", "both.vtp")
    check(result.stdout.startswith("mesh "), result.stdout)
    check("1 lines left out: the file has faces" in result.stderr, result.stderr)
    refused(["convert", "both.vtp", "both.bcc"], "bcc files hold curves only", "'both'")
    with open("both.vtp") as stream:
        text = stream.read()
    with open("yarns.vtp", "w") as out:
        out.write(text.replace("</Polys>", f'</Polys><CellData>{array.format("radius", "2 0")}</CellData>')
                  .replace("<Piece ", '<Piece NumberOfPolys="1" '))
    result = heddle("convert", "yarns.vtp", "yarns.bcc")
    check(read_bcc("yarns.bcc") == [([(0, 0, 0), (1, 0, 0), (1, 1, 0)], False)], read_bcc("yarns.bcc"))
    check("1 polygons left out" in heddle("info", "yarns.vtp").stderr, "cells with a radius are yarns")


def test_bad_uses():
    write_bcc("a.bcc", [SQUARE, LINE])
    with open("tetra.obj", "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with open("points.obj", "w") as out:
        out.write("v 0 0 0\nv 1 0 0\n")
    with open("bad.obj", "w") as out:
        out.write("v 0 0 0\nl 1 5\n")
    refused(["convert", "a.bcc", "a.bcc"], "exists", "--force")
    refused(["convert", "a.bcc", "b.obj", "--frame", "2"], "one frame")
    refused(["convert", "tetra.obj", "t.vtp", "--radius", "1mm"], "--radius is for yarns")
    refused(["convert", ".", "t.vtp", "--scale", "1mm"], "--scale and --radius are for files")
    for text in ("0", "-1", "x", "1 furlong", "nan", "1e999", "1 mm 2", "1e-320 nm"):
        refused(["convert", "a.bcc", "b.obj", "--scale", text], "--scale needs a length above 0")
        refused(["convert", "a.bcc", "b.obj", "--radius", text], "--radius needs a length above 0")
    refused(["convert", "a.bcc", "huge.bcc", "--scale", "1e39"], "huge.bcc", "which the format cannot hold")
    refused(["info", "points.obj"], "points.obj: holds neither faces nor polylines")
    refused(["info", "bad.obj"], "bad.obj:2: vertex index 5 is out of range")
    with open("a.bcc", "rb") as stream:
        data = stream.read()
    for name, content, words in (
            ("cut.bcc", data[:100], "curve 0 has 4 points, the file has room for 2"),
            ("head.bcc", data[:10], "cut short: 10 bytes"),
            ("magic.bcc", b"PK\3\4" + data[4:], "byte 0: must begin with 'BCC'"),
            ("double.bcc", data[:3] + b"\x48" + data[4:], "byte 3: must be 0x44"),
            ("empty.bcc", b"", "cut short: 0 bytes")):
        with open(name, "wb") as out:
            out.write(content)
        refused(["info", name], f"{name}: ", words)
        refused(["convert", name, "out.obj"], f"{name}: ", words)


def test_no_memory():
    """Whichever allocation fails: exit code 3, a message, and nothing left behind."""
    write_bcc("a.bcc", [SQUARE, LINE])
    names = sorted(os.listdir("."))
    for n in range(1, 100):
        result = heddle("convert", "a.bcc", "m.usda", code=None, env={**os.environ, "HEDDLE_FAIL_ALLOC": str(n)})
        if result.returncode == 0:
            check(n > 5, f"only {n} allocations")
            os.remove("m.usda")
            return
        check(result.returncode == 3 and "memory" in result.stderr, f"{n}: {result.stderr!r}")
        check(sorted(os.listdir(".")) == names, f"{n}: {os.listdir('.')}")
    check(False, "never came through")


if __name__ == "__main__":
    main(globals())
