#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sliding yarns from scenes: every draft and pattern, threads, kills, and all formats."""
import os
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, check_same_run, heddle, main, start, stop

# A weave with bodies, friction and layers that may meet; a knit that hangs.
SCENES = {
    "weave": """heddle: 1
duration: 0.03 s
step: {size: 1 ms}
output: {frame_interval: 5 ms}
world: {self_collision: true}
yarns:
  - name: cloth
    model: sliding
    weave: {pattern: twill 2/2, ends: 16, picks: 16, sett: [8 1/cm, 8 1/cm], warp: 80 tex,
            position: [0, 11.2 mm, 0], rotation: [-90 deg, 0, 0]}
bodies:
  - {name: ball, shape: sphere, radius: 1 cm, friction: 0.4}
""",
    "knit": """heddle: 1
duration: 0.01 s
step: {size: 1 ms}
output: {frame_interval: 2 ms}
yarns:
  - name: cloth
    model: sliding
    knit: {pattern: rib-1x1, rows: 4, stitches: 6, count: 300 tex}
    sliding: {wrap: 1 mN, convection: true}
pins:
  - {name: top, box: {min: [-1, 5 mm, -1], max: [1, 1, 1]}}
""",
}
NAMED = ("stockinette", "reverse-stockinette", "garter", "seed", "moss", "rib-1x1", "rib-2x2",
         "basketweave", "cable", "lace", "jacquard", "tube")
WEAVES = ("plain", "twill 2/2", "satin 5", "basket 2/2")


def write(name, text):
    path = f"{name}.yaml"
    with open(path, "w") as file:
        file.write(text)
    return path


def test_threads():
    for name, text in SCENES.items():
        scene = write(name, text)
        for threads in "123":
            heddle("run", scene, "-q", "-o", f"{name}{threads}", "--threads", threads)
        check_same_run(f"{name}1", f"{name}2")
        check_same_run(f"{name}1", f"{name}3")


def tube(needles, rounds, carriers):
    """A knitout tube whose rounds are of each carrier by turns."""
    lines = [";!knitout-2", ";;Carriers: 1 2 3"] + [f"in {c}" for c in range(1, carriers + 1)]
    for number in range(rounds):
        carrier = 1 + number % carriers
        lines += [f"knit + f{n} {carrier}" for n in range(1, needles + 1)]
        lines += [f"knit - b{n} {carrier}" for n in range(needles, 0, -1)]
    return "\n".join(lines) + "\n"


def test_tubes_of_needle_beds():
    """Both sheets of a tube, as sliding yarns and as rods."""
    materials = {"sliding": "model: sliding", "rods": "rest: start\n    bend: 5e-9 N*m^2"}
    for carriers in (1, 2, 3):
        with open("tube.k", "w") as file:
            file.write(tube(6, 6, carriers))
        for name, material in materials.items():
            scene = write(f"tube-{name}", f"""heddle: 1
duration: 2 ms
step: {{integrator: implicit-euler, size: 1 ms}}
yarns:
  - name: tube
    {material}
    knit: {{file: tube.k, diameter: 0.7 mm, loop_length: 15 mm, count: 250 tex, points: 16}}
""")
            heddle("run", scene, "-q", "-o", f"tube-{name}{carriers}")


def test_kills():
    moments = random.Random(7)
    for name in SCENES:
        begin = time.monotonic()
        heddle("run", f"{name}.yaml", "-q", "-o", f"{name}-timed", "--threads", "1")
        whole = time.monotonic() - begin
        for _ in range(5):
            process = start("run", f"{name}.yaml", "-q", "-o", f"{name}-killed", "--resume",
                            "--threads", "1")
            try:
                process.wait(timeout=moments.uniform(0.1, 0.5) * whole)
            except subprocess.TimeoutExpired:
                check(stop(process) in (-signal.SIGKILL, 0), "not killed")
        heddle("run", f"{name}.yaml", "-q", "-o", f"{name}-killed", "--resume", "--threads", "2")
        check_same_run(f"{name}1", f"{name}-killed")


def test_formats():
    for name in SCENES:
        for kind in ("obj", "ply", "vtp", "pvd", "usda", "bcc"):
            heddle("convert", f"{name}1", f"{name}.{kind}")
            check(os.path.getsize(f"{name}.{kind}") > 100, f"{name}.{kind} is nearly empty")
        # What was written is read again: the same yarns.
        said = [heddle("info", f"{name}.{kind}").stdout for kind in ("bcc", "usda", "vtp")]
        for text in said:
            check("yarn" in text or "curve" in text, text)


def scene_of(fabric, more=""):
    return f"""heddle: 1
duration: 2 ms
step: {{size: 1 ms}}
yarns:
  - {{name: cloth, model: sliding, {fabric}}}
{more}"""


THICK = """heddle: 1
duration: 0.01 s
step: {{size: 1 ms}}
output: {{frame_interval: 5 ms}}
yarns:
  - name: cloth
    model: sliding
    weave: {{pattern: plain, ends: 12, picks: 12, sett: [20 1/cm, 20 1/cm], warp: 30 tex,
            weft: 30 tex}}
    sliding: {{thickness: {thickness}, set_fraction: 0.8}}
pins:
  - {{name: rod, where: top}}
"""


def bent(run, line):
    with open(f"{run}/energy.csv") as file:
        rows = [row.split(",") for row in file.read().split()]
    return float(rows[line][rows[0].index("bend")])


def test_thickness():
    """Crimp that is not set stores energy, if yarns bend off their crossings."""
    for thickness in ("0", "0.3"):
        scene = write("thick", THICK.format(thickness=thickness))
        heddle("run", scene, "-q", "-o", f"thick-{thickness}", "--threads", "1")
    check(bent("thick-0", 1) == 0.0, "a flat weave is bent")
    check(0.0 < bent("thick-0.3", -1) < bent("thick-0.3", 1), "crimp does not straighten")
    heddle("run", scene, "-q", "-o", "thick-2", "--threads", "2")
    check_same_run("thick-0.3", "thick-2")
    result = heddle("check", write("thick", THICK.format(thickness="1.5")), code=2)
    check("thickness" in result.stderr, f"not named: {result.stderr}")


def test_all_patterns():
    for pattern in NAMED:
        scene = write("pattern", scene_of(
            f"knit: {{pattern: {pattern}, rows: 4, stitches: 12, count: 300 tex}}",
            "pins:\n  - {name: ends, where: ends}\n"))
        heddle("run", scene, "-q", "-o", "pattern", "--force", "--threads", "1")


def test_weaves():
    top = "pins:\n  - {name: rod, where: top}\n"
    for pattern in WEAVES:
        scene = write("woven", scene_of(
            f"weave: {{pattern: {pattern}, ends: 10, picks: 10, sett: [10 1/cm, 10 1/cm], "
            "warp: 60 tex}", top).replace("duration: 2 ms", "duration: 30 ms"))
        heddle("run", scene, "-q", "-o", "woven", "--force", "--threads", "1")
    draft = os.path.join(os.environ["SOURCE_DIR"], "tests/data/point-twill.wif")
    scene = write("draft", scene_of(f"weave: {{draft: {draft}, warp: 60 tex, "
                                    "sett: [10 1/cm, 10 1/cm]}", top))
    heddle("run", scene, "-q", "-o", "draft", "--threads", "1")


if __name__ == "__main__":
    main(globals())
