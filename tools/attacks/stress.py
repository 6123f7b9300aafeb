# SPDX-License-Identifier: MIT
"""Physics beyond what scenes are made for: ten times gravity, steps and stiffness, bodies at 10 m/s."""
import json
import os
import re

from . import scenes
from .bench import Attack, Lost, attack, check, read, write

STIFF = re.compile(r"\b(stretch|bend|twist|weft|shear): ([0-9.e-]+)")


@attack
class Stress(Attack):
    name = "stress"
    about = "10 times gravity, steps and stiffness, bodies at 10 m/s: frames stay finite, nothing passes through, or it says so"
    full, quick = 200, 2

    def prepare(self):
        scenes.write_files(self.home)

    def case(self, rng, directory):
        kind = rng.choice(sorted(scenes.KINDS))
        scenes.write_files(directory)
        ways = rng.sample(("gravity", "step", "stiff", "fast"), rng.randint(1, 3))
        text = scenes.text_of(kind, factor=10.0 if "step" in ways else 1.0)
        step = float(re.search(r"step: {size: ([0-9.e-]+)", text)[1])
        duration = max(float(re.search(r"duration: ([0-9.e-]+)", text)[1]), 4 * step)
        text = re.sub(r"duration: [0-9.e-]+", f"duration: {duration:.6g}", text)
        text = re.sub(r"frame_interval: [0-9.e-]+", f"frame_interval: {max(step, duration / 4):.6g}", text)
        if "stiff" in ways:
            text = STIFF.sub(lambda m: f"{m[1]}: {10 * float(m[2]):.6g}", text)
        if "fast" in ways and "shape: sphere" in text:
            to = rng.choice(("0.02, 1.1", "1.02, 0.1", "0.62, 0.9"))  # 1 m in 0.1 s
            text = text.replace("position: [0.02, 0.1, 0]", "keyframes: [{time: 0 s, position: [0.02, 0.1, 0]}, "
                                                            f"{{time: 0.1 s, position: [{to}, 0]}}]")
        scene = write(os.path.join(directory, "scene.yaml"), text)
        more = ("--set", "world.gravity=[0, -98.1, 0]") if "gravity" in ways and kind != "periodic" else ()
        found = os.path.join(directory, "run")
        answer = self.run("run", scene, "-o", found, "--quiet", *more, patience=300)
        check(answer.code in (0, 1), f"{kind} with {ways}: {answer}")
        self.look(kind, ways, found)
        return "done" if answer.code == 0 else "gave up, and said so"

    def look(self, kind, ways, found):
        """Whatever was written is finite, and sheets and yarns have not passed through each other."""
        facts = json.loads(self.run("info", found, "--json", codes=(0,)).out)
        check(facts["frames"] >= 1, f"{kind} with {ways}: no frames")
        for table in ("energy.csv", "measure.csv"):
            for line in read(os.path.join(found, table)).decode().splitlines()[1:]:
                numbers = [float(cell) for cell in line.split(",") if cell]
                check(all(abs(x) < 1e300 for x in numbers), f"{kind} with {ways}: {line}")
        if kind in ("stack", "mixed", "mixed-knit", "mixed-tear"):
            answer = self.run("info", found, "--intersections", codes=(0, 1))
            if answer.code:
                raise Lost(f"{kind} with {ways}: sheets have passed through each other: {answer.out[-300:]}")
        elif kind in ("knit", "weave", "relaxed", "file") and facts["frames"] > 1:
            answer = self.run("info", found, "--linking", codes=(0, 1))
            if answer.code:
                raise Lost(f"{kind} with {ways}: yarns have passed through each other: {answer.out[-300:]}")
