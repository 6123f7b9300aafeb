#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Garments and patterned meshes in scenes: seams close, cloth keeps its size, warp runs where it should."""
import csv
import json
import math
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, check_same_run, heddle, main


def write(path, text):
    with open(path, "w") as out:
        out.write(text)


def last_row(path):
    with open(path) as stream:
        return {key: float(value) for key, value in list(csv.DictReader(stream))[-1].items()}


def read_obj(path):
    """Vertices and triangles, the latter from 0."""
    points, triangles = [], []
    with open(path) as stream:
        for line in stream:
            words = line.split()
            if words and words[0] == "v":
                points.append([float(w) for w in words[1:4]])
            elif words and words[0] == "f":
                triangles.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
    return points, triangles


def near(found, expected, tolerance, what):
    check(abs(found - expected) <= tolerance, f"{what}: {found}, expected {expected} within {tolerance}")


# --- sewing ---

TUBE = {
    "pattern": {
        "panels": {
            name: {"vertices": [[-10, 0], [10, 0], [10, 20], [-10, 20]],
                   "edges": [{"endpoints": [i, (i + 1) % 4]} for i in range(4)],
                   "translation": [0, 0, 8 * front], "rotation": [0, 0 if front > 0 else 180, 0]}
            for name, front in (("front", 1), ("back", -1))},
        "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}],
                     [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 1}]]}}

TUBE_SCENE = """\
heddle: 1
duration: {duration} s
step: {{size: 1/100 s}}
world: {{drag: 5 1/s, gravity: [0, 0, 0]}}
sheets:
  - garment: {{file: tube.json, size: 4 cm, sewing_time: 0.3 s}}
    stretch: 200 N/m
    damping: 5 ms
    bend_rigidity: {rigidity}
measure:
  - {{name: strain, kind: strain}}
  - {{name: area, kind: area}}
"""


def test_two_panels_become_a_tube():
    write("tube.json", json.dumps(TUBE))
    write("tube.yaml", TUBE_SCENE.format(duration=0.8, rigidity="1e-5 N*m"))
    heddle("run", "tube.yaml", "-o", "tube", "--quiet")
    rows = list(csv.DictReader(open("tube/measure.csv")))
    # At the start the sides of both panels meet in the middle between them, 8 cm from either: the
    # cloth there is drawn out. In the end both panels have their own size again.
    check(float(rows[0]["area"]) > 0.1, f"not stretched at the start: {rows[0]['area']}")
    near(float(rows[-1]["area"]), 2 * 0.2 * 0.2, 0.001, "area of both panels")
    # What is left is bending against stretching: rigidity over stretch and radius squared is 1e-5.
    near(float(rows[-1]["strain_mean"]), 0.0, 0.003, "mean strain")
    energies = last_row("tube/energy.csv")
    check(energies["external"] > 0 and energies["kinetic"] < 1e-4, f"work and rest: {energies}")
    # One vertex stands for two along each seam: six on a side of 20 cm, counted once.
    heddle("convert", "tube", "tube.obj", "--frame", "last")
    points, triangles = read_obj("tube.obj")
    edges = {}
    for t in triangles:
        for a, b in zip(t, t[1:] + t[:1]):
            edges[min(a, b), max(a, b)] = edges.get((min(a, b), max(a, b)), 0) + 1
    check(max(edges.values()) == 2, "an edge with three triangles")
    # A tube has two rims of 40 cm each, and no other border.
    rim = [e for e, n in edges.items() if n == 1]
    near(sum(math.dist(points[a], points[b]) for a, b in rim), 0.8, 0.01, "length of the rims")


def test_sewing_goes_on_after_a_stop():
    """Stopped in the middle of sewing and taken up again: the same bits."""
    write("tube.json", json.dumps(TUBE))
    write("tube.yaml", TUBE_SCENE.format(duration=0.4, rigidity="1e-5 N*m"))
    heddle("run", "tube.yaml", "-o", "whole", "--quiet", "--threads", 1)
    heddle("run", "tube.yaml", "-o", "parts", "--quiet", "--threads", 1, "--duration", 0.15)
    heddle("run", "tube.yaml", "-o", "parts", "--quiet", "--threads", 2, "--resume")
    check_same_run("whole", "parts")


# --- panels that cross each other and the body ---

