# SPDX-License-Identifier: MIT
"""Writes operations of a knitting machine that are possible, for random programs."""


class Machine:
    """Writes operations and keeps what is on the needles, so that only possible ones are written."""

    def __init__(self, rng, carriers=3):
        self.rng = rng
        self.names = [str(i + 1) for i in range(carriers)]
        self.lines = []
        self.stacks = {}  # (bed, needle) -> loops; beds are f, b, fs, bs
        self.rack_now = 0.0
        self.active = []
        self.version = rng.choice([2, 2, 2, 1, 3])

    def op(self, *words):
        self.lines.append(" ".join(str(w) for w in words))

    def count(self, bed, n):
        return self.stacks.get((bed, n), 0)

    def held(self, bed):
        return sorted(n for (b, n), count in self.stacks.items() if b == bed and count > 0)

    def bring(self, carrier, hook=None):
        hook = self.rng.random() < 0.5 if hook is None else hook
        self.op("inhook" if hook else "in", carrier)
        self.active.append(carrier)
        return hook

    def release(self, carrier):
        self.op("releasehook", carrier)

    def take_out(self, carrier, hook=False):
        self.op("outhook" if hook else "out", carrier)
        self.active.remove(carrier)

    def knit(self, way, bed, n, *carriers):
        self.op("knit", way, f"{bed}{n}", *carriers)
        self.stacks[(bed, n)] = len(carriers)

    def tuck(self, way, bed, n, *carriers):
        self.op("tuck", way, f"{bed}{n}", *carriers)
        self.stacks[(bed, n)] = self.count(bed, n) + len(carriers)

    def miss(self, way, bed, n, *carriers):
        self.op("miss", way, f"{bed}{n}", *carriers)

    def drop(self, bed, n):
        self.op("drop", f"{bed}{n}")
        self.stacks[(bed, n)] = 0

    def rack(self, value):
        if value != self.rack_now:
            self.op("rack", f"{value:g}")
            self.rack_now = value

    def xfer(self, bed, n, to_bed, to):
        self.op("xfer", f"{bed}{n}", f"{to_bed}{to}")
        self.stacks[(to_bed, to)] = self.count(to_bed, to) + self.count(bed, n)
        self.stacks[(bed, n)] = 0

    def split(self, way, bed, n, to_bed, to, *carriers):
        self.op("split", way, f"{bed}{n}", f"{to_bed}{to}", *carriers)
        self.stacks[(to_bed, to)] = self.count(to_bed, to) + self.count(bed, n)
        self.stacks[(bed, n)] = len(carriers)

    # --- what most programs do ---

    def places(self, bed):
        """Where the loops of a bed are."""
        return [(bed, n) for n in self.held(bed)]

    def row(self, way, places, *carriers):
        """Knits (bed, needle) places in the order of the way; returns the way of the next row."""
        for bed, n in ordered(way, places):
            self.knit(way, bed, n, *carriers)
        return other(way)

    def rows(self, count, way, places, *carriers):
        """Rows to and fro; returns the way of the next one."""
        for _ in range(count):
            way = self.row(way, places, *carriers)
        return way

    def cast_on(self, places, *carriers):
        """Every other place rightwards and the others leftwards, or all in one row."""
        places = sorted(places, key=lambda p: p[1])
        style = self.rng.choice(["tucks", "tucks", "knits", "all"])
        if style == "all":
            for way in "+-":
                self.row(way, places, *carriers) if way == "-" else [
                    self.tuck("+", bed, n, *carriers) for bed, n in places]
            return
        lay = self.tuck if style == "tucks" else self.knit
        for i, (bed, n) in reversed(list(enumerate(places))):
            if i % 2 == (len(places) - 1) % 2:
                lay("-", bed, n, *carriers)
        for i, (bed, n) in enumerate(places):
            if i % 2 != (len(places) - 1) % 2:
                lay("+", bed, n, *carriers)

    def drop_all(self):
        for bed, n in sorted(p for p, count in self.stacks.items() if count > 0):
            if bed in "fb":
                self.drop(bed, n)

    def finish(self):
        if self.rng.random() < 0.7:
            self.drop_all()
        for carrier in list(self.active):
            self.take_out(carrier)

    def text(self):
        rng = self.rng
        names = " ".join(self.names)
        head = [f";!knitout-{self.version}"]
        if rng.random() < 0.9:
            head.append(f";;Carriers: {names}")
        if rng.random() < 0.5:
            head += [";;Machine: SWGXYZ", ";;Gauge: 15", ";;Width: 250"]
        if rng.random() < 0.4:
            head.append(f"x-stitch-number {rng.randrange(30, 80)}")
        body = []
        for line in self.lines:
            if rng.random() < 0.02:
                body.append(rng.choice([";a comment", "", "x-speed-number 100", "x-roller-advance 150"]))
            body.append(line + (" ;here" if rng.random() < 0.01 else ""))
        end = rng.choice(["\n", "\n", "\n", "\r\n"])
        return end.join(head + body) + end


def ordered(way, places):
    return sorted(places, key=lambda p: p[1], reverse=way == "-")


def other(way):
    return "-" if way == "+" else "+"


def size(rng, low, high):
    return rng.randint(low, high)


def begin(rng, places, carriers=3, hook=None):
    """A machine with one carrier in, cast on; the way of the next row."""
    m = Machine(rng, carriers)
    c = rng.choice(m.names)
    hooked = m.bring(c, hook)
    m.cast_on(places, c)
    if hooked:
        m.release(c)
    return m, c, "-"


def begin_bare(rng):
    """A machine with one carrier in and nothing on its needles."""
    m = Machine(rng)
    m.bring(m.names[0])
    return m, m.names[0]


def span(bed, first, width):
    """Needles side by side."""
    return [(bed, first + i) for i in range(width)]


def first_needle(rng):
    return rng.choice([0, 1, 1, 10, -5, 100])


def flat(rng, width=None):
    x = first_needle(rng)
    return span("f", x, width or size(rng, 2, 20))
