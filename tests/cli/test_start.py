#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenes that start from a run: they go on as the run would have, and what does not fit is told."""
import array
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, check_same_run, heddle, main, tree

HEAD = """\
heddle: 1
name: {name}
duration: {time} ms
step: {{integrator: {integrator}, size: {size}{solve}}}
output: {{frame_interval: {quarter} ms}}
"""

CLOTH = HEAD + """\
sheets:
  - name: cloth
    grid: {{size: [0.3 m, 0.3 m], points: [7, 7], origin: [-0.15, 0.12, -0.15]}}
    velocity: [0.1, -1, 0]
bodies:
  - {{name: ball, shape: sphere, radius: 0.1}}
pins:
  - {{name: hold, vertices: [0, 6]}}
"""

RODS = HEAD + """\
world: {{yarn_friction: 0.2}}
yarns:
  - name: swatch
    knit: {{pattern: rib-2x2, rows: 2, stitches: 4, diameter: 0.7 mm, loop_length: 15 mm, count: 250 tex, points: 16}}
    {material}
pins:
  - {{name: hold, vertices: [0, 1, 2, 40, 41]}}
"""

SLIDING = HEAD + """\
yarns:
  - name: cloth
    model: sliding
    weave: {{pattern: plain, ends: 8, picks: 8, sett: [6 1/cm, 6 1/cm], warp: 120 tex, weft: 120 tex}}
    sliding: {{friction: 0.1, crossing_preload: 0}}
pins:
  - {{name: hold, box: {{min: [-1, 4 mm, -1], max: [1, 1, 1]}}}}  # it hangs: what folds tells rounding apart
"""


def write(name, text, **more):
    more.setdefault("size", "1 ms")
    more.setdefault("integrator", "implicit-euler")
    more.setdefault("time", 20)
    more.setdefault("solve", "")
    with open(f"{name}.yaml", "w") as out:
        out.write(text.format(name=name, quarter=more["time"] / 4, **more))
    return f"{name}.yaml"


def load(path):
    with open(path, "rb") as stream:
        data = stream.read()
    codes = {"f64": "d", "f32": "f", "i32": "i", "i64": "q", "u64": "Q", "u8": "B"}
    found = {}
    for line in data[:data.index(b"\nend ")].decode().split("\n")[1:]:
        _, name, kind, count, offset = line.split()
        found[name] = array.array(codes[kind])
        found[name].frombytes(data[int(offset):int(offset) + int(count) * found[name].itemsize])
    return found


def positions(run, frame):
    return load(f"{run}/frames/{frame:06d}.hed")["positions"]


def apart(a, b):
    return max(abs(p - q) for p, q in zip(a, b))


def halves(name, text, **more):
    """A run, and one of half its time after another of half; how far they end apart, and moved."""
    time = more.setdefault("time", 20)
    whole = write(f"{name}-whole", text, **more)
    first = write(f"{name}-first", text, **more)
    second = write(f"{name}-second", text + f"start: {{{{run: {name}-a}}}}\n", **more)
    heddle("run", whole, "-o", f"{name}-w", "--duration", f"{2 * time}ms", "-q")
    heddle("run", first, "-o", f"{name}-a", "-q")
    said = heddle("run", second, "-o", f"{name}-b").stderr
    check(f"start: from frame 4 ({time / 1000:g} s) of '{name}-a'" in said, said)
    end = positions(f"{name}-w", 8)
    moved = apart(end, positions(f"{name}-w", 4))
    check(positions(f"{name}-b", 0) == positions(f"{name}-a", 4), "the first frame is the last one")
    return apart(end, positions(f"{name}-b", 4)), moved


def test_sheets_go_on():
    # Positions, velocities, pins and contacts are all that an implicit Euler step begins with, but
    # for the guess: results agree to what Newton's method leaves, 1e-4 m/s of the last correction in
    # 20 steps of 1 ms, if no step had to be cut.
    error, moved = halves("sheet", CLOTH)
    check(moved > 1e-2 and error < 2e-6, f"{error} m after {moved} m")


def test_position_based_steps_go_on_to_the_last_bit():
    error, _ = halves("xpbd", CLOTH, integrator="xpbd")
    check(error == 0.0, error)


