#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weaves of rods that come apart say so, and friction holds them."""
import csv
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SCENE = """heddle: 1
duration: 1 s
threads: 1
step: {{size: 1/10 s, integrator: quasi-static}}
output: {{frame_interval: 1/10 s}}
world: {{gravity: [0, 0, 0], yarn_friction: {friction}}}
yarns:
  - name: cloth
    model: {model}
    weave: {{pattern: plain, ends: 3, picks: 3, sett: [8 1/cm, 8 1/cm], warp: 60 tex, weft: 60 tex, points: 4{more}}}
    stretch: 10 N
    bend: 5e-9 N*m^2
    {rest}
pins:
  - {{name: hold, box: {{min: [-1, -1, -1], max: [1, 1, 1]}}}}
measure: [{{kind: extent, name: size}}]
"""
# Pulled along the warp, with the picks free: what holds a pick in the cloth is friction.
PULL = """heddle: 1
duration: 1 s
threads: 1
step: {{size: 1/25 s, integrator: quasi-static}}
output: {{frame_interval: 1/25 s}}
world: {{gravity: [0, 0, 0], yarn_friction: {friction}}}
yarns:
  - name: cloth
    weave: {{pattern: plain, ends: 6, picks: 10, sett: [8 1/cm, 8 1/cm], warp: 120 tex, weft: 120 tex, points: 4}}
    rest: start
    stretch: 10 N
    bend: 5e-9 N*m^2
    twist: 5e-9 N*m^2
pins:
  - {{name: hold, box: {{min: [-1, -1, -1], max: [1, -5.5 mm, 1]}}}}
  - {{name: jaw, box: {{min: [-1, 5.5 mm, -1], max: [1, 1, 1]}},
     keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 1 s, position: [0, 3.5 mm, 0]}}]}}
measure: [{{kind: gauge, name: test, pin: jaw}}]
"""


def run(name, text):
    with open(f"{name}.yaml", "w") as file:
        file.write(text)
    said = heddle("run", f"{name}.yaml", "-o", name, "--force", "--threads", "1")
    with open(f"{name}/summary.json") as file:
        summary = json.load(file)
    with open(f"{name}/measure.csv") as file:
        rows = list(csv.DictReader(file))
    return said.stdout + said.stderr, summary, rows


def test_friction_holds_picks():
    """Statics: without friction outer picks come off the outer ends; with it none does, and the more
    friction, the more force it takes."""
    said, summary, _ = run("smooth", PULL.format(friction=0))
    check(summary["gone_count"] > 0 and "comes apart" in said, f"{summary}: {said}")
    check("pick " in summary["gone_yarns"] and "has come off end" in summary["gone"], str(summary))
    check(said.count("comes apart") == 1 and "crossings have come apart" in said, said)
    check(summary["gone_yarns"] in said, said)
    said, summary, rows = run("rough", PULL.format(friction=0.3))
    check("gone_count" not in summary and "apart" not in said, f"{summary}: {said}")


def test_a_yarn_that_is_pulled_out():
    """A pin takes end 1 away to the left: it goes past the ends of all three picks, and of nothing else."""
    text = SCENE.format(friction=0, model="rod", rest="rest: start", more="")
    # A thread has 13 vertices: 9 from crossing to crossing and 2 in each tail.
    moved = (f"pins:\n  - {{name: hold, vertices: {list(range(13, 39))}}}\n"
             f"  - {{name: jaw, vertices: {list(range(13))},\n"
             "     keyframes: [{time: 0, position: [0, 0, 0]}, {time: 1 s, position: [-3 mm, 0, 0]}]}\n")
    start, end = text.index("pins:"), text.index("measure:")
    for model in ("rod", "spline"):
        one = (text[:start] + moved + text[end:]).replace("model: rod", f"model: {model}")
        if model == "spline":
            one = one.replace("rest: start", "rest: straight")
        said, summary, _ = run(f"out-{model}", one)
        check(summary.get("gone_count") == 3, f"{model}: {summary}")
        check("end 1" in summary["gone"], str(summary))


def test_what_holds_is_not_lost():
    for more in ("", ", selvedge: turned"):
        said, summary, _ = run("held", SCENE.format(friction=0, model="rod", rest="rest: start", more=more))
        check("gone_count" not in summary and "apart" not in said, str(summary))


if __name__ == "__main__":
    main(globals())
