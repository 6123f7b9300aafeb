# SPDX-License-Identifier: MIT
"""A small scene of every kind that there is, each a fraction of a second of work in an optimised build."""
import os

from .bench import write

GRID = "grid: {size: [0.4 m, 0.4 m], points: [8, 8], origin: [-0.2, 0.27, -0.2]}"
BALL = "bodies:\n  - {shape: sphere, name: ball, radius: 0.15, position: [0.02, 0.1, 0], friction: 0.3}\n"
MEASURES = "measure:\n  - {kind: extent, name: size}\n"
SPRINGS = f"""sheets:
  - {{name: cloth, {GRID}}}
pins:
  - {{name: hold, where: top-left, release: 0.1 s}}
wind: {{velocity: [1, 0, 0.5], gust: 0.3}}
{BALL}measure:
  - {{kind: position, name: corner, vertex: 7}}
  - {{kind: reaction, name: pull}}
"""
ROD = "    stretch: 20 N\n    bend: 5e-9 N*m^2\n    twist: 5e-9 N*m^2\n"
RELAXED = """yarns:
  - name: rib
    knit: {pattern: rib-1x1, rows: 3, stitches: 4, diameter: 1 mm, count: 300 tex, points: 8, relax: {iterations: 600}}
    rest: start
"""


def scene(duration, step, frames, rest):
    """rest: the scene from `world` on. frames: how many there are."""
    return (f"heddle: 1\nname: small\nduration: {duration} s\noutput: {{frame_interval: {duration / frames} s}}\n"
            f"step: {{size: {step} s, integrator: {{integrator}}}}\n{rest}")


def sheet(more):
    return f"sheets:\n  - name: cloth\n    {GRID}\n{more}{BALL}{MEASURES}"


def yarns(more):
    return f"yarns:\n  - name: yarn\n{more}{MEASURES}"


MIXED = f"""world: {{self_collision: true, self_friction: 0.3}}
sheets:
  - name: lining
    grid: {{size: [6 cm, 6 cm], points: [7, 7], origin: [-3 cm, 22.6 cm, -3 cm]}}
    density: 100 g/m^2
    thickness: 1 mm
yarns:
  - name: cloth
    model: sliding
    weave: {{pattern: plain, ends: 8, picks: 8, sett: [2 1/cm, 2 1/cm], warp: 120 tex, position: [0, 22.9 cm, 0],
      rotation: [-90 deg, 0, 0]}}
    sliding: {{stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 mN}}
  - name: thread
    line: {{from: [-2 cm, 23.5 cm, 0], to: [2 cm, 23.5 cm, 0.1 mm], segments: 8}}
{ROD}glue:
  - {{yarns: thread, vertex: 1.5, other: cloth, other_vertex: 13, strength: 1 N}}
  - {{yarns: thread, vertex: 6, other: cloth, other_vertex: 43}}
wind: {{velocity: [1, 0, 0.5], gust: 0.3}}
bodies:
  - {{shape: sphere, name: ball, radius: 0.15, position: [0.002, 7.5 cm, 0], friction: 0.3}}
measure:
  - {{kind: extent, name: size, sheet: lining}}
"""
# A sliding knit on a sheet, a woven runner across it.
MIXED_KNIT = """world: {self_collision: true, self_friction: 0.2}
sheets:
  - name: table
    grid: {size: [5 cm, 5 cm], points: [6, 6], origin: [-2.5 cm, 0, -2.5 cm]}
    thickness: 1 mm
yarns:
  - name: knit
    model: sliding
    knit: {pattern: stockinette, rows: 5, stitches: 5, diameter: 1 mm, count: 250 tex, position: [0, 2.5 mm, 0],
      rotation: [-90 deg, 0, 0]}
  - name: runner
    model: sliding
    weave: {pattern: plain, ends: 4, picks: 6, sett: [4 1/cm, 4 1/cm], warp: 120 tex, position: [0, 5.5 mm, 0],
      rotation: [-90 deg, 0, 0]}
    sliding: {stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 mN}
pins:
  - {name: corners, sheet: table, where: corners}
wind: {velocity: [0.5, -2, 0]}
measure:
  - {kind: extent, name: size, sheet: table}
"""
# Two pieces that are sewn to each other and to a sheet: stitches break, yarns slide out.
MIXED_TEAR = """world: {gravity: [0, 0, 0], self_collision: true}
sheets:
  - name: patch
    grid: {size: [1 cm, 1 cm], points: [4, 4], origin: [-0.5 cm, 1.4 cm, 3 mm], down: [0, -1, 0]}
    thickness: 1 mm
yarns:
  - name: lower
    model: sliding
    weave: {pattern: plain, ends: 4, picks: 6, sett: [10 1/cm, 10 1/cm], warp: 30 tex}
    sliding: {friction: 0.2, crossing_preload: 1 mN, bend: 1e-11 N*m^2, stretch: 3 N}
  - name: upper
    model: sliding
    weave: {pattern: plain, ends: 4, picks: 6, sett: [10 1/cm, 10 1/cm], warp: 30 tex, position: [0, 6 mm, 0]}
    sliding: {friction: 0.3, crossing_preload: 1 mN, bend: 1e-11 N*m^2, stretch: 3 N}
pins:
  - {name: floor, yarns: lower, where: bottom, clamp: true}
  - name: jaw
    yarns: upper
    where: top
    clamp: true
    keyframes: [{time: 0, position: [0, 0, 0]}, {time: 0.1 s, position: [0, 4 mm, 0]}]
glue:
  - {yarns: lower, vertex: 4, other: upper, other_vertex: 3, strength: 0.4 mN}
  - {yarns: lower, vertex: 12, other: upper, other_vertex: 11, strength: 0.4 mN}
  - {yarns: lower, vertex: 20, other: upper, other_vertex: 19}
  - {sheet: patch, vertex: 5, other: upper, other_vertex: 20}
wind: {velocity: [0, 0, 1]}
measure:
  - {kind: reaction, name: pull, pin: jaw}
"""


