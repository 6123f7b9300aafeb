# SPDX-License-Identifier: MIT
"""Random programs of fabrics that need both beds: ribs, tubes, jacquards, double cloth."""
from knitout_machine import (Machine, begin, begin_bare, first_needle, flat, ordered, other, size,
                             span)


def rib(rng):
    """Some needles of each bed, at rack 0: 1 x 1, 2 x 2 or any."""
    width = size(rng, 3, 20)
    style = rng.choice([1, 2, 3, 0])
    x = first_needle(rng)
    beds = [rng.choice("fb") if style == 0 else "fb"[i // style % 2] for i in range(width)]
    places = [(beds[i], x + i) for i in range(width)]
    m, c, way = begin(rng, places)
    way = m.rows(size(rng, 1, 16), way, places, c)
    return m


def full_gauge_rib(rng):
    """Every needle of both beds, half a needle (or a quarter) apart."""
    x = first_needle(rng)
    m, c = begin_bare(rng)
    m.rack(rng.choice([0.25, 0.5, -0.5, -0.25]))
    shift = 0.1 if m.rack_now > 0 else -0.1
    places = [p for i in range(size(rng, 2, 14)) for p in [("f", x + i), ("b", x + i)]]
    key = lambda p: p[1] + (shift if p[0] == "b" else 0)
    for bed, n in sorted(places, key=key):
        m.knit("+", bed, n, c)
    way = "-"
    for _ in range(size(rng, 1, 14)):
        for bed, n in sorted(places, key=key, reverse=way == "-"):
            m.knit(way, bed, n, c)
        way = other(way)
    return m


def tube_rounds(m, c, x, width, rounds):
    for _ in range(rounds):
        m.row("+", span("f", x, width), c)
        m.row("-", span("b", x, width), c)


def begin_tube(rng, width):
    x = first_needle(rng)
    m = Machine(rng)
    c = rng.choice(m.names)
    hooked = m.bring(c)
    for i in range(width):
        (m.tuck if rng.random() < 0.5 else m.knit)("+", "f", x + i, c)
    for i in reversed(range(width)):
        m.knit("-", "b", x + i, c)
    if hooked:
        m.release(c)
    return m, c, x


def tube(rng):
    width = size(rng, 2, 16)
    m, c, x = begin_tube(rng, width)
    tube_rounds(m, c, x, width, size(rng, 1, 12))
    return m


def tube_decreases(rng):
    """A tube that narrows at one or both sides."""
    width = size(rng, 6, 16)
    m, c, x = begin_tube(rng, width)
    while width > 3:
        tube_rounds(m, c, x, width, size(rng, 1, 3))
        for bed, back, way in (("f", "b", 1), ("b", "f", -1)):
            m.rack(0)
            m.xfer(bed, x, back, x)
            m.rack(way)
            m.xfer(back, x, bed, x + 1)
        m.rack(0)
        x += 1
        width -= 1
        if rng.random() < 0.5:
            m.knit("+", "f", x, c)
    return m


def two_colours(rng, x, width, m, first, second, lay):
    a, b = first, second
    way = "-"
    picture = rng.randrange(1 << 30)
    for r in range(size(rng, 2, 10)):
        for k, c in enumerate((a, b)):
            lay(m, way, c, k, r, lambda i, r=r: (picture >> ((i + 3 * r) % 23)) & 1)
        way = other(way)


def begin_two(rng, places):
    m = Machine(rng)
    a, b = rng.sample(m.names, 2)
    hooked = m.bring(a)
    m.cast_on(places, a)
    if hooked:
        m.release(a)
    m.bring(b, False)
    return m, a, b


def jacquard_floats(rng):
    """Two colours on one bed, floats behind."""
    x, width = first_needle(rng), size(rng, 4, 16)
    m, a, b = begin_two(rng, span("f", x, width))

    def lay(m, way, c, k, r, at):
        m.row(way, [("f", x + i) for i in range(width) if at(i) == k], c)

    two_colours(rng, x, width, m, a, b, lay)
    return m


def jacquard_birdseye(rng):
    """Two colours in front, every other back needle by turns."""
    x, width = first_needle(rng), size(rng, 4, 14)
    m, a, b = begin_two(rng, [("fb"[i % 2], x + i // 2) for i in range(2 * width)])

    def lay(m, way, c, k, r, at):
        places = [("f", x + i) for i in range(width) if at(i) == k]
        places += [("b", x + i) for i in range(width) if (i + r + k) % 2 == 0]
        m.row(way, places, c)

    two_colours(rng, x, width, m, a, b, lay)
    return m


def jacquard_ladder(rng):
    """Two colours in front, few back needles, the same ones in each row."""
    x, width = first_needle(rng), size(rng, 4, 14)
    every = rng.choice([1, 2, 3])
    places = span("f", x, width)
    places += [("b", x + i) for i in range(width) if i % every == 0]
    m, a, b = begin_two(rng, places)

    def lay(m, way, c, k, r, at):
        row = [("f", x + i) for i in range(width) if at(i) == k]
        row += [("b", x + i) for i in range(width) if i % every == 0 and (i // every + k) % 2 == 0]
        m.row(way, row, c)

    two_colours(rng, x, width, m, a, b, lay)
    return m


def double_knit(rng):
    """Two sheets in two colours that change places where the picture says."""
    x, width = first_needle(rng), size(rng, 4, 14)
    m, a, b = begin_two(rng, [p for i in range(width) for p in (("f", x + i), ("b", x + i))])

    def lay(m, way, c, k, r, at):
        m.row(way, [("f" if at(i) == k else "b", x + i) for i in range(width)], c)

    two_colours(rng, x, width, m, a, b, lay)
    return m


def linked_sheets(rng):
    """A sheet on each bed, each with its own carrier, linked at an edge or here and there."""
    x, width = first_needle(rng), size(rng, 3, 14)
    m = Machine(rng)
    a, b = rng.sample(m.names, 2)
    for c, bed in ((a, "f"), (b, "b")):
        hooked = m.bring(c)
        for i in reversed(range(width)):
            m.knit("-", bed, x + i, c)
        if hooked:
            m.release(c)
    way = "+"
    style = rng.choice(["edge", "cross", "tucks"])
    for _ in range(size(rng, 2, 12)):
        m.row(way, span("f", x, width), a)
        if style == "edge" and way == "+":
            m.tuck(way, "b", x + width - 1, a)
        elif style == "tucks":
            m.tuck(way, "b", x + rng.randrange(width), a) if rng.random() < 0.3 else None
        m.row(way, span("b", x, width), b)
        if style == "cross":
            a, b = (b, a) if rng.random() < 0.4 else (a, b)
        way = other(way)
    return m


def tuck_cast_on(rng):
    """Both beds in zigzag, then one of them falls off or is taken over."""
    x, width = first_needle(rng), size(rng, 3, 16)
    m, c = begin_bare(rng)
    for i in range(width):
        m.tuck("+", "f" if i % 2 == 0 else "b", x + i, c)
    way = "-"
    if rng.random() < 0.5:
        for i in reversed(range(width)):
            m.tuck("-", "b" if i % 2 == 0 else "f", x + i, c)
        way = "+"
    way = m.row(way, span("f", x, width), c)
    for n in m.held("b"):
        if rng.random() < 0.5:
            m.xfer("b", n, "f", n)
        else:
            m.drop("b", n)
    way = m.rows(size(rng, 1, 8), way, span("f", x, width), c)
    return m


def pleats(rng):
    """Some loops wait on the other bed while the others go on; then both are knitted together."""
    places = flat(rng, size(rng, 4, 16))
    m, c, way = begin(rng, places)
    for _ in range(size(rng, 1, 4)):
        waiting = [n for _, n in places if rng.random() < 0.5] or [places[0][1]]
        style = rng.choice(["split", "held"])
        way = m.rows(size(rng, 1, 3), way, places, c)
        if style == "split":
            for n in ([n for n in sorted(waiting, reverse=way == "-")]):
                m.split(way, "f", n, "b", n, c)
            way = other(way)
            way = m.rows(size(rng, 2, 6), way, places, c)
        else:
            for n in waiting:
                m.xfer("f", n, "b", n)
            way = m.rows(size(rng, 2, 6), way, places, c)
        shift = rng.choice([0, 0, 1])
        m.rack(shift)
        for n in waiting:
            m.xfer("b", n, "f", n + shift)
        m.rack(0)
        if shift:
            places = m.places("f")
    m.row(way, places, c)
    return m


def cardigan(rng):
    """Both beds; one of them, or both by turns, tuck."""
    x, width = first_needle(rng), size(rng, 3, 12)
    places = [("fb"[i % 2], x + i) for i in range(width)]
    m, c, way = begin(rng, places)
    full = rng.random() < 0.5
    for r in range(size(rng, 2, 12)):
        for bed, n in ordered(way, places):
            tucked = bed == ("fb"[r % 2] if full else "b") and (full or r % 2 == 0)
            (m.tuck if tucked else m.knit)(way, bed, n, c)
        way = other(way)
    return m


def interlock(rng):
    x, width = first_needle(rng), size(rng, 4, 16)
    m, c = begin_bare(rng)
    sets = [[("fb"[(i + k) % 2], x + i) for i in range(width)] for k in (0, 1)]
    way = "+"
    for _ in range(size(rng, 2, 10)):
        for places in sets:
            way = m.row(way, places, c)
    return m


def splits(rng):
    """Increases and pockets by splitting."""
    places = flat(rng, size(rng, 4, 12))
    m, c, way = begin(rng, places)
    way = m.rows(size(rng, 1, 4), way, places, c)
    if rng.random() < 0.5:  # a pocket: the back sheet goes on for some rows
        low, high = places[1][1], places[-2][1]
        for bed, n in ordered(way, places):
            if low <= n <= high:
                m.split(way, "f", n, "b", n, c)
            else:
                m.knit(way, bed, n, c)
        way = other(way)
        for _ in range(size(rng, 1, 6)):
            bed = rng.choice("fb")
            way = m.row(way, [(bed, n) for n in range(low, high + 1)], c)
        for n in range(low, high + 1):
            m.xfer("b", n, "f", n)
    else:  # loops at the edge become two
        for _ in range(size(rng, 1, 4)):
            high = m.held("f")[-1]
            m.rack(0)
            m.split("+", "f", high, "b", high, c)
            m.rack(1)
            m.xfer("b", high, "f", high + 1)
            m.rack(0)
            m.row("-", m.places("f"), c)
            m.row("+", m.places("f"), c)
            way = "-"
    m.row(way, m.places("f"), c)
    return m


def sliders(rng):
    """Loops go over sliders to another needle while the bed keeps its own."""
    x, width = first_needle(rng), size(rng, 3, 10)
    m, c, x = begin_tube(rng, width)
    for _ in range(size(rng, 1, 4)):
        tube_rounds(m, c, x, width, 1)
        step = rng.choice([-1, 1])
        back = m.held("b")
        for n in back:
            m.xfer("b", n, "fs", n)
        m.rack(step)
        for n in back:
            m.xfer("fs", n, "b", n - step)
        m.rack(0)
        for bed in "fb":
            m.row("+" if bed == "f" else "-", [(bed, n) for n in m.held(bed)], c)
    return m


def racked_fancy(rng):
    """A rib whose back bed moves to and fro between rows."""
    x, width = first_needle(rng), size(rng, 3, 12)
    m, c = begin_bare(rng)
    places = [("f", x + 2 * i) for i in range(width)] + [("b", x + 2 * i) for i in range(width)]
    way = "+"
    for _ in range(size(rng, 2, 12)):
        m.rack(rng.choice([1, -1, 3]))
        for bed, n in sorted(places, key=lambda p: p[1] + (m.rack_now if p[0] == "b" else 0),
                             reverse=way == "-"):
            m.knit(way, bed, n, c)
        way = other(way)
    return m


def half_gauge_tube(rng):
    """A ribbed tube at half gauge: each sheet has needles of both beds."""
    x, width = first_needle(rng), size(rng, 2, 8)
    m, c = begin_bare(rng)
    front = [("f" if rng.random() < 0.6 else "b", x + 4 * i) for i in range(width)]
    back = [("b" if rng.random() < 0.6 else "f", x + 4 * i + 2) for i in range(width)]
    for _ in range(size(rng, 2, 8)):
        m.row("+", front, c)
        m.row("-", back, c)
    return m
