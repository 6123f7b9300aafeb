#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Notes about large output: said before it is written, about right, and only if it is large."""
import json
import os
import re
import struct

from support import check, heddle, main

NOTE = re.compile(r"heddle: note: (\S+): ([0-9.e+]+) million points, about ([0-9.e+]+) MB will be written(; .*)?\n")

# A frame is 200 x 200 points of three numbers of eight bytes, and of a float for each quantity.
POINTS = 200
SCENE = """\
heddle: 1
name: wide
duration: {frames} ms
world: {{gravity: [0, 0, 0]}}
step: {{size: 1 ms, integrator: symplectic-euler}}
output: {{frame_interval: 1 ms, quantities: [{quantities}]}}
sheets:
  - {{name: cloth, grid: {{size: [200 m, 200 m], points: [{points}, {points}]}}}}
"""


def write_scene(name, frames, quantities=""):
    with open(name, "w") as out:
        out.write(SCENE.format(frames=frames, quantities=quantities, points=POINTS))


def bytes_in(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(path) for name in names)


def note_of(result):
    """(path, million points, MB, the way out) of the one note there is."""
    found = NOTE.findall(result.stderr)
    check(len(found) == 1, f"{len(found)} notes in {result.stderr!r}")
    return found[0][0], float(found[0][1]), float(found[0][2]), found[0][3]


def check_points(millions, frames):
    """The note comes after the first step, when a frame or two of these are written already."""
    frame = 1e-6 * POINTS**2
    digits = 0.005  # three are printed
    check(-2 * frame - digits < millions - frames * frame < digits, f"{millions} million points, {frames} frames")


def test_run():
    write_scene("wide.yaml", 60)
    result = heddle("run", "wide.yaml", "-o", "wide")
    path, points, megabytes, way_out = note_of(result)
    check(path == "wide" and "longer output.frame_interval" in way_out, result.stderr)
    check("output.quantities" not in way_out, "there are none")
    check_points(points, 61)
    # The checkpoints, about a frame each and a bit, are not counted, nor the first two frames.
    check(0.9 < 1e-6 * bytes_in("wide") / megabytes < 1.1, f"{bytes_in('wide')} bytes, {megabytes} MB were told")
    facts = json.loads(heddle("check", "wide.yaml", "--json").stdout)
    check(abs(1e-6 * facts["disk_bytes"] - megabytes) < 2.5 and facts["frames"] == 61, "check says the same of 61 frames")


def test_run_that_goes_on():
    """Only what is still to be written counts; a small rest is not worth a note."""
    write_scene("more.yaml", 10)
    check("will be written" not in heddle("run", "more.yaml", "-o", "more").stderr, "10 frames are 10 MB")
    path, points, _, _ = note_of(heddle("run", "more.yaml", "-o", "more", "--resume", "--duration", "70ms"))
    check(path == "more", path)
    check_points(points, 71 - 11)
    check("will be written" not in heddle("run", "more.yaml", "-o", "more", "--resume", "--duration", "72ms").stderr,
          "two frames")


def test_quiet():
    write_scene("quiet.yaml", 60)
    check(heddle("run", "quiet.yaml", "-o", "quiet", "--quiet").stderr == "", "--quiet says nothing")


def test_page_and_convert():
    write_scene("color.yaml", 60, "strain, tension, curvature, contact, damping, speed")
    _, _, megabytes, way_out = note_of(heddle("run", "color.yaml", "-o", "color"))
    check(megabytes > 59 * POINTS**2 * 48e-6 and "fewer output.quantities" in way_out, "24 + 6 times 4 bytes a point")
    check(0.9 < 1e-6 * bytes_in("color") / megabytes < 1.1, f"{bytes_in('color')} bytes, {megabytes} MB were told")
    # Nothing moves: a byte for each number of a position, and a third more as text. Positions come once by themselves,
    # then with each of the six values, so that a point takes 27 bytes or more, and 3 without values.
    path, _, megabytes, way_out = note_of(heddle("export", "color", "--html", "still.html"))
    check(path == "still.html" and "--no-values" in way_out, way_out)
    check(megabytes > 61 * POINTS**2 * 36e-6, f"{megabytes} MB were told")
    check(abs(1e-6 * bytes_in(path) / megabytes - 1) < 0.05, f"{bytes_in(path)} bytes, {megabytes} MB were told")
    check("will be written" not in heddle("export", "color", "--html", "bare.html", "--no-values").stderr, "10 MB")
    result = heddle("convert", "color", "all.usda")
    path, _, megabytes, way_out = note_of(result)
    check(path == "all.usda" and way_out == "; --frame writes fewer frames", result.stderr)


def test_page():
    """Points that lie at random take 3 times 3 or 4 bytes, and a third more as text."""
    state, points = 1, []
    for _ in range(3 * 1200):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        points.append((state >> 33) * 2.0**-31)
    block = struct.pack(f"<i{len(points)}f", len(points) // 3, *points)
    with open("wild.bcc", "wb") as out:
        curves = 3000
        out.write(struct.pack("<4s2sBBQQ40x", b"BCCD", b"C0", 3, 1, curves, curves * len(points) // 3))
        out.write(block * curves)
    for verb in (("export", "wild.bcc", "--html", "wild.html"), ("convert", "wild.bcc", "again.html")):
        path, points_told, megabytes, way_out = note_of(heddle(*verb, "--radius", "1mm"))
        check(abs(points_told - 3.6) < 0.01 and path == verb[-1], f"{points_told} million points")
        check("--no-values" in way_out and ("--every" in way_out), way_out)
        check(abs(1e-6 * bytes_in(path) / megabytes - 1) < 0.01, f"{bytes_in(path)} bytes, {megabytes} MB were told")
        os.remove(path)
    path, _, megabytes, way_out = note_of(heddle("convert", "wild.bcc", "wild.ply"))
    check(way_out == "; a .bcc file has about 43.2 MB", way_out)
    check(0.5 < 1e-6 * bytes_in(path) / megabytes < 2, f"{bytes_in(path)} bytes, {megabytes} MB were told")
    check("will be written" not in heddle("convert", "wild.bcc", "small.bcc").stderr, "43 MB are not much")


if __name__ == "__main__":
    main(globals())