def sewn_shirt():
    """Front, back and two halves of each sleeve; the sleeves stand through the front, the back and the arms."""
    torso = [[-16, -25], [16, -25], [16, 5], [15, 22], [7, 24], [-7, 24], [-15, 22], [-16, 5]]

    def panel(points, place, turn):
        n = len(points)
        return {"vertices": points, "edges": [{"endpoints": [i, (i + 1) % n]} for i in range(n)],
                "translation": place, "rotation": [0, turn, 0]}

    def sleeve(x, place, turn):
        return panel([[x, 0], [x + 15, 0], [x + 15, 17], [x, 17]], place, turn)

    seams = (("front", 1, "back", 7), ("front", 7, "back", 1), ("front", 3, "back", 5), ("front", 5, "back", 3),
             ("front", 2, "right_front", 3), ("back", 6, "right_back", 1),
             ("right_front", 2, "right_back", 2), ("right_front", 0, "right_back", 0),
             ("front", 6, "left_front", 1), ("back", 2, "left_back", 3),
             ("left_front", 2, "left_back", 2), ("left_front", 0, "left_back", 0))
    return {"pattern": {
        "panels": {"front": panel(torso, [0, 0, 8.5], 0), "back": panel(torso, [0, 0, -8.5], 180),
                   "right_front": sleeve(0, [6, 5, 11], 35), "right_back": sleeve(-15, [6, 5, -11], 145),
                   "left_front": sleeve(-15, [-6, 5, 11], -35), "left_back": sleeve(0, [-6, 5, -11], 215)},
        "stitches": [[{"panel": a, "edge": i}, {"panel": b, "edge": j}] for a, i, b, j in seams]}}


SHIRT_SCENE = """\
heddle: 1
duration: 0.3 s
step: {size: 1/100 s, newton_tolerance: 5 mm/s}
world: {drag: 1 1/s, self_collision: true}
sheets:
  - name: shirt
    garment: {file: shirt.json, size: 7 cm, sewing_time: 0.2 s}
    density: 200 g/m^2
    stretch: 200 N/m
    shear: 20 N/m
    damping: 4 ms
    thickness: 3 mm
bodies:
  - {name: trunk, shape: capsule, radius: 9 cm, half_length: 16 cm, position: [0, -8 cm, 0]}
  - {name: arms, shape: capsule, radius: 4 cm, half_length: 40 cm, position: [0, 13.5 cm, 0], rotation: [0, 0, 90 deg]}
output: {frame_interval: 1/50 s}
measure:
  - {name: strain, kind: strain}
"""


def test_panels_that_cross_each_other_and_the_body_close():
    """Nothing intersects at the end; stopped among the intersections and taken up again: the same bits."""
    write("shirt.json", json.dumps(sewn_shirt()))
    write("shirt.yaml", SHIRT_SCENE)
    lines = heddle("run", "shirt.yaml", "-o", "shirt", "--json", "--threads", 1).stdout.splitlines()
    summary = json.loads(lines[-1])
    phases = {json.loads(line)["phase"] for line in lines[:-1]}
    check(phases <= {"sewing", "untangling", "free"}, f"phases: {phases}")
    check(summary["outcome"] == "done" and summary["tangled"] == 0, f"not untangled: {summary}")
    found = json.loads(heddle("info", "shirt", "--intersections", "--json", code=1).stdout)
    check(found["most_pairs"] > 20, f"the panels were to cross each other: {found}")
    check(found["last_pairs"] == 0 and found["last_pairs_with_bodies"] == 0, f"at the end: {found}")
    # The sleeves are wider than the arms and the trunk is 56 of 64 cm around: nothing is tight but the gathers.
    near(last_row("shirt/measure.csv")["strain_mean"], 0.0, 0.01, "mean strain")
    told = heddle("run", "shirt.yaml", "-o", "shirt-parts", "--threads", 1, "--duration", 0.21, code=1)
    for word in ("pairs of triangles still intersect", "panel '", "--resume"):
        check(word in told.stderr, f"no '{word}' in: {told.stderr}")
    heddle("run", "shirt.yaml", "-o", "shirt-parts", "--quiet", "--threads", 2, "--resume")
    check_same_run("shirt", "shirt-parts")


def test_a_shirt_that_is_not_sewn_must_not_cross_itself():
    """All pairs of panels are named, with their counts; heddle check finds the same."""
    write("shirt.json", json.dumps(sewn_shirt()))
    write("apart.yaml", SHIRT_SCENE.replace("sewing_time: 0.2 s", "sewing_time: 0").replace("{name: trunk", "{overlap: push, name: trunk")
          .replace("{name: arms", "{overlap: push, name: arms"))
    for verb in ("check", "run"):
        told = heddle(verb, "apart.yaml", code=2).stderr
        for word in ("sheets intersect at the start", "panel 'back' of 'shirt' with panel 'right_back' of 'shirt'", "with itself",
                     "pairs of triangles near ("):
            check(word in told, f"no '{word}' in: {told}")


def test_bending_elements_of_a_garment_are_counted():
    write("tube.json", json.dumps(TUBE))
    write("tube.yaml", TUBE_SCENE.format(duration=0.8, rigidity="1e-5 N*m"))
    facts = json.loads(heddle("check", "tube.yaml", "--json").stdout)
    heddle("convert", "tube.json", "tube-start.obj", "--size", "4cm", "--garment", "welded")
    _, triangles = read_obj("tube-start.obj")
    # Bending is measured triangle by triangle, by the angles at its sides.
    check(facts["bends"] == len(triangles), f"{facts['bends']} bending elements of {len(triangles)} triangles")


