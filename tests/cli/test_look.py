#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looking before running: overlaps told by check, boxes told by info, pictures of scenes and garments; nothing
comes to rest for it."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from png import read_png
from support import check, heddle, main

SCENE = """\
heddle: 1
name: meeting
world: {self_collision: true}
sheets:
  - {name: flat, grid: {size: [0.5 m, 0.5 m], points: [11, 11]}}
  - {name: up, grid: {size: [0.3 m, 0.3 m], points: [7, 7], origin: [-0.15, 0.16, 0.013], down: [0, -1, 0]}}
bodies:
  - {name: ball, shape: sphere, radius: 0.1, position: [0.2, 0, 0.2]}
  - {name: soft, shape: sphere, radius: 0.1, position: [-0.2, 0, 0.2], overlap: push}
pins:
  - {name: hold, sheet: flat, where: corners}
"""

GARMENT = {"pattern": {"panels": {
    "front": {"translation": [0, 0, 10], "rotation": [0, 0, 0],
              "vertices": [[0, 0], [20, 0], [20, 30], [0, 30]],
              "edges": [{"endpoints": [k, (k + 1) % 4]} for k in range(4)]}},
    "stitches": []}, "properties": {"units_in_meter": 100, "curvature_coords": "relative"}}


def write():
    with open("meeting.yaml", "w") as out:
        out.write(SCENE)


def test_all_overlaps_are_told():
    write()
    result = heddle("check", "meeting.yaml", "--json", code=2)
    facts = json.loads(result.stdout)
    check("inside body 'ball' at the start" in result.stderr and not facts["starts"], result.stderr)
    found = {(o["first"], o["second"]): o for o in facts["overlaps"]}
    check(sorted(found) == [("flat", "ball"), ("flat", "soft"), ("flat", "up")], sorted(found))
    # The nodes of a grid of 5 cm within less than 10 cm of one that is 5 cm from two edges: it and
    # the eight about it, as those two cells away lie on the sphere.
    ball = found["flat", "ball"]
    check(ball["count"] == 9 and abs(ball["depth"] - 0.1) < 1e-6 and ball["refused"], ball)
    check(not found["flat", "soft"]["refused"] and found["flat", "up"]["refused"], facts["overlaps"])
    # The upright sheet is 30 cm wide and crosses cells of 5 cm: at least six of them in one row.
    check(found["flat", "up"]["count"] >= 6, found["flat", "up"])
    check(facts["overlaps_left_out"] == 0, facts)
    text = heddle("check", "meeting.yaml", code=2).stdout
    check(text.count("overlap   ") == 3 and "a run begins nevertheless" in text, text)
    text = heddle("check", "meeting.yaml", "--set", "world.self_collision=false", "--set",
                  "bodies.ball.overlap=push").stdout
    check(text.count("a run begins nevertheless") == 3, text)


def test_boxes():
    write()
    facts = json.loads(heddle("info", "meeting.yaml", "--json").stdout)
    boxes = {part["name"]: part["box"] for part in facts["parts"]}
    check(all(abs(a - b) < 1e-12 for a, b in zip(boxes["up"]["size"], [0.3, 0.3, 0.0])), boxes)
    check(all(abs(a - b) < 1e-12 for a, b in zip(boxes["flat"]["low"], [-0.25, 0, -0.25])), boxes)
    check(all(abs(a - b) < 1e-12 for a, b in zip(facts["box"]["high"], [0.3, 0.16, 0.3])), facts["box"])
    text = heddle("info", "meeting.yaml").stdout
    check("box       up: -0.15 -0.14 0.013 to 0.15 0.16 0.013 m, size 0.3 x 0.3 x 0 m" in text, text)
    with open("panel.json", "w") as out:
        json.dump(GARMENT, out)
    facts = json.loads(heddle("info", "panel.json", "--json").stdout)
    check(all(abs(a - b) < 1e-9 for a, b in zip(facts["panels"][0]["box"]["size"], [0.2, 0.3, 0])), facts)


def test_a_scene_can_be_drawn():
    write()
    if "was built without" in heddle("render", "meeting.yaml", "-o", "a.png", "--size", "64x48", "--samples", "1",
                                     "--quiet", "--look", "flat", code=None).stderr:
        return
    heddle("render", "meeting.yaml", "-o", "b.png", "--size", "64x48", "--samples", "1", "--quiet", "--look", "flat",
           "--set", "pins=[]")
    check(read_png("a.png") != read_png("b.png"), "pins are marked")
    heddle("render", "panel.json", "-o", "c.png", "--size", "64x48", "--samples", "1", "--quiet")
    for words, message in ((("meeting.yaml", "--scale", "2"), "scenes say their own"),
                           (("panel.json", "--set", "a=1"), "nothing to set"),
                           (("c.png",), "a scene (.yaml, .yml, .json), a garment (.json)")):
        result = heddle("render", *words, "-o", "d.png", code=2)
        check(message in result.stderr, result.stderr)
    check(not os.path.exists("d.png"), "nothing is drawn")


def test_pages_of_scenes():
    write()
    result = heddle("export", "meeting.yaml", "--html", "page.html", "--set", "name=other", code=None)
    if "no viewer page" in result.stderr:
        return
    check(result.returncode == 0 and os.path.getsize("page.html") > 10000, result.stderr)


if __name__ == "__main__":
    main(globals())
