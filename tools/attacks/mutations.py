# SPDX-License-Identifier: MIT
"""Files that were changed at random, for every reader, in the build with sanitizers: an answer or an error, and an
error names the file."""
import os
import shutil

from . import scenes, stores
from .bench import MEMORY, ROOT, Attack, Many, TooLong, Unable, attack, check, read, run, write

WORDS = (b"nan", b"inf", b"-1", b"0", b"1e999", b"4294967296", b"-2147483648", b"99999999999999999999", b"\0", b"\n",
         b"\xff\xfe", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b"(", b")", b"\"", b":", b",", b";", b"#", b"/", b"\\",
         b"\r", b"\t", b"  ", b"..", b"=", b"*", b"&", b"<", b">", b"%s", b"%n", b"1e-320", b"0x10", b"--", b"\xc3")
BATCH = 10  # mutants of one case: a case is one start of the attack's bookkeeping
OUT = "out.obj"
PATIENCE = 60  # s of work; a file of 60 kB is read in a second or two, and without optimisation in ten times that
WAIT = 600  # s of the clock for those that take longer, without sanitizers


def mutate(rng, data, other):
    """A few changes of bytes, words, lines and places, or of both halves of two files."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8, 30))):
        at, end = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        end = min(end, at + rng.choice((1, 4, 16, 100, len(data))))
        way = rng.randrange(9)
        if way == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << rng.randrange(8)
        elif way == 1 and data:
            data[min(at, len(data) - 1)] = rng.randrange(256)
        elif way == 2:
            data[at:at] = rng.choice(WORDS)
        elif way == 3:
            del data[at:end]
        elif way == 4:
            data[at:at] = data[at:end] * rng.choice((1, 2, 20))
        elif way == 5:
            del data[at:]
        elif way == 6:
            lines = bytes(data).split(b"\n")
            i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
            data = bytearray(b"\n".join(lines))
        elif way == 7:
            digits = [i for i, c in enumerate(data[:5000]) if 48 <= c < 58]
            if digits:
                i = rng.choice(digits)
                data[i:i + 1] = rng.choice((b"0", b"9", b"-1", b"1e9", b"1e-9", b"65536", b".5", b"2147483647"))
        else:
            data[at:] = other[rng.randrange(len(other) + 1):]
        if len(data) > 200000:
            del data[200000:]
    return bytes(data)


def seeds_of(*places):
    """Files of the tree by pattern of folder and extension."""
    found = []
    for folder, extension in places:
        folder = os.path.join(ROOT, folder)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if name.endswith(extension) and os.path.isfile(path) and os.path.getsize(path) < 60000:
                found.append(read(path))
    return found


CORPUS = "tests/fuzz/corpus/"
# reader: (extension, seeds, commands: each with the file in place of FILE)
INFO = (("info", "FILE"), ("convert", "FILE", OUT, "--force"))
READERS = {
    "scene": ("yaml", (("scenes", ".yaml"), (CORPUS + "scene", "")), (("check", "FILE"),)),
    "obj": ("obj", ((CORPUS + "obj", ""), (CORPUS + "curves", ".obj")), INFO),
    "ply": ("ply", ((CORPUS + "ply", ""),), INFO),
    "bcc": ("bcc", ((CORPUS + "bcc", ".bcc"),), INFO),
    "yarns": ("yarns", ((CORPUS + "yarns", ""), ("tests/data", ".yarns")), INFO),
    "pyp": ("pyp", ((CORPUS + "pyp", ""), ("tests/data", ".pyp")), INFO),
    "usda": ("usda", ((CORPUS + "usda", ""),), INFO),
    "vtp": ("vtp", ((CORPUS + "vtp", ""),), INFO),
    "wif": ("wif", ((CORPUS + "wif", ""), ("tests/data", ".wif")), INFO),
    "chart": ("knit", ((CORPUS + "chart", ""), ("tests/data", ".knit")), INFO),
    "knitspeak": ("ks", ((CORPUS + "knitspeak", ""), ("tests/data", ".ks")), INFO),
    "knitout": ("k", ((CORPUS + "knitout", ""), ("tests/data", ".k")), INFO),
    "garment": ("json", ((CORPUS + "garment", ""), ("scenes", ".json")), (("info", "FILE", "--size", "5cm"),)),
    "frame": ("hed", (), (("info", "RUN"), ("convert", "RUN", OUT, "--force"))),
    "checkpoint": ("", (), (("run", "SCENE", "-o", "RUN", "--resume", "--quiet"),)),
    "table": ("csv", (), (("plot", "RUN", "-o", "out.png", "--force"),)),
}


class Mutation(Attack):
    """One reader; the classes are made below, one for each."""
    full, quick = 2000, 10
    reader = ""

    def prepare(self):
        if not self.programs.guarded:
            raise Unable("no build with sanitizers: cmake --preset debug, or HEDDLE_SANITIZED")
        self.large = 0
        self.many = Many(self.programs.many) if self.programs.many else None
        self.extension, places, self.commands = READERS[self.reader]
        scenes.write_files(self.home)
        self.seeds = [seed for seed in seeds_of(*places) if seed]
        self.target = None  # of a run: which file of it is changed
        if self.reader in ("frame", "checkpoint", "table"):
            self.scene = write(self.shared("s.yaml"), scenes.text_of("springs").replace("points: [8, 8]", "points: [3, 3]"))
            run(self.programs.plain, "run", self.scene, "-o", self.shared("run"), "--quiet", "--duration", "0.1",
                codes=(0,))
            self.target = {"frame": "frames/000004.hed", "checkpoint": "checkpoint", "table": "energy.csv"}[self.reader]
            self.seeds = [read(self.shared("run", self.target)), read(self.shared("run", "frames", "objects.hed"))]

    def case(self, rng, directory):
        for k in range(BATCH):
            self.one(rng, os.path.join(directory, str(k)))
        return "answered", BATCH

    def one(self, rng, directory):
        os.makedirs(directory)
        data = mutate(rng, rng.choice(self.seeds), rng.choice(self.seeds))
        names = {"FILE": os.path.join(directory, f"a.{self.extension}")}
        if self.target:
            names = {"RUN": os.path.join(directory, "run"), "SCENE": self.scene}
            shutil.copytree(self.shared("run"), names["RUN"])
            target = self.target if self.reader != "frame" or rng.random() < 0.5 else "frames/objects.hed"
            if self.reader != "table" and rng.random() < 0.7:
                data = stores.change(rng, read(self.shared("run", target)))
            write(os.path.join(directory, "run", target), data)
        else:
            scenes.write_files(directory)
            write(names["FILE"], data)
        command = [names.get(word, word) for word in rng.choice(self.commands)]
        answer = self.ask(command, directory)
        # Other files of the same name may be at fault: scenes read meshes.
        check(answer.code in (0, 1, 2) or "memory" in answer.errors, f"{' '.join(command)}: {answer}")

    def ask(self, command, directory):
        try:
            if self.many:
                return self.many.run(*command, cwd=directory, patience=PATIENCE)
            return run(self.programs.guarded, *command, cwd=directory, patience=PATIENCE)
        except TooLong:
            # Four lines can ask for 400,000 loops, which take 26 s of one core when optimised, and twenty
            # times that with sanitizers. What is large, and not endless, has an answer without them, if
            # only that it is too large.
            self.large += 1
            return self.run(*command, cwd=directory, patience=WAIT, memory=MEMORY)

    def finish(self):
        if self.many:
            self.many.stop()
        if self.large:
            self.note = f"{self.large} too large for sanitizers, answered by the other build"


def make(reader):
    name = f"mutate-{reader}"
    about = f"files of the reader of {reader} changed at random, under sanitizers"
    attack(type("Mutate" + reader.capitalize(), (Mutation,), {"name": name, "about": about, "reader": reader}))


for each in READERS:
    make(each)
