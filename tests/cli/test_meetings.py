#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""heddle info RUN --intersections sees every pair of kinds, in every frame."""
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

HEAD = """heddle: 1
duration: 0.08 s
step: {{size: 2 ms}}
output: {{frame_interval: 10 ms}}
world: {{self_collision: {collides}, yarn_contact: {collides}}}
"""
SHEET = """sheets:
  - {{name: sheet, thickness: 1 mm, grid: {{size: [2 cm, 2 cm], points: [9, 9], origin: [-1 cm, {y} cm, -1 cm]}}}}
"""
WEAVE = """  - name: cloth
    model: sliding
    weave: {{pattern: plain, ends: 10, picks: 10, sett: [6 1/cm, 6 1/cm], warp: 120 tex, position: [0, {y} cm, 0],
      rotation: [-75 deg, 0, 0]}}
    sliding: {{stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 mN}}
"""
ROD = """  - {{name: rod, line: {{from: [-8 mm, {y} cm, 0.7 mm], to: [8 mm, {y} cm, 1 mm], segments: 8}}, radius: 0.3 mm,
     linear_density: 300 tex, stretch: 20 N, bend: 5e-9 N*m^2, twist: 5e-9 N*m^2}}
"""
BAR = """  - {{name: bar, line: {{from: [0.3 mm, {y} cm, -8 mm], to: [0, {y} cm, 8 mm], segments: 8}}, radius: 0.3 mm,
     linear_density: 300 tex, stretch: 20 N, bend: 5e-9 N*m^2, twist: 5e-9 N*m^2}}
"""
HOLD_SHEET = "pins: [{{sheet: sheet, where: left}}, {{sheet: sheet, where: right}}]\n"
HOLD_BAR = "pins: [{{yarns: bar, where: ends}}]\n"
PAIRS = {
    "rod on sheet": SHEET.replace("{y}", "0") + "yarns:\n" + ROD.replace("{y}", "0.2") + HOLD_SHEET,
    "weave on sheet": SHEET.replace("{y}", "0") + "yarns:\n" + WEAVE.replace("{y}", "0.6") + HOLD_SHEET,
    "weave on bar": "yarns:\n" + WEAVE.replace("{y}", "0.6") + BAR.replace("{y}", "0") + HOLD_BAR,
    "rod on bar": "yarns:\n" + ROD.replace("{y}", "0.3") + BAR.replace("{y}", "0") + HOLD_BAR,
}


def look(name, collides):
    directory = f"{name.replace(' ', '-')}-{collides}"
    with open(f"{directory}.yaml", "w", encoding="utf-8") as file:
        file.write((HEAD + PAIRS[name]).format(collides=str(collides).lower()))
    heddle("run", f"{directory}.yaml", "-o", directory, "--quiet")
    result = heddle("info", directory, "--intersections", "--json", code=0 if collides else 1)
    return json.loads(result.stdout)


def test_every_pair():
    for name in PAIRS:
        found = look(name, True)
        check(found["frames"] == 9, found)
        check(found["frames_with_intersections"] == found["frames_with_rods_passed"] == 0, f"{name}: {found}")
        found = look(name, False)
        check(found["frames_with_intersections"] + found["frames_with_rods_passed"] > 0, f"{name}: {found}")


def test_bodies():
    """Yarns that are pushed into a body by pins are counted in all frames, not in the last alone."""
    with open("bodies.yaml", "w", encoding="utf-8") as file:
        file.write((HEAD + "yarns:\n" + BAR.replace("{y}", "1") + """bodies:
  - {{shape: sphere, radius: 3 mm, overlap: push, keyframes: [
      {{time: 0, position: [0, 3 cm, 0]}}, {{time: 40 ms, position: [0, 1 cm, 0]}},
      {{time: 80 ms, position: [0, -2 cm, 0]}}]}}
pins: [{{yarns: bar, box: {{min: [-1, -1, -1], max: [1, 1, 1]}}}}]
""").format(collides="true"))
    heddle("run", "bodies.yaml", "-o", "bodies", "--quiet")
    found = json.loads(heddle("info", "bodies", "--intersections", "--json").stdout)
    check(found["last_pairs_with_bodies"] == 0 and found["frames_with_bodies_met"] > 0, found)


if __name__ == "__main__":
    main(globals())
