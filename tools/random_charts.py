# SPDX-License-Identifier: MIT
"""Random knitting charts and instructions that a knitter could work.

make(seed) gives (kind, suffix, text): `kind` names what is random about it, `suffix` is ".knit" or
".ks". The same seed gives the same text. Run by itself it prints the text of a seed.
"""

import random
import sys


class Needle:
    """Stitches of a row that take just the loops there are, and how many they leave."""

    def __init__(self, rng, width):
        self.rng = rng
        self.width = width

    def work(self, choices, edge=1):
        """Words for one row. choices: (word, taken, left, weight); edge stitches stay plain."""
        words, left, taken = ["k"] * edge, edge, edge
        while taken < self.width - edge:
            room = self.width - edge - taken
            fits = [c for c in choices if c[1] <= room]
            word, takes, leaves, _ = self.rng.choices(fits, [c[3] for c in fits])[0]
            words.append(word)
            taken += takes
            left += leaves
        self.width = left + edge
        return words + ["k"] * edge


PLAIN = [("k", 1, 1, 6), ("p", 1, 1, 4)]
LACE = PLAIN + [("yo k2tog", 2, 2, 2), ("ssk yo", 2, 2, 2), ("yo sk2p yo", 3, 3, 1), ("yo cdd yo", 3, 3, 1)]
SHAPED = PLAIN + [("k2tog", 2, 1, 1), ("ssk", 2, 1, 1), ("kfb", 1, 2, 1), ("k m1l", 1, 2, 1)]
CABLES = PLAIN + [("2/2LC", 4, 4, 1), ("2/2RC", 4, 4, 1), ("1/1LC", 2, 2, 1), ("2/1LPC", 3, 3, 1), ("2/1RPC", 3, 3, 1)]
SLIPS = PLAIN + [("sl", 1, 1, 2), ("slf", 1, 1, 1)]
BOBBLES = PLAIN + [("mb", 1, 1, 2), ("yo k2tog", 2, 2, 1)]
TWISTS = PLAIN + [("ktbl", 1, 1, 2), ("ptbl", 1, 1, 1)]


def plain_row(rng, width, wrong):
    return [("p" if wrong else "k") + str(width)] if rng.random() < 0.7 else ["k1", "p%d" % (width - 2), "k1"]


def chart(rng, choices, in_round=False):
    """Rows of chosen stitches, plain ones between."""
    needle = Needle(rng, rng.randint(8, 24))
    lines = (["rounds"] if in_round else []) + ["co %d" % needle.width]
    for row in range(rng.randint(4, 14)):
        if row % 2 == 1:
            words = ["k%d" % needle.width] if in_round else plain_row(rng, needle.width, True)
        else:
            words = needle.work(choices)
        lines.append(" ".join(words))
        if needle.width < 5:
            break
    if rng.random() < 0.5:
        lines.append("bo*")
    return "\n".join(lines) + "\n"


def colours(rng, in_garter=False):
    """Two yarns in one row; the other floats behind."""
    width = rng.randint(8, 20)
    lines = ["co %d" % width]
    for row in range(rng.randint(4, 10)):
        knit = "k" if in_garter or row % 2 == 0 else "p"
        words, left = ["@1", knit + "1"], width - 2
        while left > 0:
            count = min(left, rng.randint(1, 4))
            words += ["@%d" % rng.randint(1, 2), knit + str(count)]
            left -= count
        lines.append(" ".join(words + ["@1", knit + "1"]))
    return "\n".join(lines) + "\n"


def stripes(rng):
    """Whole rows of one yarn; the others wait at the edge."""
    width = rng.randint(6, 16)
    lines = ["co %d" % width]
    for row in range(rng.randint(2, 6)):
        yarn = row % rng.randint(2, 3) + 1
        lines += ["@%d k%d" % (yarn, width), "@%d p%d" % (yarn, width)]
    return "\n".join(lines) + "\n"


