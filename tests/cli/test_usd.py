#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""USD files as importers judge them: all that heddle writes passes a strict reader, which refuses each of many
changes of them; frame rates are those of the runs."""
import os
import random
import re
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main
from usd import Wrong, check_usda

SOURCE = os.environ["SOURCE_DIR"]
DATA = os.path.join(SOURCE, "tests", "data")

# Two sheets, a body, open yarns of two radii and colours, and a closed one.
MIXED = """\
heddle: 1
duration: {duration}
step: {{size: {step}}}
output: {{frame_interval: {interval}}}
sheets:
  - {{name: cloth, grid: {{size: [0.2 m, 0.1 m], points: [5, 4]}}}}
bodies:
  - {{shape: sphere, name: ball, radius: 0.05, position: [0, -0.2, 0]}}
yarns:
  - name: thin
    line: {{from: [0, 1 m, 0], to: [0.1 m, 1 m, 0], segments: 6}}
    radius: 0.5 mm
"""


def save(path, text):
    with open(path, "w") as out:
        out.write(text)


def read(path):
    with open(path) as stream:
        return stream.read()


def samples():
    """Files of all kinds, made once."""
    if not os.path.exists("curves.usda"):
        save("rings.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2\nl 2 3\nl 3 1\nv 0 0 1 1 0 0\nv 1 0 1 1 0 0\nv 2 1 1 1 0 0\n"
             "v 3 0 2 0 1 0\nv 4 0 2 0 1 0\nl 4 5\nl 5 6\nl 7 8\n")
        heddle("convert", "rings.obj", "rings.usda", "--radius", "2 mm")
        heddle("convert", os.path.join(DATA, "corner.yarns"), "curves.usda", "--scale", "1 cm")
        heddle("convert", os.path.join(DATA, "cell.pyp"), "cell.usda", "--tiles", "2x2")
        heddle("convert", os.path.join(SOURCE, "scenes", "skirt.json"), "welded.usda", "--garment", "welded", "--size", "8cm")
        heddle("convert", os.path.join(SOURCE, "scenes", "skirt.json"), "placed.usda", "--size", "8cm")
        save("mixed.yaml", MIXED.format(duration="0.03 s", step="1/200 s", interval="1/100 s"))
        heddle("run", "mixed.yaml", "-o", "mixed", "--quiet")
        heddle("convert", "mixed", "mixed.usda")
    return ["rings.usda", "curves.usda", "cell.usda", "welded.usda", "placed.usda", "mixed.usda"]


def test_all_that_is_written_passes():
    stages = {path: check_usda(read(path)) for path in samples()}
    rings = stages["rings.usda"]["prims"]
    check(set(rings) == {"rings_open", "rings_closed"}, rings)
    width = rings["rings_open"].attributes["widths"]
    check(width["metadata"]["interpolation"] == "constant" and abs(width["value"][0] - 0.004) < 1e-9, width)
    check(rings["rings_open"].attributes["primvars:displayColor"]["value"] == [(1, 0, 0), (0, 1, 0)], "colours of OBJ")
    curves = next(iter(stages["curves.usda"]["prims"].values()))
    width = curves.attributes["widths"]  # the file has yarns of two radii
    check(width["metadata"]["interpolation"] == "vertex" and len(set(width["value"])) == 2, width)
    mixed = stages["mixed.usda"]["prims"]
    check({prim.type for prim in mixed.values()} == {"Mesh", "BasisCurves"}, mixed)
    st = mixed["cloth"].attributes["primvars:st"]
    check(st["metadata"]["interpolation"] == "vertex" and max(u for u, _ in st["value"]) > 0.1999, st)
    check(max(v for _, v in st["value"]) < 0.1001, "metres of the cloth")
    st = stages["welded.usda"]["prims"]["garment"].attributes["primvars:st"]
    check(st["metadata"]["interpolation"] == "faceVarying", "panels meet in welded vertices")


def test_places_in_the_pattern_keep_lengths():
    """A garment's triangles have in the pattern the sides that they have flat: panels lie placed as they were cut."""
    for prim in check_usda(read(samples()[4]))["prims"].values():
        points, st = prim.attributes["points"]["value"], prim.attributes["primvars:st"]["value"]
        corners = [int(i) for i in prim.attributes["faceVertexIndices"]["value"]]
        for a, b in zip(corners[0::3], corners[1::3]):
            flat = sum((x - y) ** 2 for x, y in zip(st[a], st[b])) ** 0.5
            placed = sum((x - y) ** 2 for x, y in zip(points[a], points[b])) ** 0.5
            check(abs(flat - placed) < 1e-5, f"{prim.name}: {flat} m in the pattern, {placed} m in space")  # of 1 m in floats


