# SPDX-License-Identifier: MIT
"""Single bits of a run directory turn over: found by a checksum and named, or mended; never believed."""
import os
import re
import shutil

from . import scenes
from .bench import PATIENCE, Attack, Lost, attack, check, check_same, results, wait_until

STORES = re.compile(r"checkpoint|frames/\w+\.hed")


def flip(path, bit):
    with open(path, "r+b") as stream:
        stream.seek(bit // 8)
        byte = stream.read(1)[0]
        stream.seek(bit // 8)
        stream.write(bytes([byte ^ 1 << bit % 8]))


@attack
class Flips(Attack):
    name = "flips"
    about = "one bit of checkpoint, frames or tables turned over, then info, convert, export and --resume"
    full, quick = 500, 4
    KINDS = ("springs", "relaxed", "sliding-weave", "mixed")

    def prepare(self):
        scenes.write_files(self.home)
        for kind in self.KINDS:
            scenes.write_scene(self.home, kind)
            self.run("run", self.shared(f"{kind}.yaml"), "-o", self.shared(kind), "--quiet", codes=(0,))
            self.run_half(kind)

    def run_half(self, kind):
        """A run that was stopped halfway: it has a checkpoint, and the one before."""
        duration = scenes.KINDS[kind][1]
        half = self.shared(f"{kind}-half")
        process = self.start("run", self.shared(f"{kind}.yaml"), "-o", half, "--quiet", "--duration", duration)
        wait_until(lambda: os.path.exists(os.path.join(half, "frames", "000004.hed")) or process.poll() is not None)
        process.terminate()
        process.wait(timeout=PATIENCE)

    def case(self, rng, directory):
        kind = rng.choice(self.KINDS)
        found = os.path.join(directory, "run")
        shutil.copytree(self.shared(f"{kind}-half"), found)
        before = results(found)
        names = sorted(name for name, data in before.items() if data)
        # Every second flip in what can be a single point of failure.
        name = "checkpoint" if rng.random() < 0.3 else rng.choice(names)
        flip(os.path.join(found, name), rng.randrange(8 * len(before[name])))
        return self.look(kind, found, name, before, directory) + self.resume(kind, found, name)

    def look(self, kind, found, name, before, directory):
        """Readers name the file, or give what an undamaged run gives."""
        out = os.path.join(directory, "a.obj")
        m = re.fullmatch(r"frames/0*(\d+)\.hed", name)
        frame = m[1] if m else "2"
        answer = self.run("convert", found, out, "--frame", frame)
        if answer.code != 0:
            check(os.path.basename(name) in answer.errors, f"{name} is damaged, the error is {answer.errors!r}")
            check(answer.code == 2, f"{name}: {answer}")
            check(not os.path.exists(out), f"{out} was written from damaged frames")
        else:
            check(not m and name != "frames/objects.hed", f"{name} is damaged, and convert believes it")
        answer = self.run("info", found)
        check(answer.code in (0, 2), str(answer))
        return ""

    def resume(self, kind, found, name):
        answer = self.run("run", self.shared(f"{kind}.yaml"), "-o", found, "--resume", "--quiet")
        if answer.code != 0:
            check(answer.code == 2 and os.path.basename(name) in answer.errors,
                  f"{name} is damaged: {answer}")
            check(name.endswith(".csv"), f"{name}: refused though the rest is good: {answer}")
            return "refused by name"
        if "damaged or missing" in answer.errors:
            check(re.match(r"frames/\d", name), f"{name}: {answer.errors}")
            expected, got = results(self.shared(kind)), results(found)
            check([p for p in expected if got.get(p) != expected[p]] == [name], f"{name}: other files differ too")
            return "lost frame told"
        try:
            check_same(self.shared(kind), found)
        except Lost as loss:
            raise Lost(f"after a flip in {name}: {loss}") from None
        return "mended"