def bind_and_cast(rng):
    """Steps at the edges."""
    width = rng.randint(12, 20)
    lines = ["co %d" % width]
    for row in range(rng.randint(4, 9)):
        step = rng.randint(1, 3)
        if rng.random() < 0.5 and width > 8:
            lines.append("bo%d k%d" % (step, width - step))
            width -= step
        else:
            lines.append("k%d co%d" % (width, step) if rng.random() < 0.3 else "k%d" % width)
            width += step if "co" in lines[-1] else 0
    return "\n".join(lines) + "\n"


# --- instructions

SPEECH = {"ktbl": "k1 tbl", "ptbl": "p1 tbl", "sl": "sl1 wyib", "slf": "sl1 wyif", "k": "k1", "p": "p1",
          "2/2LC": "2/2 LC", "2/2RC": "2/2 RC", "1/1LC": "1/1 LC", "2/1LPC": "2/1 LPC", "2/1RPC": "2/1 RPC"}


def say(words):
    parts = [SPEECH.get(w, w) for word in words for w in word.split()]
    out = []
    for part in parts:  # k1, k1 is k2
        if out and part in ("k1", "p1") and out[-1][0] == part[0] and out[-1][1:].isdigit():
            out[-1] = part[0] + str(int(out[-1][1:]) + 1)
        else:
            out.append(part)
    return ", ".join(out)


def spoken(rng, choices):
    """Row by row, as people write."""
    needle = Needle(rng, rng.randint(8, 24))
    lines = ["Row 0: CO %d." % needle.width]
    even = rng.choice(["Purl.", "P to end.", "k2, purl to last 2 sts, k2.", "Purl across."])
    count = 2 * rng.randint(2, 6)
    for row in range(1, count, 2):
        side = " (RS)" if row == 1 else ""
        lines.append("Row %d%s: %s." % (row, side, say(needle.work(choices))))
        lines.append("Row %d: %s" % (row + 1, even))
    if rng.random() < 0.3:
        lines.append("Bind off all sts.")
    return "\n".join(lines) + "\n"


def repeated(rng):
    """Stars, brackets and rows that are told for many."""
    units = ["k2, p2", "yo, k2tog, k1", "k1, yo, k1, sl1-k2tog-psso, k1, yo", "[k1, p1] twice", "2/2 RC, p2",
             "ssk, yo, k2", "(k1, p1) 3 times, k2", "1/1 RT, p1", "k3, yo, cdd, yo"]
    ends = [("", ""), (" to end", ""), (" to last 2 sts", ", k2"), (" to last st", ", k1"), (" across", "")]
    unit = rng.choice(units)
    end, tail = rng.choice(ends)
    form = rng.choice(["*%s, repeat from *%s%s.", "*%s; rep from *%s%s.", "[%s]%s%s.", "*%s*%s%s."])
    if "[" in form:
        end = end if end in (" to end", " to last 2 sts", " to last st", " across") else " to end"
        tail = {" to last 2 sts": ", k2", " to last st": ", k1"}.get(end, "")
    first = form % (unit, end, tail)
    rows = rng.choice([1, 2, 3])
    lines = ["Row %d (RS): %s" % (2 * i + 1, first) for i in range(rows)]
    lines.insert(1, rng.choice(["Row 2 and all even rows: Purl.", "All WS rows: Purl.", "2nd and every other row: Purl."]))
    lines.append("Repeat rows 1-%d %s." % (2 * rows, rng.choice(["once", "twice", "3 times"])))
    return "\n".join(lines) + "\n"


def short_rows(rng):
    """Turns in the middle of rows, as heels and shoulders have them."""
    width = rng.randint(14, 24)
    word = rng.choice(["turn", "w&t"])
    lines = ["Row 1 (RS): K%d." % width]
    left, row = width, 2
    for _ in range(rng.randint(1, 4)):
        left -= rng.randint(2, 4)
        if left < 4:
            break
        lines.append("Row %d: P%d, %s." % (row, left, word))
        lines.append("Row %d: %s" % (row + 1, rng.choice(["Knit.", "Sl1 wyib, knit."])))
        row += 2
    lines.append("Row %d: Purl." % row)
    lines.append("Row %d: Knit." % (row + 1))
    return "\n".join(lines) + "\n"