def test_frame_rates():
    """Frames per second, and codes: whole but for a last frame that comes sooner."""
    for interval, step, duration, rate, last in (("1/100 s", "1/200 s", "0.03 s", 100, 3), ("1/24 s", "1/240 s", "0.125 s", 24, 3),
                                                 ("1/30 s", "1/300 s", "0.1 s", 30, 3), ("0.04 s", "0.01 s", "0.1 s", 25, 2.5),
                                                 ("1/60 s", "1/240 s", "0.05 s", 60, 3), ("0.5 s", "0.05 s", "0.6 s", 2, 1.2)):
        save("rate.yaml", MIXED.format(duration=duration, step=step, interval=interval))
        heddle("run", "rate.yaml", "-o", "rate", "--force", "--quiet")
        heddle("convert", "rate", "rate.usda", "--force")
        stage = check_usda(read("rate.usda"))
        check(stage["framesPerSecond"] == rate, f"{interval}: {stage['framesPerSecond']}")
        check(abs(stage["endTimeCode"] - last) < 1e-9, f"{interval}: {stage['endTimeCode']}")
        codes = [t for t, _ in stage["prims"]["cloth"].attributes["points.timeSamples"]["value"]]
        check(codes[:-1] == list(range(len(codes) - 1)), codes)


# What must be refused wherever it can be done: (pattern, replacement).
CHANGES = [
    (r'(widths = [^\n]*\n\s*interpolation = )"\w+"', r'\1"uniform"'),
    (r'(widths = [^\n]*\n\s*interpolation = )"\w+"', r'\1"faceVarying"'),
    (r"(widths = \[)[^\]]*\]", r"\1]"),
    (r"(widths = \[)", r"\1-1, "),
    (r"(widths = \[)", r"\g<1>0.001, "),
    (r"(curveVertexCounts = \[)", r"\g<1>2, "),
    (r"(curveVertexCounts = \[)\d+", r"\g<1>1"),
    (r'(basis = )"catmullRom"', r'\1"bezier"'),
    (r'(basis = )"catmullRom"', r'\1"hermit"'),
    (r'(wrap = )"\w+"', r'\1"closed"'),
    (r'(type = )"cubic"', r'\1"curved"'),
    (r"uniform token", "token"),
    (r"(displayColor = \[\()", r"\1 2, 0, 0), ("),
    (r"(displayColor = \[\()[^,]*", r"\g<1>1.5"),
    (r"(primvars:st = \[)", r"\1(0, 0), "),
    (r'(primvars:st = [^\n]*\n\s*interpolation = )"\w+"', r'\1"uniform"'),
    (r"(point3f\[\] points = \[)\([^)]*\), ", r"\1"),
    (r"(\n\s+0: \[)\([^)]*\), ", r"\1"),
    (r"(point3f\[\] points = \[\()[^,]*", r"\1inf"),
    (r"(point3f\[\] points = \[\()[^,]*", r"\g<1>1e39"),
    (r"(float3\[\] extent = \[\()[^,]*", r"\g<1>-1e6"),
    (r"(faceVertexCounts = \[)3", r"\g<1>2"),
    (r"(faceVertexIndices = \[)\d+", r"\g<1>99999999"),
    (r"(faceVertexIndices = \[)\d+", r"\1-1"),
    (r'(subdivisionScheme = )"none"', r'\1"no"'),
    (r"timeCodesPerSecond = \S+", "timeCodesPerSecond = 33.3333"),
    (r"framesPerSecond = \S+", "framesPerSecond = 0"),
    (r"endTimeCode = \S+", "endTimeCode = 1000"),
    (r'defaultPrim = "World"', 'defaultPrim = "Nothing"'),
    (r'upAxis = "Y"', 'upAxis = "X"'),
    (r"metersPerUnit = 1", "metersPerUnit = -1"),
    (r'(def (?:Mesh|BasisCurves) )"', r'\1"1'),
    (r"\}\n\Z", ""),
    (r"#usda", "#usd"),
]


def test_changes_are_refused():
    """Each change is made in every file where it can be, and is refused there."""
    used = set()
    for path in samples():
        text = read(path)
        for number, (pattern, replacement) in enumerate(CHANGES):
            changed = re.sub(pattern, replacement, text, count=1)
            if changed == text:
                continue
            used.add(number)
            try:
                check_usda(changed)
            except Wrong:
                continue
            raise AssertionError(f"{path}: {pattern} -> {replacement} passes")
    check(len(used) == len(CHANGES), f"never used: {[CHANGES[i] for i in set(range(len(CHANGES))) - used]}")


def test_lost_bytes_are_refused():
    """A sign or a digit that is lost at random: brackets, commas and names are all needed."""
    text = read("rings.usda")
    draw = random.Random(1)
    places = [m.start() for m in re.finditer(r"[\[\](){}=\"]", text)]
    for place in draw.sample(places, 150):
        try:
            check_usda(text[:place] + text[place + 1:])
        except Wrong:
            continue
        raise AssertionError(f"without '{text[place]}' at {place} it passes: {text[place - 40:place + 40]!r}")


if __name__ == "__main__":
    main(globals())
