#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Seams of sliding yarns slip: threads run out of the allowance beyond the line of stitches."""
import csv
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

ENDS, PICKS = 4, 10
PRESS = 1e-3  # N

# Stitches hold one pick, through which the warp may run; jaws pull at the other edge.
SCENE = """heddle: 1
duration: 0.4 s
step: {{size: 4 ms}}
world: {{gravity: [0, 0, 0]}}
output: {{frame_interval: 4 ms}}
yarns:
  - name: cloth
    model: sliding
    weave: {{pattern: plain, ends: 4, picks: 10, sett: [10 1/cm, 10 1/cm], warp: 30 tex,
            weft: 30 tex}}
    sliding: {{friction: {friction}, crossing_preload: 1 mN, bend: 1e-11 N*m^2, stretch: 3 N}}
pins:
  - {{name: seam, box: {{min: [-1, {low} mm, -1], max: [1, {high} mm, 1]}}}}
  - name: jaw
    where: top
    clamp: true
    keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 0.4 s, position: [0, 8 mm, 0]}}]
measure:
  - {{kind: reaction, name: pull, pin: jaw}}
"""


def slip(allowance, friction):
    """N, the largest pull of the jaws, and what was reported as gone."""
    name = f"seam-{allowance}-{friction}"
    y = allowance - 0.5 * (PICKS - 1)  # mm, of the pick that is held
    with open(f"{name}.yaml", "w") as file:
        file.write(SCENE.format(friction=friction, low=y - 0.3, high=y + 0.3))
    said = heddle("run", f"{name}.yaml", "-o", name, "--threads", "1")
    with open(f"{name}/measure.csv") as file:
        rows = list(csv.DictReader(file))
    with open(f"{name}/summary.json") as file:
        summary = json.load(file)
    check("slid out" in said.stdout + said.stderr, f"{name}: not said: {said.stdout}")
    # Before the first step the jaws have their speed already, but nothing has moved: yarns are as long
    # as at rest, and damping counts nothing.
    check(abs(float(rows[0]["pull_y"])) < 1e-9, f"{name}: at the start {rows[0]}")
    return max(abs(float(row["pull_y"])) for row in rows), summary.get("gone_count", 0)


def test_slips_by_friction_and_allowance():
    """Coulomb: each end is held by its crossings with the picks of the allowance and the stitched
    one. What the ends' own pull adds to the press on their way over and under is 1 to 2 % here."""
    seen = {}
    for allowance, friction in ((2, 0.2), (4, 0.2), (2, 0.4)):
        force, gone = slip(allowance, friction)
        crossings = ENDS * (allowance + 1)
        expected = friction * PRESS * crossings
        print(f"allowance {allowance}, friction {friction}: {force:.4g} N, {gone} crossings gone")
        check(expected < force < 1.03 * expected, f"{force} N, expected {expected} N")
        check(gone == crossings, f"{gone} crossings have come apart, of {crossings}")
        seen[allowance, friction] = force
    check(seen[2, 0.2] < min(seen[4, 0.2], seen[2, 0.4]), f"no rise: {seen}")


# Two pieces, each with the stitches two picks from its edge; the upper one is pulled.
SEWN = """heddle: 1
duration: 0.4 s
step: {{size: 4 ms}}
world: {{gravity: [0, 0, 0]}}
output: {{frame_interval: 4 ms}}
yarns:
  - name: lower
    model: sliding
    weave: {{pattern: plain, ends: 4, picks: 10, sett: [10 1/cm, 10 1/cm], warp: 30 tex, weft: 30 tex}}
    sliding: {{friction: 0.2, crossing_preload: 1 mN, bend: 1e-11 N*m^2, stretch: 3 N}}
  - name: upper
    model: sliding
    weave: {{pattern: plain, ends: 4, picks: 10, sett: [10 1/cm, 10 1/cm], warp: 30 tex, weft: 30 tex,
            position: [0, 8 mm, 0]}}
    sliding: {{friction: 0.3, crossing_preload: 1 mN, bend: 1e-11 N*m^2, stretch: 3 N}}
pins:
  - {{name: floor, yarns: lower, where: bottom, clamp: true}}
  - name: jaw
    yarns: upper
    where: top
    clamp: true
    keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 0.4 s, position: [0, 8 mm, 0]}}]
measure:
  - {{kind: reaction, name: pull, pin: jaw}}
glue:
{stitches}
"""


def sew(name, strength):
    """N, the largest pull on two pieces that are sewn together, and how many crossings are gone. Nodes of a
    warp thread: its lower end, ten crossings, its upper end."""
    stitches = [f"  - {{yarns: lower, vertex: {12 * e + 8}, other: upper, other_vertex: {12 * e + 3}, "
                f"strength: {strength}}}" for e in range(ENDS)]
    with open(f"{name}.yaml", "w") as file:
        file.write(SEWN.format(stitches="\n".join(stitches)))
    heddle("run", f"{name}.yaml", "-o", name, "--threads", "1")
    with open(f"{name}/measure.csv") as file:
        rows = list(csv.DictReader(file))
    with open(f"{name}/summary.json") as file:
        summary = json.load(file)
    return max(abs(float(row["pull_y"])) for row in rows), summary.get("gone_count", 0)


def test_two_pieces_sewn_to_each_other():
    """The piece with the lower friction slips: four ends, each held by two picks and the stitched one, at
    0.2 mN a crossing. The ends' own pull adds 1 to 2 %, as above."""
    expected = 0.2 * PRESS * 3 * ENDS
    force, gone = sew("sewn", "none")
    print(f"{force:.4g} N, {gone} crossings gone")
    check(expected < force < 1.03 * expected, f"{force} N, expected {expected} N")
    check(gone == 3 * ENDS, f"{gone} crossings have come apart")


def test_stitches_break():
    """Four stitches that bear 0.4 mN each, and the step in which they are pulled by more: 80 um of travel,
    that stretches 8 mm of four ends of 3 N by at most 0.12 N; friction passes on 0.2 mN a crossing of it."""
    force, gone = sew("torn", "0.4 mN")
    print(f"{force:.4g} N")
    check(gone == 0, f"{gone} crossings have come apart")
    check(ENDS * 0.4e-3 < force < ENDS * 0.6e-3, f"{force} N at the break")


if __name__ == "__main__":
    main(globals())
