#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From drafts, charts and programs to relaxed yarns in one go; fabrics without edges; scenes as files."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

DATA = os.path.join(os.environ["SOURCE_DIR"], "tests", "data")
PERIODIC = """heddle: 1
duration: 0.2 ms
step: {size: 0.05 ms}
output: {frame_interval: 0.1 ms}
yarns:
  - name: swatch
    knit: {pattern: stockinette, rows: 2, stitches: 2, count: 300 tex, points: 12, periodic: true, relax: {}}
    stretch: 10 N
    bend: 1e-8 N*m^2
"""


def write(path, text):
    with open(path, "w") as stream:
        stream.write(text)


def facts(path):
    return json.loads(heddle("info", path, "--json").stdout)


def test_relaxed_in_one_go():
    """The crossings of the relaxed yarns are those of the yarns as they were drawn: linking proves it."""
    os.environ["HEDDLE_CACHE"] = ""
    write("small.knit", "co 4\nk*\np*\nbo*\n")
    few = ("--relax-set", "iterations=150")
    for source, settings in ((os.path.join(DATA, "point-twill.wif"), ("--weave", "ends=4", "--weave", "picks=4")),
                             ("small.knit", ("--knit", "points=12")),
                             (os.path.join(DATA, "lace.ks"), ("--knit", "points=12")),
                             (os.path.join(DATA, "tube.k"), ("--knit", "points=12"))):
        heddle("convert", source, "drawn.bcc", "--force", *settings)
        done = heddle("convert", source, "relaxed.bcc", "--force", *settings, *few)
        check("relaxed" in done.stderr and "150 iterations" in done.stderr, done.stderr)
        drawn, relaxed = facts("drawn.bcc"), facts("relaxed.bcc")
        check(drawn["curves"] == relaxed["curves"] and drawn["points"] == relaxed["points"], (drawn, relaxed))
        linking = json.loads(heddle("info", "drawn.bcc", "relaxed.bcc", "--linking", "--json", code=None).stdout)
        check(linking["linking"] != "changed" and linking.get("jumps", 0) == 0, linking)
    done = heddle("convert", "small.knit", "quiet.usda", "--relax", "--knit", "points=12")
    check("relaxed in" in done.stderr, done.stderr)  # not "but not quiet"


def test_settings_refused():
    write("small.knit", "co 4\nk*\n")
    write("scene.yaml", PERIODIC)
    for words, message in ((("small.knit", "--relax-set", "friktion=1"), "--relax-set needs KEY=VALUE"),
                           (("small.knit", "--relax-set", "friction=x"), "friction needs a number, got 'x'"),
                           (("small.knit", "--relax-set", "iterations=0"), "from 1 to 100000000, got '0'"),
                           (("small.knit", "--relax-set", "friction=-1"), "friction"),
                           (("small.knit", "--set", "a=1"), "--set is for scenes"),
                           (("scene.yaml", "--relax"), "scenes say it by 'relax'"),
                           (("scene.yaml", "--scale", "2"), "is a scene"),
                           (("scene.yaml", "--tiles", "2000x1"), "from 1 to 1000")):
        source, *more = words
        done = heddle("convert", source, "out.usda", *more, code=2)
        check(message in done.stderr, (words, done.stderr))
        check(not os.path.exists("out.usda"), "nothing is written")


def test_fabric_without_edges():
    os.environ["HEDDLE_CACHE"] = "cache"
    write("scene.yaml", PERIODIC)
    heddle("convert", "scene.yaml", "one.bcc")
    heddle("convert", "scene.yaml", "piece.bcc", "--tiles", "3x2")
    one, piece = facts("one.bcc"), facts("piece.bcc")
    check(one["curves"] == 2 and piece["curves"] == 4, (one, piece))  # a yarn for each row
    # Straight pieces between single-precision points; six repeats have six times the yarn.
    check(abs(piece["length"] / one["length"] - 6) < 1e-4, (one, piece))
    heddle("run", "scene.yaml", "-o", "whole", "-q")
    heddle("run", "scene.yaml", "-o", "parts", "-q", "--duration", "0.1ms")
    heddle("run", "scene.yaml", "-o", "parts", "-q", "--resume")
    with open("whole/energy.csv") as whole, open("parts/energy.csv") as parts:
        check(whole.read() == parts.read(), "a run in parts is the same run")
    done = heddle("run", "scene.yaml", "-o", "no", "--set", "step.integrator=implicit-euler", code=2)
    check("'integrator' must be explicit with 'periodic' yarns" in done.stderr, done.stderr)
    check(not os.path.exists("no"), "nothing is written")


