#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Odd yarns: each is simulated, or refused with exit 2 and its name. None crashes or hangs."""

import csv
import math
import struct
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main, tree

SCENE = """heddle: 1
duration: 3 ms
step: {integrator: %s, size: 1 ms}
output: {frame_interval: 1 ms}
yarns:
%s
"""

# Name, yarns, text of the refusal or None.
ODD = [
    ("overlap", """  - {name: a, line: {to: [2 cm, 0, 0], segments: 10}}
  - {name: b, line: {from: [1.1 cm, 0.7 mm, -1 cm], to: [1.1 cm, 0.7 mm, 1 cm], segments: 11}}""", None),
    ("crossing", """  - {name: a, line: {to: [2 cm, 0, 0], segments: 10}}
  - {name: b, line: {from: [1.1 cm, 0, -1 cm], to: [1.1 cm, 0, 1 cm], segments: 11}}""", None),
    ("coincident", """  - {name: a, line: {to: [2 cm, 0, 0], segments: 10}}
  - {name: b, line: {to: [2 cm, 0, 0], segments: 10}}""", None),
    ("one-segment", "  - {name: a, line: {to: [2 cm, 0, 0], segments: 1}}", None),
    ("triangle", "  - {name: a, closed: true, points: [[0, 0, 0], [1 cm, 0, 0], [0, 1 cm, 0]]}", None),
    ("short", "  - {name: a, points: [[0, 0, 0], [0.3 mm, 0, 0]]}", None),
    ("fat", "  - {name: a, line: {to: [2 cm, 0, 0], segments: 40}, radius: 2 mm}", None),
    ("fold", "  - {name: a, points: [[0, 0, 0], [1 cm, 0, 0], [0, 0, 0], [1 cm, 0, 0]]}", None),
    ("far", "  - {name: a, points: [[1e6, 0, 0], [1000000.01, 0, 0], [1000000.02, 0, 0]]}", None),
    ("uneven", "  - {name: a, points: [[0, 0, 0], [0.1 mm, 0, 0], [1 cm, 0, 0], [1.01 cm, 0, 0]]}", None),
    ("zero", "  - {name: a, line: {to: [0, 0, 0], segments: 4}}", "vertices 0 and 1 of curve 0 must be"),
    ("repeated", "  - {name: a, points: [[0, 0, 0], [1 cm, 0, 0], [1 cm, 0, 0]]}",
     "vertices 1 and 2 of curve 0 must be"),
    ("tiny", "  - {name: a, points: [[0, 0, 0], [1e-12, 0, 0], [1 cm, 0, 0]]}", "vertices 0 and 1 of curve 0 must be"),
    ("pair", "  - {name: a, closed: true, points: [[0, 0, 0], [1 cm, 0, 0]]}", "it needs 3"),
    ("point", "  - {name: a, points: [[0, 0, 0]]}", "it needs 2"),
    ("nan", "  - {name: a, points: [[0, 0, 0], [.nan, 0, 0]]}", "expected a number"),
    ("infinite", "  - {name: a, points: [[0, 0, 0], [.inf, 0, 0]]}", "expected a number"),
    ("huge", "  - {name: a, points: [[0, 0, 0], [1e200, 0, 0]]}", "must not be larger"),
]


def bcc(curves):
    """A BCC file of Catmull-Rom curves; a negative count means closed."""
    points = sum(len(points) for points, _ in curves)
    head = b"BCC\x44C0" + bytes([3, 1]) + struct.pack("<QQ", len(curves), points)
    data = head.ljust(64, b"\0")
    for points, is_closed in curves:
        data += struct.pack("<i", -len(points) if is_closed else len(points))
        for point in points:
            data += struct.pack("<3f", *point)
    return data


def run(name, integrator, yarns):
    """Runs a scene that must work, and looks at its energies."""
    with open("odd.yaml", "w") as out:
        out.write(SCENE % (integrator, yarns))
    done = heddle("run", "odd.yaml", "-o", f"{name}-{integrator}")
    with open(f"{name}-{integrator}/energy.csv") as table:
        rows = list(csv.DictReader(table))
    start = float(rows[0]["total"])
    # What starts apart by half of touching or more gives back what contact holds; what is nearer
    # holds none. Weight adds less than ten microjoules here, and nothing else does.
    for row in rows:
        for key, value in row.items():
            check(math.isfinite(float(value)), (name, integrator, key, value))
        check(float(row["kinetic"]) < 1.001 * abs(start) + 1e-5, (name, integrator, row, start))
    return done


def test_odd_yarns():
    for name, yarns, refusal in ODD:
        for integrator in ("symplectic-euler", "implicit-euler"):
            if refusal is None:
                run(name, integrator, yarns)
                continue
            with open("odd.yaml", "w") as out:
                out.write(SCENE % (integrator, yarns))
            done = heddle("run", "odd.yaml", "-o", "refused", code=2)
            check(refusal in done.stderr, (name, done.stderr))


def test_merged_yarns_are_named():
    done = run("merged", "implicit-euler", ODD[1][1])
    for text in ("start in each other", "of yarns 'a'", "of yarns 'b'"):
        check(text in done.stderr, (text, done.stderr))


def test_files_repeat_points():
    ring = [(math.cos(0.5 * k), math.sin(0.5 * k), 0.0) for k in range(12)]
    line = [(0.1 * (k // 2), 2.0, 0.0) for k in range(20)]
    back = [(3.0, 0.0, 0.0), (3.1, 0.0, 0.0), (3.1, 0.1, 0.0), (3.0, 0.1, 0.0), (3.0, 0.0, 0.0),
            (2.9, 0.0, 0.1)]
    with open("odd.bcc", "wb") as out:
        out.write(bcc([(ring + ring[:1], True), (line, False), (back, False)]))
    for integrator in ("symplectic-euler", "implicit-euler"):
        run("file", integrator, "  - {name: a, curves: {file: odd.bcc, scale: 0.01}, radius: 0.3 mm}")


# Two yarns are shot across a third one with friction: pieces are rolled back and contacts stick.
SHOT = """heddle: 1
duration: 4 ms
step: {integrator: %s, size: 0.5 ms}
output: {frame_interval: 1 ms}
world: {yarn_friction: 0.3}
yarns:
  - {name: a, line: {to: [2 cm, 0, 0], segments: 12}}
  - {name: b, line: {from: [0.9 cm, 4 mm, -1 cm], to: [1.1 cm, 4 mm, 1 cm], segments: 12}, velocity: [0, -20, 1]}
  - {name: c, line: {from: [0.6 cm, 7 mm, -1 cm], to: [0.4 cm, 7 mm, 1 cm], segments: 12}, velocity: [0, -20, 0]}
pins:
  - {yarns: a, where: ends}
"""


def test_resume_is_exact():
    for integrator in ("symplectic-euler", "verlet", "implicit-euler"):
        with open("shot.yaml", "w") as out:
            out.write(SHOT % integrator)
        heddle("run", "shot.yaml", "-o", "whole", "-q", "--force", "--threads", "2")
        heddle("run", "shot.yaml", "-o", "parts", "-q", "--force", "--duration", "2ms", "--threads", "1")
        heddle("run", "shot.yaml", "-o", "parts", "-q", "--resume", "--duration", "4ms", "--threads", "1")
        for name in ("frames", "energy.csv"):
            check(tree("whole/" + name) == tree("parts/" + name) if name == "frames" else
                  open("whole/" + name).read() == open("parts/" + name).read(), (integrator, name))


if __name__ == "__main__":
    main(globals())
