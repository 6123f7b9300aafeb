# SPDX-License-Identifier: MIT
"""Runs are resumed with scenes, files and places that are not theirs."""
import os
import shutil

from . import scenes
from .bench import Attack, attack, check, read, results, write

CHANGES = ("step.size=1/199 s", "seed=2", "world.gravity=[0, -9.8, 0]", "world.drag=0.1 1/s", "name=other",
           "output.frame_interval=0.05 s", "step.integrator=bdf2", "output.quantities=[]")
OTHERS = {"springs": "mesh", "mesh": "xpbd", "mixed": "springs"}  # whose checkpoint is put in the place of whose


@attack
class Resume(Attack):
    name = "resume"
    about = "--resume with a changed scene, a changed file or somebody else's checkpoint: refused, nothing touched"
    full, quick = 200, 3

    def prepare(self):
        scenes.write_files(self.home)
        for kind in ("springs", "mesh", "xpbd", "mixed"):
            scenes.write_scene(self.home, kind)
            half = 0.5 * scenes.KINDS[kind][1]
            self.run("run", self.shared(f"{kind}.yaml"), "-o", self.shared(kind), "--quiet", "--duration", half,
                     codes=(0,))

    def case(self, rng, directory):
        way = rng.choice(("set", "text", "file", "checkpoint", "objects"))
        kind = "mesh" if way == "file" else rng.choice(sorted(OTHERS))
        found = os.path.join(directory, "run")
        shutil.copytree(self.shared(kind), found)
        scenes.write_files(directory)
        scene = scenes.write_scene(directory, kind)
        more = ()
        if way == "set":
            more = ("--set", rng.choice(CHANGES))
        elif way == "text":
            text = read(scene).decode()
            digits = [i for i, c in enumerate(text) if c in "123456789" and "heddle: " not in text[max(0, i - 8):i]]
            at = rng.choice(digits)
            other = rng.choice([c for c in "123456789" if c != text[at]])
            write(scene, text[:at] + other + text[at + 1:])
        elif way == "file":
            write(os.path.join(directory, "cloth.obj"), scenes.cloth_obj(size=0.4 + rng.uniform(1e-5, 0.01)))
        elif way == "checkpoint":
            shutil.copy(self.shared(OTHERS[kind], "checkpoint"), found)
        else:
            shutil.copy(self.shared("mesh" if kind == "springs" else "springs", "frames", "objects.hed"),
                        os.path.join(found, "frames"))
        before = results(found)
        answer = self.run("run", scene, "-o", found, "--resume", "--quiet", *more, codes=None)
        if way == "objects":
            check(answer.code == 0, str(answer))  # follows from the scene: written again
            return "mended"
        # A duration is none of the scene's bits, and a number that says the same is the same.
        if answer.code == 0:
            check(way == "text", f"{way} {more}: believed")
            return "the same scene"
        check(answer.code == 2, f"{way} {more}: {answer}")
        check(results(found) == before, f"{way} {more}: refused, but files have changed")
        return "refused"