def test_rods_go_on_with_what_they_remember():
    # Explicit steps carry nothing but the state: frames, twist, friction, plastic bends are all
    # there if the results are equal but for rounding, 2e-18 m of places of a centimetre in each of
    # 16 steps. What is not there moves them by micrometres.
    error, moved = halves("rods", RODS, integrator="symplectic-euler", size="0.05 ms", time=0.8,
                          material="rest: start\n    stretch: 2 N\n    bend: 5e-9 N*m^2\n    twist: 5e-9 N*m^2\n    plastic: 0.02")
    check(moved > 1e-7 and error < 1e-15, f"{error} m after {moved} m")


def test_splines_go_on():
    # As rods, but control points come from the checkpoint and vertices from them: rounding alone.
    error, moved = halves("splines", RODS, integrator="symplectic-euler", size="0.05 ms", time=0.8,
                          material="model: spline\n    stretch: 2 N\n    bend: 5e-9 N*m^2")
    check(moved > 1e-7 and error < 1e-12, f"{error} m after {moved} m")


def test_sliding_yarns_go_on():
    # As sheets, solved so well that Newton's method leaves 1e-12 m in each of 8 steps; the
    # material along the yarns goes on, too, or the shape would be another one.
    error, moved = halves("sliding", SLIDING, time=8,
                          solve=", newton_tolerance: 1e-9 m/s, linear_tolerance: 1e-9")
    check(moved > 1e-5 and error < 1e-10, f"{error} m after {moved} m")
    a, b = load("sliding-a/checkpoint"), load("sliding-b/checkpoint")
    check(len(a["sim/sliding"]) == len(b["sim/sliding"]), "the state")


def test_what_the_scene_keeps():
    text = tree("sheet-b")["scene.yaml"].decode()
    check("start:\n  run: \"sheet-a\"\n  frame: 4\n  velocities: keep\n" in text, text)
    for name in ("frames/objects.hed", "frames/000004.hed", "checkpoint"):
        check(f'path: "sheet-a/{name}"' in text, f"{name} is not listed")
    summary = json.loads(tree("sheet-b")["summary.json"])
    check(summary["start_run"] == "sheet-a" and summary["start_frame"] == 4 and
          len(summary["start_hash"]) == 16, summary)
    heddle("run", "sheet-b/scene.yaml", "-o", "again", "-q", "--threads", "2")
    check_same_run("sheet-b", "again")


def test_resume():
    heddle("run", "sheet-second.yaml", "-o", "long", "--duration", "30ms", "-q")
    heddle("run", "sheet-second.yaml", "-o", "cut", "--duration", "10ms", "-q")
    heddle("run", "sheet-second.yaml", "-o", "cut", "--duration", "30ms", "-q", "--resume")
    check_same_run("long", "cut")
    shutil.copytree("sheet-a", "kept")
    heddle("run", "sheet-first.yaml", "-o", "sheet-a", "--duration", "30ms", "--resume", "-q")
    result = heddle("run", "cut/scene.yaml", "-o", "cut", "--resume", code=2)
    check("is not the file it was" in result.stderr, result.stderr)
    shutil.rmtree("sheet-a")
    os.rename("kept", "sheet-a")


def test_sheets_go_on_from_any_frame():
    # Frames hold velocities to 2^-24 of themselves: 8e-8 m/s of 1.3 m/s, which is 8e-10 m after 10 ms, and each of the
    # 12 constraints of a vertex may pass on as much of its neighbour's. Without velocities the cloth would be a
    # centimetre away.
    early = write("early", CLOTH + "start: {{run: xpbd-w, time: 21 ms}}\n", integrator="xpbd")
    said = heddle("run", early, "-o", "early").stderr
    check("start: from frame 4 (0.02 s) of 'xpbd-w'\n" in said and "at rest" not in said, said)
    check(positions("early", 0) == positions("xpbd-w", 4), "the frame nearest to 21 ms")
    check("velocities: keep" in tree("early")["scene.yaml"].decode(), "it goes on")
    end = positions("xpbd-w", 8)
    check(apart(end, positions("early", 4)) < 1.3 * 2.0**-24 * 20e-3 * 13, apart(end, positions("early", 4)))
    check(apart(positions("xpbd-w", 4), end) > 1e-2, "it moves")


