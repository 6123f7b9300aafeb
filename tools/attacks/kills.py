# SPDX-License-Identifier: MIT
"""SIGKILL at random moments: what is taken up again ends with the bits of an undisturbed run."""
import os
import signal

from . import scenes, writers
from .bench import (Attack, Lost, attack, check, check_same, environment, fresh, kill_after, read, results, start,
                    stop_after, write)

KILLS = 5  # of one run at the most, before it may end


class Kill(Attack):
    """Kills one command of a case again and again, then lets it end and compares."""

    asks = 0.0  # part of the strikes that ask politely

    def strike(self, rng, command, seconds, env=None):
        """Kills a command at random moments of the time it takes; how many times."""
        kills = 0
        for _ in range(rng.randint(1, KILLS)):
            process = start(self.programs.plain, *command, env=env)
            moment = rng.uniform(0.0, 1.05 * seconds)
            if rng.random() < self.asks:
                stop_after(process, moment, rng.choice((signal.SIGTERM, signal.SIGINT)))
            else:
                kills += kill_after(process, moment)
        return kills


@attack
class KillRun(Kill):
    name = "kill-run"
    about = "SIGKILL of runs of every kind of scene, with some SIGTERM between, then --resume"
    asks = 0.2
    full, quick = 700, 4

    def prepare(self):
        scenes.write_files(self.home)
        self.seconds = {}

    def straight(self, kind):
        """The undisturbed run of a kind, made when it is first needed."""
        directory = self.shared(kind)
        if kind not in self.seconds:
            scenes.write_scene(self.home, kind)
            fresh(directory)
            self.seconds[kind] = self.run("run", self.shared(f"{kind}.yaml"), "-o", directory, "--quiet",
                                          codes=(0,)).seconds
        return directory

    def case(self, rng, directory):
        kind = rng.choice(sorted(scenes.KINDS))
        expected = self.straight(kind)
        command = ("run", self.shared(f"{kind}.yaml"), "-o", os.path.join(directory, "run"), "--quiet", "--resume",
                   "--threads", rng.choice((1, 2, 3)))
        kills = self.strike(rng, command, self.seconds[kind])
        found = os.path.join(directory, "run")
        if os.path.exists(os.path.join(found, "frames", "000000.hed")):
            self.run("info", found, codes=(0,))  # readable as it is
        self.run(*command, codes=(0,))
        check_same(expected, found)
        return kind, kills


@attack
class KillRelax(Kill):
    name = "kill-relax"
    about = "SIGKILL while fabrics come to rest and are kept in the cache, then the same again"
    full, quick = 100, 1

    def prepare(self):
        self.scene = write(self.shared("relaxed.yaml"), scenes.text_of("relaxed").replace("rows: 3, stitches: 4", "rows: 6, stitches: 8"))
        self.expected, self.seconds = self.make(self.shared("straight"))

    def make(self, directory):
        os.makedirs(directory, exist_ok=True)
        out = os.path.join(directory, "rest.bcc")
        answer = self.run("convert", self.scene, out, "--force", codes=(0,),
                          env=environment(HEDDLE_CACHE=os.path.join(directory, "cache")))
        return read(out), answer.seconds

    def case(self, rng, directory):
        out = os.path.join(directory, "rest.bcc")
        env = environment(HEDDLE_CACHE=os.path.join(directory, "cache"))
        kills = self.strike(rng, ("convert", self.scene, out, "--force"), self.seconds, env)
        check(not os.path.exists(out) or read(out) == self.expected, f"{out}: half a file, or another one")
        found, _ = self.make(directory)
        check(found == self.expected, f"{out} differs from that of an undisturbed relaxation")
        left = [path for path in results(directory) if path.endswith(".part")]
        check(not left, f"{left} of killed processes are still in the cache")
        found, _ = self.make(directory)  # and from what the cache keeps
        check(found == self.expected, f"{out} from the cache differs")
        return "relaxed", kills


@attack
class KillWrite(Kill):
    name = "kill-write"
    about = "SIGKILL of convert, export, render and films: no half file under the name, the same bits the next time"
    full, quick = 200, 3

    def prepare(self):
        scene = scenes.write_scene(self.home, "springs")
        self.source = self.shared("run")
        self.run("run", scene, "-o", self.source, "--quiet", codes=(0,))
        self.expected = {}
        names = (*writers.WRITERS, *writers.SERIES)
        for name in names:
            directory = fresh(self.shared(f"straight-{name}"))
            answer = self.run(*self.command(name, directory))
            if answer.code == 0:
                self.expected[name] = (self.whole(directory), answer.seconds)
        if len(self.expected) < len(names) - 1:  # a film needs ffmpeg
            raise Lost(f"only {sorted(self.expected)} can be written")

    def command(self, name, directory):
        return writers.command(name, self.source, directory, "--force")

    @staticmethod
    def whole(directory):
        """Files by name; what a killed writer left under a name of its own does not count, until the next clears it away."""
        return {path: data for path, data in results(directory).items() if not path.endswith(".part")}

    def case(self, rng, directory):
        name = rng.choice(sorted(self.expected))
        expected, seconds = self.expected[name]
        kills = self.strike(rng, self.command(name, directory), seconds)
        for path, data in self.whole(directory).items():
            check(expected.get(path) == data, f"{directory}/{path}: half a file, or another one, after a kill")
        self.run(*self.command(name, directory), codes=(0,))
        check(self.whole(directory) == expected, f"{directory}/{name} differs from an undisturbed one")
        left = sorted(set(results(directory)) - set(expected))
        check(not left, f"{left} of killed writers are still there after a whole one")
        return name, kills
