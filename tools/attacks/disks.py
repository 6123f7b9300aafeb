# SPDX-License-Identifier: MIT
"""Disks that are full, read-only or gone, and two runs in one directory: exit code 3 or 2, a word, nothing half, and
the same bits once there is room again."""
import os
import resource
import shutil
import signal
import subprocess
import time

from . import scenes, writers
from .bench import PATIENCE, Attack, Unable, attack, check, check_same, kill_after, results, tree, wait_until


def mount(directory, *options):
    return subprocess.run(["mount", *options, directory], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def unmount(directory):
    subprocess.run(["umount", "-l", directory], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def halves(root):
    return [path for path in tree(root) if path.endswith(".part")]


class Disk(Attack):
    KINDS = ("springs", "relaxed", "sliding-weave", "membrane", "mixed")

    def prepare(self):
        scenes.write_files(self.home)
        self.size = {}
        for kind in self.KINDS:
            scenes.write_scene(self.home, kind)
            self.run(*self.command(kind, self.shared(kind)), codes=(0,))
            self.size[kind] = sum(len(data) + 4096 for data in results(self.shared(kind)).values())

    def command(self, kind, directory, *more):
        return ("run", self.shared(f"{kind}.yaml"), "-o", directory, "--quiet", *more)

    def writer(self, rng, kind, directory):
        """The name of a file, and a command that writes it."""
        name = rng.choice(("a.bcc", *sorted(writers.WRITERS)))
        if name == "a.bcc":  # of yarns alone
            return name, ("convert", self.shared("yarn.obj"), os.path.join(directory, name))
        return name, writers.command(name, self.shared(kind), directory)


@attack
class FullDisk(Disk):
    name = "full-disk"
    about = "small file systems and limits of file size under runs and every writer, then room again"
    full, quick = 200, 2

    def case(self, rng, directory):
        kind = rng.choice(self.KINDS)
        way = rng.choice(("disk", "limit", "write"))
        return {"disk": self.small_disk, "limit": self.limited, "write": self.write_file}[way](rng, kind, directory)

    def small_disk(self, rng, kind, directory):
        kilobytes = max(8, int(self.size[kind] * rng.uniform(0.02, 1.0)) // 1024)
        if not mount(directory, "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs"):
            return self.limited(rng, kind, directory)
        try:
            found = os.path.join(directory, "run")
            answer = self.run(*self.command(kind, found), codes=(0, 3))
            if answer.code == 3:
                check("No space left" in answer.errors, str(answer))
                check(not halves(directory), f"halves were left: {halves(directory)}")
            if os.path.exists(os.path.join(found, "frames", "000000.hed")):
                self.run("info", found, codes=(0,))
            subprocess.run(["mount", "-o", "remount,size=256m", directory], check=True)
            self.run(*self.command(kind, found, "--resume"), codes=(0,))
            check_same(self.shared(kind), found)
            return "full, then resumed" if answer.code == 3 else "fitted"
        finally:
            unmount(directory)

    def limited(self, rng, kind, directory):
        found = os.path.join(directory, "run")
        limit = rng.choice((0, 10, 1000, rng.randrange(1, 20000)))
        answer = self.run(*self.command(kind, found), codes=(0, 3), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        self.run(*self.command(kind, found, "--resume"), codes=(0,))
        check_same(self.shared(kind), found)
        return "limited, then resumed" if answer.code == 3 else "fitted"

    def write_file(self, rng, kind, directory):
        name, command = self.writer(rng, kind, directory)
        limit = rng.choice((0, 1, 100, 3000))
        answer = self.run(*command, codes=(0, 3), preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit)))
        left = sorted(tree(directory))
        check((answer.code == 0) == (name in left), f"{name}: {left} after {answer}")
        check(answer.code == 0 or not left, f"{name}: {left} after {answer}")
        return "writer refused" if answer.code else "fitted"


@attack
class BadPlace(Disk):
    name = "bad-place"
    about = "read-only and vanished directories under runs and writers"
    full, quick = 100, 2

    def case(self, rng, directory):
        kind = rng.choice(self.KINDS)
        way = rng.choice(("read-only", "read-only later", "vanished", "frames vanished", "no parent", "write"))
        place = os.path.join(directory, "disk")
        os.makedirs(place)
        found = os.path.join(place, "run")
        if way == "vanished":
            return self.vanish(rng, kind, place, found)
        if way == "frames vanished":
            return self.vanish(rng, kind, os.path.join(found, "frames"), found)
        if way == "no parent":
            answer = self.run(*self.command(kind, os.path.join(self.shared(f"{kind}.yaml"), "run")), codes=(2, 3))
            return f"refused {answer.code}"
        if not mount(place, "-t", "tmpfs", "tmpfs"):
            raise Unable("no right to mount a file system")
        try:
            return self.read_only(rng, kind, place, found, way)
        finally:
            unmount(place)

    def read_only(self, rng, kind, place, found, way):
        if way == "read-only later":
            process = self.start(*self.command(kind, found))
            wait_until(lambda: os.path.exists(os.path.join(found, "frames", "000002.hed"))
                       or process.poll() is not None)
            mount(place, "-o", "remount,ro")  # fails while a file is open for writing
            process.wait(timeout=PATIENCE)
            mount(place, "-o", "remount,rw")
            self.run(*self.command(kind, found, "--resume"), codes=(0,))
            check_same(self.shared(kind), found)
            return "resumed"
        mount(place, "-o", "remount,ro")
        if way == "write":
            self.run(*self.writer(rng, kind, place)[1], codes=(3,))
        else:
            answer = self.run(*self.command(kind, found), codes=(3,))
            check("Read-only" in answer.errors, str(answer))
        return "refused"

    def vanish(self, rng, kind, gone, found):
        """A directory is removed under a run: it ends with a word, or had ended before."""
        process = self.start(*self.command(kind, found), output=subprocess.PIPE)
        wait_until(lambda: os.path.exists(os.path.join(found, "frames", f"{rng.randrange(5):06}.hed"))
                   or process.poll() is not None)
        shutil.rmtree(gone, ignore_errors=True)
        _, errors = process.communicate(timeout=PATIENCE)
        check(process.returncode in (0, 3), f"exit code {process.returncode}: {errors}")
        check(process.returncode == 0 or errors.strip(), "no word")
        check(b"Sanitizer" not in errors, errors)
        return "ended by itself"


@attack
class TwoRuns(Disk):
    name = "two-runs"
    about = "two and more processes that run, resume and replace in one directory"
    full, quick = 100, 1

    def case(self, rng, directory):
        kind = rng.choice(self.KINDS)
        found = os.path.join(directory, "run")
        processes = []
        for _ in range(rng.randint(2, 5)):
            more = rng.choice((("--resume",), ("--resume",), ("--force",), ()))
            processes.append(self.start(*self.command(kind, found, *more)))
            time.sleep(rng.uniform(0.0, 0.1))
        if rng.random() < 0.3:
            kill_after(processes[0], rng.uniform(0.0, 0.3))
        codes = [p.wait(timeout=PATIENCE) for p in processes]
        check(all(code in (0, 2, -signal.SIGKILL) for code in codes), f"exit codes {codes}")
        self.run(*self.command(kind, found, "--resume"), codes=(0,))
        check_same(self.shared(kind), found)
        return "one wrote" if codes.count(0) == 1 else "one after the other"
