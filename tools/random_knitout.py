# SPDX-License-Identifier: MIT
"""Random knitout programs that a machine of two beds can run.

make(seed) -> (kind, suffix, text). KINDS maps each kind to the function that writes one; a program
depends on its seed only.
"""
import random

import knitout_two_beds as two
from knitout_machine import (Machine, begin, begin_bare, first_needle, flat, ordered, other, size,
                             span)


def plain(rng):
    bed = rng.choice("fb")
    places = [(bed, n) for _, n in flat(rng)]
    m, c, way = begin(rng, places)
    way = m.rows(size(rng, 1, 20), way, places, c)
    return m


def garter(rng):
    """Rows of both sides: all loops go to the other bed between them."""
    places = flat(rng)
    m, c, way = begin(rng, places)
    bed = "f"
    for _ in range(size(rng, 2, 12)):
        way = m.row(way, [(bed, n) for _, n in places], c)
        if rng.random() < 0.7:
            to = "b" if bed == "f" else "f"
            for _, n in places:
                m.xfer(bed, n, to, n)
            bed = to
    return m


def textures(rng):
    """Knit and purl at random, by transfers before each row."""
    places = flat(rng)
    m, c, way = begin(rng, places)
    beds = {n: "f" for _, n in places}
    for _ in range(size(rng, 2, 12)):
        for _, n in places:
            if rng.random() < 0.35:
                to = "b" if beds[n] == "f" else "f"
                m.xfer(beds[n], n, to, n)
                beds[n] = to
        way = m.row(way, [(beds[n], n) for _, n in places], c)
    return m


def icord(rng):
    """A cord of few needles knitted in one direction, or a cast-on of one that moves along."""
    x, width = first_needle(rng), size(rng, 2, 5)
    m, c = begin_bare(rng)
    places = span("f", x, width)
    way = rng.choice("+-")
    m.row(way, places, c)
    for _ in range(size(rng, 2, 12)):
        if rng.random() < 0.3:
            m.miss(other(way), "f", x, c)
        m.row(way, places, c)
    return m


def icord_cast_on(rng):
    """A cord that leaves a loop on its side in each row: they become the width of the fabric."""
    x, width = first_needle(rng), size(rng, 2, 4)
    m, c = begin_bare(rng)
    length = size(rng, 3, 10)
    m.row("+", span("f", x, width), c)
    for k in range(length):
        # The whole cord moves one needle on; its first loop stays and is laid again.
        at = x + k
        for i in range(width):
            m.xfer("f", at + i, "b", at + i)
        m.rack(1)
        for i in reversed(range(width)):
            m.xfer("b", at + i, "f", at + i + 1)
        m.rack(0)
        m.tuck("+", "f", at, c)
        m.row("+", [("f", at + 1 + i) for i in range(width)], c)
    way = "-"
    way = m.rows(size(rng, 1, 6), way, m.places("f"), c)
    return m


def icord_bind_off(rng):
    """A cord along the edge takes one loop of the fabric in each row."""
    places = flat(rng, size(rng, 6, 14))
    m, c, way = begin(rng, places)
    way = m.rows(2 * size(rng, 1, 4), way, places, c)
    x, cord = places[0][1], rng.choice([2, 3])
    end = places[-1][1]
    m.row("-", places, c) if way == "-" else None
    while x + cord <= end:
        m.row("+", [("f", x + i) for i in range(cord)], c)
        for i in range(cord):
            m.xfer("f", x + i, "b", x + i)
        m.rack(1)
        for i in range(cord):
            m.xfer("b", x + i, "f", x + i + 1)
        m.rack(0)
        x += 1
    return m


