#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tensile tests between pins: the force is stiffness times strain, from the first row on."""
import csv
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

STRAIN = 0.05  # at the end, of each pull below

SHEET = """sheets:
  - name: cloth
    grid: {{size: [20 cm, 5 cm], points: [21, 6]}}
    stretch: 300 N/m
    shear: 0
    damping: {damping}
"""
ROD = """yarns:
  - name: cloth
    model: {model}
    line: {{from: [0, 0, 0], to: [12 cm, 16 cm, 0], segments: 10}}
    stretch: 20 N
    damping: {damping}
"""


def pins(way, wheres, backward=False):
    """The second pin goes the way; with backward the first one goes half of it, the other way."""
    def frames(part):
        there = [part * w for w in way]
        return f"keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 1 s, position: {there}}}]"

    first = f", {frames(-0.5)}" if backward else ""
    return (f"pins:\n  - {{name: hold, where: {wheres[0]}{first}}}\n"
            f"  - {{name: jaw, where: {wheres[1]}, {frames(0.5 if backward else 1.0)}}}\n")


def run(name, body, integrator="quasi-static", measure="{name: test, kind: gauge, pin: jaw}", code=0):
    with open(f"{name}.yaml", "w") as file:
        file.write(f"heddle: 1\nduration: 1 s\nthreads: 1\nstep: {{size: 1/20 s, integrator: {integrator}}}\n"
                   "output: {frame_interval: 1/4 s}\nworld: {gravity: [0, 0, 0]}\n"
                   f"{body}measure: [{measure}]\n")
    said = heddle("run", f"{name}.yaml", "-o", name, "--force", code=code)
    if code:
        return said.stderr
    with open(f"{name}/measure.csv") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def follows(rows, free, stiffness, close, viscous=0.0):
    """Each row: strain from the free length on, and the force that belongs to it. While the pins move
    the strain grows at STRAIN per second, and damping adds its time times that."""
    for row in rows:
        strain = STRAIN * row["time"]
        expected = stiffness * (strain + (viscous * STRAIN if row["time"] > 0.0 else 0.0))
        # Lengths are sums of a few roundings; forces are solved to `close`.
        check(abs(row["test_length"] - free * (1.0 + strain)) < 1e-12, f"{row}: length {free * (1 + strain)}")
        check(abs(row["test_force"] - expected) <= close, f"{row}: expected {expected} N")


def test_sheets():
    """Springs across do nothing: EA is the stiffness times the width. Either end, or both, may move."""
    for damping in ("0", "20 ms"):
        for backward in (False, True):
            body = SHEET.format(damping=damping) + pins([0.01, 0, 0], ("left", "right"), backward)
            # Statics: the solver leaves a thousandth of the largest force on a point at most.
            follows(run("sheet", body), 0.2, 300.0 * 0.05, 1e-3)
    # In motion damping counts, but not before it: 20 ms of the strain's rate. Waves along the strip
    # have died, of which the backward Euler rule takes nearly all.
    body = SHEET.format(damping="20 ms") + pins([0.01, 0, 0], ("left", "right"))
    rows = run("moving", body, "implicit-euler")
    follows(rows, 0.2, 300.0 * 0.05, 1e-3, 0.02)


def test_rods_along_an_oblique_axis():
    """The axis is the line between the pins, or is named, of any length and either way round."""
    way = [0.006, 0.008, 0]
    for axis in ("", ", axis: [3, 4, 0]", ", axis: [-0.3, -0.4, 0]"):
        measure = f"{{name: test, kind: gauge, pin: jaw{axis}}}"
        for damping in ("0", "20 ms"):
            body = ROD.format(model="rod", damping=damping) + pins(way, ("start", "end"))
            follows(run("rod", body, measure=measure), 0.2, 20.0, 1e-3)
    rows = run("rod", ROD.format(model="rod", damping="20 ms") + pins(way, ("start", "end")), "implicit-euler")
    follows(rows, 0.2, 20.0, 1e-6, 0.02)
    # Seen along x, the force and the way are those along the yarn times the cosine.
    rows = run("rod", ROD.format(model="rod", damping="0") + pins(way, ("start", "end")),
               measure="{name: test, kind: gauge, pin: jaw, axis: [1, 0, 0]}")
    check(abs(rows[-1]["test_force"] - 0.6 * 20.0 * STRAIN) < 1e-6, str(rows[-1]))
    check(abs(rows[-1]["test_length"] - (0.2 + 0.6 * 0.2 * STRAIN)) < 1e-12, str(rows[-1]))