DAMPED = """heddle: 1
duration: 0.04 ms
step: {integrator: verlet, size: 0.005 ms}
output: {frame_interval: 0.01 ms}
world: {yarn_friction: 0.3, nonrigid_rate: 100 1/s, nonrigid_slowing: 0.1 m/s^2, nonrigid_pair_rate: 300 1/s}
yarns:
  - {name: knit, knit: {pattern: garter, rows: 5, stitches: 6, points: 16}}
  - name: weave
    weave: {pattern: plain, ends: 6, picks: 6, sett: [500 1/m, 500 1/m], warp: 100 tex, position: [0, 0, 2 cm]}
"""


def test_blocks_of_stitches_damp():
    """Blocks are made again when a run goes on: the same run. They are not the pieces of yarn."""
    write("calm.yaml", DAMPED)
    heddle("run", "calm.yaml", "-o", "calm", "-q", "--threads", "2")
    heddle("run", "calm.yaml", "-o", "calm-parts", "-q", "--duration", "0.02ms", "--threads", "1")
    heddle("run", "calm.yaml", "-o", "calm-parts", "-q", "--resume", "--threads", "1")
    heddle("run", "calm.yaml", "-o", "along", "-q", "--set", "yarns.knit.nonrigid_stitches=0")
    texts = []
    for name in ("calm", "calm-parts", "along"):
        with open(name + "/energy.csv") as stream:
            texts.append(stream.read())
    check(texts[0] == texts[1], "a run in parts is the same run")
    check(texts[0] != texts[2], "blocks make a difference")


def test_draft_without_edges():
    source = os.path.join(DATA, "point-twill.wif")
    heddle("convert", source, "cell.bcc", "--weave", "periodic=true")
    heddle("convert", source, "cells.bcc", "--weave", "periodic=true", "--tiles", "2x2")
    one, four = facts("cell.bcc"), facts("cells.bcc")
    check(four["curves"] == 2 * one["curves"], (one, four))  # threads run through
    check(abs(four["length"] / one["length"] - 4) < 1e-4, (one, four))
    heddle("convert", source, "no.bcc", "--tiles", "2x2", code=2)  # this one ends at its edges


def test_scene_as_a_file():
    """Sheets, bodies and yarns of a scene, where they start."""
    write("scene.yaml", """heddle: 1
duration: 10 ms
sheets: [{name: cloth, grid: {size: [1 m, 1 m], points: [3, 3], origin: [0, 0, 0]}}]
yarns: [{name: cord, line: {from: [0, 1, 0], to: [1, 1, 0], segments: 4}}]
bodies: [{name: ball, shape: sphere, radius: 10 cm, position: [0, -3, 0]}]
""")
    heddle("convert", "scene.yaml", "scene.usda", "--set", "sheets.0.grid.points=[4, 4]")
    with open("scene.usda") as stream:
        text = stream.read()
    for name in ('"cloth"', '"cord"', '"ball"'):
        check(name in text, name)
    heddle("convert", "scene.yaml", "scene.obj")
    with open("scene.obj") as stream:
        lowest = min(float(line.split()[2]) for line in stream if line.startswith("v "))
    check(abs(lowest + 3.1) < 1e-3, lowest)  # the ball's lowest vertex, where it stands
    heddle("convert", "scene.yaml", "scene.obj", code=2)  # it is there


if __name__ == "__main__":
    main(globals())