def test_velocities_of_any_frame():
    """The first frame has those of the frame that it starts from, for everything that moves."""
    for name, text, more in (("sheet", CLOTH, {}), ("sliding", SLIDING, {}),
                             ("rods", RODS, {"material": "stretch: 2 N"}),
                             ("splines", RODS, {"material": "model: spline\n    stretch: 2 N"})):
        scene = write(f"{name}-mid", text + f"start: {{{{run: {name}-w, frame: 5}}}}\n", **more)
        heddle("run", scene, "-o", f"{name}-mid", "--duration", "0s", "-q")
        there, here = (load(f"{run}.hed")["velocities"] for run in (f"{name}-w/frames/000005", f"{name}-mid/frames/000000"))
        fastest = max(abs(v) for v in there)
        # Numbers are rounded to 24 bits. Points between the nodes of sliding yarns are rounded after they were taken from
        # nodes, which here were rounded before. Splines find their control points from rounded numbers, by a solve
        # that is well conditioned (diagonal 4, neighbours 1) and at most doubles them.
        roundings = {"sliding": 2, "splines": 4}.get(name, 0)
        error = apart(there, here)
        check(fastest > 1e-4 and error <= roundings * 2.0**-24 * fastest, f"{name}: {error} of {fastest}")


def test_frames_without_velocities():
    heddle("run", "sheet-first.yaml", "-o", "bare", "-q", "--set", "output.quantities=[strain]")
    check("velocities" not in load("bare/frames/000002.hed"), "they come with the speed")
    bare = write("stands", CLOTH + "start: {{run: bare, frame: 2}}\n")
    said = heddle("run", bare, "-o", "stands").stderr
    check("frame 2 of 'bare' holds no velocities (frames do whose run writes 'speed'" in said, said)
    check("velocities: zero" in tree("stands")["scene.yaml"].decode(), "at rest")
    result = heddle("check", bare, "--set", "start.velocities=keep", code=2)
    check("frame 2 of 'bare' has no velocities to keep" in result.stderr, result.stderr)
    said = heddle("check", bare, "--set", "start.frame=last").stderr
    check("velocities" not in said and "at rest" not in said, "the checkpoint has them")


def test_rest():
    rest = write("rest", CLOTH.replace("    velocity: [0.1, -1, 0]\n", "") +
                 "start: {{run: sheet-a, velocities: zero}}\n")
    heddle("run", rest, "-o", "rest", "-q")
    with open("rest/energy.csv") as stream:
        head, first = stream.readline().split(","), stream.readline().split(",")
    check(float(first[head.index("kinetic")]) == 0.0, first)
    said = heddle("check", write("slid", SLIDING + "start: {{run: sliding-a, frame: 1}}\n")).stderr
    check("only places are known" in said, said)


def test_refusals():
    second = "sheet-second.yaml"
    for change, message in (
            ("start.frame=5", "'frame' must be a whole number from 0 to 4 or 'last', got 5"),
            ("start.frame=1.5", "'frame' must be a whole number"),
            ("start.time=1", "'time' 1 s is not in the run: its frames go from 0 to 0.02 s"),
            ("start.run=nowhere", "there is no run to start from at"),
            ("start.run=.", "holds no run"),
            ("start.run=rods-a", "no sheet and no yarns of this scene are in 'rods-a', which has 'swatch'"),
            ("sheets.0.name=other", "no sheet and no yarns of this scene are in"),
            ("sheets.0.grid.points=[8, 7]", "sheet 'cloth' has 56 vertices here and 49 in 'sheet-a'"),
            ("sheets.0.grid.triangles=diagonal", "it is another mesh"),
            ("start.frames=1", "did you mean 'frame'?")):
        result = heddle("check", second, "--set", change, code=2)
        check(message in result.stderr, f"{change}: {result.stderr}")
    result = heddle("run", second, "-o", "sheet-a", "--force", code=2)
    check("the scene starts from the run there" in result.stderr, result.stderr)
    check(os.path.exists("sheet-a/summary.json"), "the run is still there")


def test_damage():
    shutil.copytree("sheet-a", "damaged")
    for name in ("checkpoint", "frames/000004.hed", "frames/objects.hed"):
        with open(f"damaged/{name}", "r+b") as stream:
            before = stream.read()
            stream.seek(len(before) // 2)
            stream.write(bytes([before[len(before) // 2] ^ 16]))
        result = heddle("check", "sheet-second.yaml", "--set", "start.run=damaged", code=2)
        check("damaged" in result.stderr, f"{name}: {result.stderr}")
        with open(f"damaged/{name}", "wb") as stream:
            stream.write(before)
    os.remove("damaged/checkpoint")
    said = heddle("check", "sheet-second.yaml", "--set", "start.run=damaged").stderr
    check("start: from frame 4 (0.02 s) of 'damaged'\n" in said, said)


if __name__ == "__main__":
    main(globals())