# name: (integrator, duration, step, frames, the rest)
KINDS = {
    "springs": ("implicit-euler", 0.3, 0.005, 12, SPRINGS),
    "xpbd": ("xpbd", 0.3, 0.005, 12, SPRINGS),
    "verlet": ("verlet", 0.1, 0.00025, 10, SPRINGS),
    "bdf2": ("bdf2", 0.2, 0.005, 8, SPRINGS),
    "newmark": ("newmark", 0.2, 0.005, 8, SPRINGS),
    "membrane": ("implicit-euler", 0.2, 0.005, 8,
                 sheet("    model: membrane\n    bending: hinges\n    weft: 200 N/m\n")),
    "mesh": ("implicit-euler", 0.2, 0.005, 8,
             "sheets:\n  - name: cloth\n    mesh: {file: cloth.obj, position: [0, 0.3 m, 0]}\n" + BALL + MEASURES),
    "stack": ("implicit-euler", 0.12, 0.005, 8, """world: {self_collision: true}
sheets:
  - name: lower
    grid: {size: [0.4 m, 0.4 m], points: [8, 8], origin: [-0.2, 0.26, -0.2]}
    thickness: 3 mm
  - name: upper
    grid: {size: [0.35 m, 0.35 m], points: [7, 7], origin: [-0.15, 0.27, -0.19]}
    thickness: 3 mm
""" + BALL + "measure:\n  - {kind: extent, name: size, sheet: upper}\n"),
    "garment": ("implicit-euler", 0.12, 0.005, 8, """sheets:
  - name: dress
    garment: {file: dress.json, size: 8 cm, sewing_time: 0.06 s, position: [0, 0.2 m, 0]}
""" + BALL + MEASURES),
    "rest": ("quasi-static", 0.1, 0.01, 10, "sheets:\n  - {name: cloth, grid: {size: [0.4, 0.4], points: [6, 6], "
             "origin: [-0.2, 0.6, 0], down: [0, -1, 0]}}\npins: [{where: top}]\n" + MEASURES),
    "rod": ("implicit-euler", 0.1, 0.001, 10, yarns(
        "    line: {from: [-0.1, 0.2, 0], to: [0.1, 0.2, 0.001], segments: 30}\n" + ROD) +
            "pins:\n  - {name: end, where: start}\n"),
    "spline": ("symplectic-euler", 0.02, 0.00005, 10, yarns(
        "    line: {from: [-0.05, 0.2, 0], to: [0.05, 0.2, 0.001], segments: 12}\n    model: spline\n"
        "    stretch: 5 N\n    bend: 1e-8 N*m^2\n    linear_density: 2 tex\n")),
    "file": ("implicit-euler", 0.02, 0.0005, 10, yarns("    curves: {file: yarn.obj}\n" + ROD)),
    "weave": ("implicit-euler", 0.004, 0.0005, 8, "world: {yarn_friction: 0.2}\n" + yarns(
        "    weave: {pattern: twill 2/2, ends: 4, picks: 4, sett: [8 1/cm, 8 1/cm], warp: 300 tex, points: 4}\n"
        "    rest: start\n" + ROD) + "pins:\n  - {name: frame, where: ends}\n"),
    "knit": ("implicit-euler", 0.003, 0.0005, 6, "world: {yarn_friction: 0.2}\n" + yarns(
        "    knit: {pattern: rib-1x1, rows: 2, stitches: 4, diameter: 1 mm, count: 250 tex, points: 8}\n"
        "    rest: start\n" + ROD)),
    "relaxed": ("implicit-euler", 0.003, 0.0005, 6, "world: {yarn_friction: 0.2}\n" + RELAXED + ROD + MEASURES),
    "periodic": ("symplectic-euler", 0.002, 0.0001, 10, "world: {yarn_friction: 0.3}\n" + yarns(
        "    knit: {pattern: rib-1x1, rows: 2, stitches: 2, diameter: 1 mm, count: 300 tex, points: 8, "
        "periodic: true}\n    stretch: 10 N\n    bend: 1e-8 N*m^2\n    twist: 1e-8 N*m^2\n")),
    "sliding-weave": ("implicit-euler", 0.04, 0.001, 10, yarns("""    model: sliding
    weave: {pattern: plain, ends: 10, picks: 10, sett: [6 1/cm, 6 1/cm], warp: 120 tex, position: [0, 27 cm, 0],
      rotation: [-90 deg, 0, 0]}
    sliding: {stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 mN}
""") + BALL),
    "everything": ("implicit-euler", 0.03, 0.001, 10, """world: {self_collision: true}
sheets:
  - {name: lining, thickness: 1 mm,
     grid: {size: [1.5 cm, 1.5 cm], points: [5, 5], origin: [-7.5 mm, 26.7 cm, -7.5 mm]}}
yarns:
  - name: cloth
    model: sliding
    weave: {pattern: plain, ends: 8, picks: 8, sett: [6 1/cm, 6 1/cm], warp: 120 tex, position: [0, 27 cm, 0],
      rotation: [-90 deg, 0, 0]}
    sliding: {stretch: 20 N, bend: 5e-9 N*m^2, shear: 5 mN}
  - {name: fringe, line: {from: [-8 mm, 27 cm, 0.8 mm], to: [-18 mm, 27 cm, 0.8 mm], segments: 5}, radius: 0.3 mm,
     linear_density: 200 tex, stretch: 20 N, bend: 5e-9 N*m^2, twist: 5e-9 N*m^2}
glue: [{yarns: fringe, vertex: 0, other: cloth, other_vertex: 4}]
""" + BALL),
    "sliding-knit": ("implicit-euler", 0.02, 0.001, 10, yarns("""    model: sliding
    knit: {pattern: stockinette, rows: 6, stitches: 6, diameter: 1 mm, count: 250 tex}
""") + "pins:\n  - {name: top, box: {min: [-1, 0.001, -1], max: [1, 1, 1]}}\n"),
    "mixed": ("implicit-euler", 0.032, 0.002, 8, MIXED),
    "mixed-knit": ("implicit-euler", 0.01, 0.001, 5, MIXED_KNIT),
    "mixed-tear": ("implicit-euler", 0.1, 0.004, 5, MIXED_TEAR),
}