def short_rounds(rng):
    """Rounds that turn twice on the way."""
    width = rng.randint(12, 28)
    word = rng.choice(["turn", "w&t", "wrap and turn"])
    lines = ["Cast on %d sts." % width, "Rnd 1: Knit."]
    for row in range(2, 2 + 2 * rng.randint(1, 3), 2):
        there = rng.randint(width // 2, width - 2)
        back = rng.randint(2, there - 2)
        lines.append("Rnd %d: K%d, %s, p%d, %s, k to end." % (row, there, word, back, word))
        lines.append("Rnd %d: Knit." % (row + 1))
    return "\n".join(lines) + "\n"


def vocabulary(rng):
    """Any standard stitch, at a place with room, in stocking stitch."""
    stitches = [("k2tog tbl", 2, 1), ("p2tog", 2, 1), ("k3tog", 3, 1), ("sssk", 3, 1), ("sl1-k2tog-psso", 3, 1),
                ("sl2-k1-p2sso", 3, 1), ("sl 1, k1, psso", 2, 1), ("kfb", 1, 2), ("M1R", 0, 1), ("yo", 0, 1),
                ("1-to-3 inc", 1, 3), ("1-to-5 inc", 1, 5), ("ctr dbl inc", 1, 3), ("(k1, yo, k1) in next st", 1, 3),
                ("1/1 LSC", 2, 2), ("1/1 RPT", 2, 2), ("1/2 LC", 3, 3), ("2/1/2 LPC", 5, 5), ("3/3 RC", 6, 6),
                ("MB", 1, 1), ("k1 below", 1, 1), ("C4F", 4, 4), ("sk2p", 3, 1), ("ssp", 2, 1), ("yo twice", 0, 2)]
    width = rng.randint(10, 18)
    lines = ["Row 0: CO %d." % width]
    for row in range(1, 2 * rng.randint(2, 5), 2):
        name, taken, left = rng.choice(stitches)
        before = rng.randint(2, width - taken - 2)
        lines.append("Row %d: K%d, %s, k to end." % (row, before, name))
        lines.append("Row %d: Purl." % (row + 1))
        width += left - taken
        if width < 10:
            break
    return "\n".join(lines) + "\n"


KINDS = [
    ("chart plain", ".knit", lambda rng: chart(rng, PLAIN)),
    ("chart lace", ".knit", lambda rng: chart(rng, LACE)),
    ("chart shaped", ".knit", lambda rng: chart(rng, SHAPED)),
    ("chart cables", ".knit", lambda rng: chart(rng, CABLES)),
    ("chart slips", ".knit", lambda rng: chart(rng, SLIPS)),
    ("chart twisted", ".knit", lambda rng: chart(rng, TWISTS)),
    ("chart rounds", ".knit", lambda rng: chart(rng, LACE, True)),
    ("chart colours", ".knit", colours),
    ("chart colours in garter", ".knit", lambda rng: colours(rng, True)),
    ("chart stripes", ".knit", stripes),
    ("chart steps", ".knit", bind_and_cast),
    ("speech plain", ".ks", lambda rng: spoken(rng, PLAIN)),
    ("speech lace", ".ks", lambda rng: spoken(rng, LACE)),
    ("speech shaped", ".ks", lambda rng: spoken(rng, SHAPED)),
    ("speech cables", ".ks", lambda rng: spoken(rng, CABLES)),
    ("speech repeats", ".ks", repeated),
    ("speech short rows", ".ks", short_rows),
    ("speech vocabulary", ".ks", vocabulary),
    ("chart bobbles", ".knit", lambda rng: chart(rng, BOBBLES)),
    ("chart bobbles in rounds", ".knit", lambda rng: chart(rng, BOBBLES, True)),
    ("speech short rounds", ".ks", short_rounds),
]


def make(seed):
    """(kind, suffix, text) of a seed."""
    rng = random.Random(seed)
    kind, suffix, writer = KINDS[seed % len(KINDS)]
    return kind, suffix, writer(rng)


if __name__ == "__main__":
    print(make(int(sys.argv[1]) if len(sys.argv) > 1 else 0)[2], end="")