def test_three_pins():
    """The middle is held: each half of the strip has the whole way, so twice the strain. What `from`
    names counts; without it there is a question."""
    body = SHEET.format(damping="20 ms") + pins([0.01, 0, 0], ("left", "right"))
    body += "  - {name: waist, box: {min: [-0.1 mm, -1, -1], max: [0.1 mm, 1, 1]}}\n"
    body = body.replace("points: [21, 6]}", "points: [21, 6], origin: [-10 cm, 0, 0]}")
    said = run("three", body, code=2)
    check("'from' is missing" in said and "three.yaml:" in said, said)
    rows = run("three", body, measure="{name: test, kind: gauge, pin: jaw, from: waist}")
    for row in rows:
        check(abs(row["test_length"] - 0.1 - 0.01 * row["time"]) < 1e-12, str(row))
        check(abs(row["test_force"] - 300.0 * 0.05 * 0.1 * row["time"]) < 2e-3, str(row))
    rows = run("three", body, measure="{name: test, kind: gauge, pin: waist, from: hold}")
    for row in rows:  # it pulls back with what the jaw pulls, and the first half feels nothing
        check(abs(row["test_force"] + 300.0 * 0.05 * 0.1 * row["time"]) < 2e-3, str(row))
        check(row["test_length"] == rows[0]["test_length"], str(row))


SLIDING = """yarns:
  - name: cloth
    model: sliding
    weave: {{pattern: {pattern}, ends: {ends}, picks: {picks}, sett: [10 1/cm, 10 1/cm], warp: 30 tex, weft: 30 tex}}
    sliding: {{stretch: 30 N, tail: {tail}, {friction}}}
pins:
  - {{name: hold, where: {wheres[0]}, clamp: {clamp}}}
  - {{name: jaw, where: {wheres[1]}, clamp: {clamp}, keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 1 s, position: {way}}}]}}
"""
SPACING = 1e-3  # m, of its threads
SMOOTH = "friction: 0, crossing_preload: 0"
# N: what is left of the force on each node, and along each yarn at it, when a step is at rest.
LEFT = 1e-6
AT_REST = f"quasi-static, force_tolerance: {LEFT} N"


def pull(name, along, across, is_warp=True, pattern="plain", tail=0.5, friction=SMOOTH, clamp="true",
         integrator=AT_REST):
    """Rows of a pull of `across` threads, each crossed by `along`; how far apart the pins hold them, m."""
    free = (along - 1) * SPACING
    way = [0, STRAIN * free, 0] if is_warp else [STRAIN * free, 0, 0]
    body = SLIDING.format(pattern=pattern, ends=across if is_warp else along, picks=along if is_warp else across,
                          tail=tail, friction=friction, clamp=clamp, way=way,
                          wheres=("bottom", "top") if is_warp else ("left", "right"))
    return run(name, body, integrator), free


# A straight weave whose nodes lie in a plane has no crimp there. Of each thread that is pulled every piece has the
# same length, and the same material: nothing runs through a clamp. So all pull with EA times the strain of the gauge.
# The pull of a thread changes from node to node by no more than what is left of the force there, so none is farther
# from their mean, which the way of the pins gives, than the sum of these.
def test_sliding_yarns_that_are_clamped():
    for along, across, is_warp, pattern, friction in ((10, 4, True, "plain", SMOOTH), (40, 4, True, "plain", SMOOTH),
                                                      (10, 6, False, "twill 2/2", SMOOTH),
                                                      (10, 4, True, "plain", "friction: 0.3")):
        rows, free = pull("clamped", along, across, is_warp, pattern, friction=friction)
        follows(rows, free, across * 30.0, across * along * LEFT)
    # In motion damping by the rate of strain counts, 1 ms of it by default: waves have died, as in sheets.
    rows, free = pull("moving", 10, 4, friction="friction: 0.3", integrator="implicit-euler")
    follows(rows, free, 4 * 30.0, 1e-3, 1e-3)


