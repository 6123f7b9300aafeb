# SPDX-License-Identifier: MIT
"""What is no plain file where a file is expected: links, rings of links, pipes, devices, directories, secret files."""
import os
import shutil
import socket
import subprocess
import sys

from . import scenes
from .bench import PATIENCE, Attack, attack, check, environment, read, write

EXTENSIONS = ("yaml", "json", "obj", "ply", "bcc", "yarns", "pyp", "usda", "vtp", "wif", "knit", "ks", "k", "csv")
VERBS = (("info",), ("check",), ("convert", "out.obj"), ("render", "-o", "out.png", "--size", "8x8"),
         ("export", "--html", "out.html"), ("plot", "-o", "out.png"))


@attack
class Inputs(Attack):
    name = "inputs"
    about = "symbolic links, pipes, devices, sockets and directories in the place of files to read and of runs' own"
    full, quick = 400, 6

    def prepare(self):
        scenes.write_files(self.home)
        scene = scenes.write_scene(self.home, "springs")
        self.run("run", scene, "-o", self.shared("run"), "--quiet", "--duration", "0.1", codes=(0,))

    def case(self, rng, directory):
        return rng.choice((self.read_odd, self.read_odd, self.read_pipe, self.odd_run, self.odd_output))(rng, directory)

    def odd(self, rng, path):
        """Puts something that is no plain file at a path; what it is, and whether it could be read all the same."""
        kinds = ["null", "zero", "ring", "dangling", "directory", "socket", "link", "full", "terminal"]
        kind = rng.choice(kinds + ["pipe"] * (not self.is_quick))  # a silent pipe takes its ten seconds
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "directory":
            os.mkdir(path)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as s:
                here = os.getcwd()
                os.chdir(os.path.dirname(path))  # names of sockets are short
                s.bind(os.path.basename(path))
                os.chdir(here)
        elif kind == "ring":
            os.symlink(path + ".2", path)
            os.symlink(path, path + ".2")
        else:
            target = {"dangling": path + ".none", "link": write(path + ".plain", "x\n")}.get(kind, f"/dev/{kind}")
            os.symlink("/dev/tty" if kind == "terminal" else target, path)
        return kind

    def read_odd(self, rng, directory):
        path = os.path.join(directory, "a." + rng.choice(EXTENSIONS))
        kind = self.odd(rng, path)
        verb, *rest = rng.choice(VERBS)
        self.run(verb, path, *rest, codes=(2, 3), cwd=directory)
        return kind

    def read_pipe(self, rng, directory):
        """A pipe that somebody writes to is read; one that falls silent is given up."""
        scene = read(self.shared("springs.yaml"))
        out = os.path.join(directory, "run")
        cut = None if self.is_quick else rng.choice((None, 0, rng.randrange(len(scene))))
        writer = subprocess.Popen([sys.executable, "-c", "import sys, time\nsys.stdout.buffer.write("
                                   f"{scene[:cut]!r})\nsys.stdout.flush()\n"
                                   + ("time.sleep(100)" if cut is not None else "")], stdout=subprocess.PIPE)
        try:
            done = subprocess.run([self.programs.plain, "run", "/dev/stdin", "-o", out, "--quiet", "--duration", "0.02"],
                                  stdin=writer.stdout, capture_output=True, timeout=PATIENCE, env=environment(),
                                  cwd=self.home, check=False)
        finally:
            writer.kill()
            writer.wait()
            writer.stdout.close()
        if cut is None:
            check(done.returncode == 0, f"a whole scene through a pipe: {done.stderr!r}")
            return "read through a pipe"
        check(done.returncode == 2 and b"pipe" in done.stderr, f"a silent pipe: {done.returncode}, {done.stderr!r}")
        return "silent pipe given up"

    def odd_run(self, rng, directory):
        """A run directory in which a file is something else, or leads to a file of somebody else's."""
        found = os.path.join(directory, "run")
        shutil.copytree(self.shared("run"), found)
        name = rng.choice(("scene.yaml", "energy.csv", "measure.csv", "checkpoint", "summary.json", ".lock",
                           "frames/000001.hed", "frames/objects.hed"))
        path = os.path.join(found, name)
        secret = write(os.path.join(directory, "secret"), b"mine\n" + os.urandom(30000))
        kept = read(secret)
        os.remove(path)
        kind = "secret"
        if rng.random() < 0.5:
            os.symlink(secret, path)
        else:
            kind = self.odd(rng, path)
        scene = self.shared("springs.yaml")
        for command in (("info", found), ("convert", found, os.path.join(directory, "o.obj"), "--force"),
                        ("plot", found, "-o", os.path.join(directory, "o.png"), "--force"),
                        ("run", scene, "-o", found, "--quiet"), ("run", scene, "-o", found, "--quiet", "--resume"),
                        ("run", scene, "-o", found, "--quiet", "--force", "--duration", "0.02")):
            self.run(*command)
            check(os.path.exists(secret) and read(secret) == kept, f"{name}: {' '.join(command)} wrote through a link")
        return f"run with {kind}"

    def odd_output(self, rng, directory):
        """Results where a link, a pipe without a reader or a device stands."""
        out = os.path.join(directory, "o." + rng.choice(("obj", "ply", "usda", "html", "png")))
        secret = write(os.path.join(directory, "secret"), "mine\n")
        if rng.random() < 0.5:
            os.symlink(secret, out)
            self.run("convert", self.shared("run"), out, codes=(2,)) if not out.endswith("png") else None
            check(read(secret) == b"mine\n", "wrote through a link without --force")
            return "link kept"
        os.mkdir(out)
        verb = ("render", self.shared("run"), "-o", out, "--size", "8x8", "--samples", "1", "--force") if out.endswith(
            "png") else ("convert", self.shared("run"), out, "--force")
        self.run(*verb, codes=(2, 3))
        return "directory kept"