def short_rows(rng):
    """A heel: rows that turn early, with or without a wrap."""
    places = flat(rng, size(rng, 6, 18))
    m, c, way = begin(rng, places)
    low, high = places[0][1], places[-1][1]
    way = m.row(way, places, c)
    wrap = rng.random() < 0.6
    left, right = low, high
    turns = size(rng, 1, max(1, (high - low) // 2 - 1))
    steps = [1] * turns + ([-1] * turns if rng.random() < 0.8 else [])
    for step in steps:
        for _ in range(2):
            m.row(way, [("f", n) for n in range(left, right + 1)], c)
            beyond = right + 1 if way == "+" else left - 1
            if wrap and low <= beyond <= high:
                m.tuck(way, "f", beyond, c)
            way = other(way)
        left = max(low, left + step)
        right = min(high, right - step)
    m.row(way, places, c)
    return m


def cables(rng):
    """Groups of loops change places over transfers and racks."""
    places = flat(rng, size(rng, 6, 18))
    m, c, way = begin(rng, places)
    for _ in range(size(rng, 2, 8)):
        way = m.row(way, places, c)
        wide = rng.choice([1, 2, 3])
        n = rng.choice([p[1] for p in places][: max(1, len(places) - 2 * wide)])
        if n + 2 * wide - 1 > places[-1][1]:
            continue
        moved = range(n, n + 2 * wide)
        for k in moved:
            m.xfer("f", k, "b", k)
        first = rng.choice([1, -1])  # who is in front
        right = [k for k in moved if k < n + wide]
        left = [k for k in moved if k >= n + wide]
        for group, step in ((right, wide), (left, -wide))[::first]:
            m.rack(step)
            for k in group:
                m.xfer("b", k, "f", k + step)
        m.rack(0)
    return m


def lace(rng):
    """Loops go to their neighbours; empty needles are yarn-overs."""
    places = flat(rng, size(rng, 6, 18))
    m, c, way = begin(rng, places)
    needles = [n for _, n in places]
    for _ in range(size(rng, 2, 10)):
        way = m.row(way, places, c)
        for n in rng.sample(needles[1:-1], min(len(needles) - 2, size(rng, 1, 4))):
            step = rng.choice([-1, 1])
            if m.count("f", n) == 0:
                continue
            m.xfer("f", n, "b", n)
            m.rack(step)
            m.xfer("b", n, "f", n + step)
            m.rack(0)
    m.row(way, places, c)
    return m


def intarsia(rng):
    """Fields side by side, each with its own carrier; they join by tucks, or not."""
    x, fields = first_needle(rng), size(rng, 2, 4)
    m = Machine(rng, fields)
    width = size(rng, 3, 8)
    edges = [x + width * i for i in range(fields + 1)]
    for k, c in enumerate(m.names):
        m.bring(c, False)
        m.row("-", [("f", n) for n in range(edges[k], edges[k + 1])], c)
    way = "+"
    join = rng.random() < 0.7
    for _ in range(size(rng, 2, 10)):
        order = list(enumerate(m.names))
        for k, c in order if way == "-" else order[::-1]:
            m.row(way, [("f", n) for n in range(edges[k], edges[k + 1])], c)
            beyond = edges[k + 1] if way == "+" else edges[k] - 1
            if join and m.count("f", beyond) > 0:
                m.tuck(way, "f", beyond, c)
        way = other(way)
        for k in range(1, fields):
            step = rng.choice([-1, 0, 0, 1])
            if edges[k - 1] + 2 <= edges[k] + step <= edges[k + 1] - 2:
                edges[k] += step
    return m


def held_loops(rng):
    """Slipped stitches: some needles are passed in some rows, or for long."""
    places = flat(rng, size(rng, 4, 16))
    m, c, way = begin(rng, places)
    held = set()
    for _ in range(size(rng, 3, 14)):
        held ^= {n for _, n in places if rng.random() < 0.25}
        for bed, n in ordered(way, places):
            if n in held:
                m.miss(way, bed, n, c)
            else:
                m.knit(way, bed, n, c)
        way = other(way)
    return m


def tucks(rng):
    """Tuck stitches, also many on a needle."""
    places = flat(rng, size(rng, 4, 16))
    m, c, way = begin(rng, places)
    for _ in range(size(rng, 3, 14)):
        for bed, n in ordered(way, places):
            if rng.random() < 0.3 and m.count(bed, n) < 5:
                m.tuck(way, bed, n, c)
            else:
                m.knit(way, bed, n, c)
        way = other(way)
    return m


def plating(rng):
    """Two carriers in one operation."""
    places = flat(rng)
    m = Machine(rng)
    a, b = m.names[:2]
    m.op("in", a, b)
    m.active += [a, b]
    m.cast_on(places, a, b)
    way = "-"
    for _ in range(size(rng, 1, 10)):
        if rng.random() < 0.8:
            m.row(way, places, a, b)
        else:
            m.row(way, places, a)
            m.row(way, places, b) if rng.random() < 0.5 else [m.tuck(way, bed, n, b)
                                                             for bed, n in ordered(way, places)]
        way = other(way)
    return m


def dropped(rng):
    """Loops that fall off, and needles that start anew."""
    places = flat(rng, size(rng, 4, 14))
    m, c, way = begin(rng, places)
    for _ in range(size(rng, 2, 10)):
        way = m.row(way, places, c)
        for bed, n in places[1:-1]:
            if rng.random() < 0.15:
                m.drop(bed, n)
    return m


def bind_off(rng):
    """A chain along the edge: each loop is pulled through the one before."""
    places = flat(rng, size(rng, 3, 14))
    m, c, way = begin(rng, places)
    way = m.rows(size(rng, 1, 6), way, places, c)
    if way == "+":
        m.row("+", places, c)
    needles = [n for _, n in places]
    for n in reversed(needles[1:]):
        m.knit("-", "f", n, c)
        m.xfer("f", n, "b", n)
        m.rack(-1)
        m.xfer("b", n, "f", n - 1)
        m.rack(0)
        if rng.random() < 0.3:
            m.tuck("+", "f", n, c)
            m.knit("-", "f", n - 1, c)
            m.drop("f", n)
    m.knit("-", "f", needles[0], c)
    return m


def many_carriers(rng):
    """Stripes; carriers come and go."""
    places = flat(rng)
    m, c, way = begin(rng, places, carriers=size(rng, 3, 7))
    for _ in range(size(rng, 2, 12)):
        name = rng.choice(m.names)
        if name not in m.active:
            m.bring(name, False)
        for _ in range(size(rng, 1, 3)):
            way = m.row(way, places, name)
        if rng.random() < 0.4:
            m.take_out(name)
    return m


def decreases(rng):
    """A flat piece that narrows and widens by transfers and empty needles."""
    places = flat(rng, size(rng, 6, 16))
    m, c, way = begin(rng, places)
    for _ in range(size(rng, 2, 12)):
        way = m.row(way, m.places("f"), c)
        needles = m.held("f")
        choice = rng.random()
        if choice < 0.5 and len(needles) > 4:
            move = size(rng, 1, 3)  # the last loops go inwards together
            for n in needles[:move]:
                m.xfer("f", n, "b", n)
            m.rack(1)
            for n in needles[:move]:
                m.xfer("b", n, "f", n + 1)
            m.rack(0)
        elif choice < 0.8:
            m.tuck(way, "f", needles[-1] + 1 if way == "-" else needles[0] - 1, c)
    return m


def wild(rng):
    """Any operations that a machine can do, in any order."""
    return anything(rng, 2, size(rng, 3, 8), size(rng, 10, 120), [0, 1, -1, 2, -2])


def wilder(rng):
    """The same with more of everything: carriers, several at once, fractions of a needle."""
    racks = [0, 1, -1, 3, -2, 0.25, 0.5, -0.25, -1.5]
    return anything(rng, size(rng, 3, 5), size(rng, 6, 20), size(rng, 60, 300), racks)


def anything(rng, carriers, width, steps, racks):
    m = Machine(rng, carriers)
    for c in m.names:
        m.bring(c, False)
    ways = dict.fromkeys(m.names, "+")
    for _ in range(steps):
        several = rng.random() < 0.1
        cs = rng.sample(m.names, 2) if several else [rng.choice(m.names)]
        n, bed = rng.randrange(width), rng.choice("fb")
        to = "b" if bed == "f" else "f"
        whole = m.rack_now == int(m.rack_now)
        facing = int(n - m.rack_now) if bed == "f" else int(n + m.rack_now)
        can_move = whole and m.count(bed, n) > 0 and 0 <= facing < width
        what = rng.choices(["knit", "tuck", "row", "xfer", "rack", "split", "drop"],
                           [20, 8, 12, 15, 8, 4, 2])[0]
        if what == "row":
            places = [(rng.choice("fb"), k) for k in range(width) if rng.random() < 0.8]
            m.row(ways[cs[0]], places, *cs)
            ways[cs[0]] = other(ways[cs[0]])
        elif what == "xfer" and can_move:
            m.xfer(bed, n, to, facing)
        elif what == "rack":
            m.rack(rng.choice(racks))
        elif what == "split" and can_move:
            m.split(rng.choice("+-"), bed, n, to, facing, *cs)
        elif what == "drop" and m.count(bed, n) > 0:
            m.drop(bed, n)
        elif what == "tuck" and m.count(bed, n) < 4:
            m.tuck(rng.choice("+-"), bed, n, *cs)
        else:
            m.knit(rng.choice("+-"), bed, n, *cs)
    return m


KINDS = {f.__name__: f for f in (
    plain, garter, textures, icord, icord_cast_on, icord_bind_off, short_rows, cables, lace,
    intarsia, held_loops, tucks, plating, dropped, bind_off, many_carriers, decreases, wild,
    wilder, two.rib, two.full_gauge_rib, two.tube, two.tube_decreases, two.jacquard_floats,
    two.jacquard_birdseye, two.jacquard_ladder, two.double_knit, two.linked_sheets,
    two.tuck_cast_on, two.pleats, two.cardigan, two.interlock, two.splits, two.sliders,
    two.racked_fancy, two.half_gauge_tube)}


def make(seed):
    rng = random.Random(f"knitout {seed}")
    kind = list(KINDS)[seed % len(KINDS)]
    m = KINDS[kind](rng)
    m.finish()
    return kind, rng.choice([".k", ".k", ".knitout"]), m.text()