def test_rest_angles_of_seams():
    """Two strips that rest at a right angle along their seam: they fold there and nowhere else."""
    def strip(x):
        return {"vertices": [[0, 0], [10, 0], [10, 10], [0, 10]],
                "edges": [{"endpoints": [i, (i + 1) % 4]} for i in range(4)], "translation": [x, 0, 0]}
    write("ridge.json", json.dumps({"pattern": {
        "panels": {"left": strip(-10), "right": strip(0)},
        "stitches": [[{"panel": "left", "edge": 1}, {"panel": "right", "edge": 3}, {"angle": 90}]]}}))
    write("ridge.yaml", """\
heddle: 1
duration: 2 s
step: {size: 1/100 s}
world: {drag: 10 1/s, gravity: [0, 0, 0]}
sheets:
  - garment: {file: ridge.json, size: 5 cm, sewing_time: 0}
    bend_rigidity: 1e-4 N*m
    damping: 10 ms
""")
    heddle("run", "ridge.yaml", "-o", "ridge", "--quiet")
    heddle("convert", "ridge", "ridge.obj", "--frame", "last")
    start, _ = read_start("ridge")
    points, _ = read_obj("ridge.obj")

    def at(x, y):  # where the vertex that started there is now
        return points[min(range(len(start)), key=lambda i: math.dist(start[i], (x, y, 0)))]

    seam, left, right = at(0, 0.05), at(-0.1, 0.05), at(0.1, 0.05)
    a = [p - s for p, s in zip(left, seam)]
    b = [p - s for p, s in zip(right, seam)]
    angle = math.degrees(math.acos(sum(p * q for p, q in zip(a, b)) / (math.hypot(*a) * math.hypot(*b))))
    # Drag holds 20 cm of cloth back for a few tenths of a second; two seconds leave a degree.
    near(angle, 90, 1.5, "angle between the strips")
    # The front looks along +z, so a ridge stands out towards it.
    check(seam[2] > left[2] + 0.05 and seam[2] > right[2] + 0.05, f"a valley: {seam} {left} {right}")


def read_start(run):
    heddle("convert", run, "start.obj", "--frame", "0", "--force")
    return read_obj("start.obj")


# --- material axes of meshes ---

def pull(keys, uv, stretch=1000, weft=100):
    """A square of 1 m, held left and right and drawn out by 1 % along x: the force, N."""
    write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n" + "".join(f"vt {u} {v}\n" for u, v in uv)
          + "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n")
    write("pull.yaml", f"""\
heddle: 1
duration: 0.02 s
step: {{integrator: quasi-static, size: 0.01 s}}
world: {{gravity: [0, 0, 0]}}
sheets:
  - mesh: {{file: square.obj{keys}}}
    model: membrane
    bending: none
    stretch: {stretch} N/m
    weft: {weft} N/m
    poisson: 0
pins:
  - {{name: left, vertices: [0, 3]}}
  - {{name: right, vertices: [1, 2], keyframes: [{{time: 0, position: [0, 0, 0]}}, {{time: 0.01 s, position: [1 cm, 0, 0]}}]}}
measure:
  - {{name: force, kind: reaction, pin: right}}
""")
    heddle("run", "pull.yaml", "-o", "pull", "--quiet", "--force")
    return last_row("pull/measure.csv")["force_x"]


def green(stiffness, stretch, width):
    """Force of a strip of this width at rest: modulus times Green's strain times stretch."""
    return stiffness * 0.5 * (stretch * stretch - 1) * stretch * width


UPRIGHT = [(0, 0), (1, 0), (1, 1), (0, 1)]  # u along x, v along z
TURNED = [(0, 0), (0, 1), (-1, 1), (-1, 0)]  # v along x


def test_directions_of_warp():
    # Forces of closed form; all points are held, so only rounding is left: 1e-9 of 10 N.
    near(pull("", UPRIGHT), green(1000, 1.01, 1), 1e-8, "warp along x if nothing is said")
    near(pull(", warp: [0, 0, 1]", UPRIGHT), green(100, 1.01, 1), 1e-8, "warp along z")
    near(pull(", warp: [0, 0, 7]", UPRIGHT), green(100, 1.01, 1), 1e-8, "of any length")
    near(pull(", uv: directions", UPRIGHT), green(100, 1.01, 1), 1e-8, "v along z")
    near(pull(", uv: directions", TURNED), green(1000, 1.01, 1), 1e-8, "v along x")
    scaled = [(30 * u, 0.1 * v) for u, v in TURNED]
    near(pull(", uv: directions", scaled), green(1000, 1.01, 1), 1e-8, "lengths of uv do not matter")


def test_rest_shape_from_texture_coordinates():
    # The pattern is half as large as the mesh: stretched by 2, and drawn by 1 % of a metre more.
    near(pull(", uv: shape, uv_scale: 50 cm", TURNED), green(1000, 2.02, 0.5), 1e-6, "warp along x")
    near(pull(", uv: shape, uv_scale: 50 cm", UPRIGHT), green(100, 2.02, 0.5), 1e-6, "warp along z")
    near(pull(", uv: shape", TURNED), green(1000, 1.01, 1), 1e-8, "of its own size")


if __name__ == "__main__":
    main(globals())