DRESS = """{"pattern": {"panels": {
"front": {"vertices": [[-20, 0], [20, 0], [20, 40], [-20, 40]], "translation": [0, 0, 17],
 "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
"back": {"vertices": [[-20, 0], [20, 0], [20, 40], [-20, 40]], "translation": [0, 0, -17], "rotation": [0, 180, 0],
 "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}},
"stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}],
 [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 1}]]}}
"""


def cloth_obj(count=7, size=0.4):
    """A square of count x count vertices."""
    lines = [f"v {size * (i / (count - 1) - 0.5):.6g} 0 {size * (j / (count - 1) - 0.5):.6g}"
             for j in range(count) for i in range(count)]
    lines += [f"f {a} {a + count} {a + count + 1} {a + 1}" for j in range(count - 1)
              for a in range(j * count + 1, j * count + count)]
    return "\n".join(lines) + "\n"


def yarn_obj():
    """Two yarns that cross."""
    points = [(0.004 * k, 0.2, 0.0) for k in range(-5, 6)] + [(0.0, 0.205, 0.004 * k) for k in range(-5, 6)]
    return ("".join(f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points)
            + "".join("l " + " ".join(str(first + k) for k in range(11)) + "\n" for first in (1, 12)))


def write_files(directory):
    """What the scenes read."""
    write(os.path.join(directory, "cloth.obj"), cloth_obj())
    write(os.path.join(directory, "yarn.obj"), yarn_obj())
    write(os.path.join(directory, "dress.json"), DRESS)


def text_of(kind, integrator=None, factor=1.0):
    """factor: of the time step."""
    own, duration, step, frames, rest = KINDS[kind]
    text = scene(duration, step * factor, frames, rest)
    return text.replace("{integrator}", integrator or own)


def write_scene(directory, kind, **more):
    return write(os.path.join(directory, f"{kind}.yaml"), text_of(kind, **more))