# Without a clamp pins hold places, and yarn runs through them from the tails, whose ends are held as well: 0.5 spacings
# beyond the first crossing and beyond the last. Without friction a thread pulls the same everywhere, by its way over
# all of its material: 2.5 % less than the strain of the gauge says with 40 crossings, 10 % with 10. With friction
# at the crossings some of that stays where it was, and the pull lies between both.
def test_sliding_yarns_that_are_held():
    for along, tail in ((10, 0.5), (40, 0.5), (10, 2.0)):
        rows, free = pull("held", along, 4, tail=tail, clamp="false")
        feed = free / (free + 2.0 * tail * SPACING)
        follows(rows, free, 4 * 30.0 * feed, 4 * along * LEFT)
    rows, free = pull("rough", 10, 4, friction="friction: 0.3", clamp="false")
    for row in rows:
        most = 4 * 30.0 * STRAIN * row["time"]
        check(0.9 * most - 4 * 10 * LEFT <= row["test_force"] <= most + 4 * 10 * LEFT, f"{row}: {0.9 * most} to {most} N")
    check(rows[-1]["test_force"] > 1.001 * 0.9 * 4 * 30.0 * STRAIN, f"friction holds some of it: {rows[-1]}")


def test_bad_gauges():
    body = SHEET.format(damping="0") + pins([0.01, 0, 0], ("left", "right"))
    said = run("bad", body, measure="{name: test, kind: gauge, pin: jaw, from: jaw}", code=2)
    check("lies between two pins" in said and "'jaw'" in said, said)
    one = body[:body.index("  - {name: jaw")]
    said = run("bad", one, code=2, measure="{name: test, kind: gauge}")
    check("needs an 'axis'" in said, said)
    rows = run("bad", one, measure="{name: test, kind: gauge, axis: [0, 1, 0]}")
    check(all(row["test_length"] == 0.0 for row in rows), f"the pin stays: {rows}")


def test_plot_takes_the_gauge():
    """A strip that gets thicker, or is bent, more than longer is drawn over the way of its pins."""
    body = SHEET.format(damping="20 ms") + pins([0.01, 0, 0], ("left", "right"))
    measure = "{name: size, kind: extent}, {name: pull, kind: reaction, pin: jaw}, {name: test, kind: gauge, pin: jaw}"
    run("drawn", body, measure=measure)
    said = json.loads(heddle("plot", "drawn", "--what", "force-extension", "--strain", "--json").stdout)
    (curve,) = said["curves"]
    check(curve["column"] == "test_force" and curve["unit"] == "N", str(curve))
    slope = curve["stiffness"]["value"]
    # N/m: EA over the gauge length.
    check(abs(slope / (300.0 * 0.05 / 0.2) - 1.0) < 1e-3, f"{slope} N/m")


def test_extents_follow_the_force():
    """Without a gauge the side of the box along the force is drawn, though another changes more."""
    turned = SHEET.format(damping="0") + pins([0.01, 0, 0.05], ("left", "right"))
    run("box", turned, measure="{name: size, kind: extent}, {name: pull, kind: reaction, pin: jaw}")
    heddle("plot", "box", "--what", "force-extension", "--json", "--force", "--csv", "box.csv")
    with open("box.csv") as file:
        rows = list(csv.DictReader(file))
    largest = max(float(row["x"]) for row in rows)
    check(abs(largest - 0.01) < 1e-9, f"the box has grown by {largest} m along x, and 0.05 m across")


if __name__ == "__main__":
    main(globals())
