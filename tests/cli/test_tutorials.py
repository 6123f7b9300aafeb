#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command of README, docs/hello.md and docs/gallery.md does its work, line after line in a folder that holds
only the tree's scenes and the program: a link in it to each. Runs are cut short and pictures small."""
import os
import re
import shlex
import shutil
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, heddle, main
from test_docs import SOURCE, hurried

BLOCK = re.compile(r"^```(sh|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What other tests run: the build, the server, what takes minutes, and `make demo` with its scene.
ELSEWHERE = ("make", "cmake", "build/heddle view", "build/heddle bench", "build/heddle experiment ",
             "build/heddle run scenes/demo.yaml", "build/heddle render out/demo ")
SHORT = "0.02"  # s, of a run in place of what its scene says


def shortened(words):
    """The same command, in a second or so."""
    verb, rest = words[0], list(words[1:])
    if verb == "run":
        if "--duration" in rest:
            rest[rest.index("--duration") + 1] = str(2 * float(SHORT))
        else:
            rest += ["--duration", SHORT]
        rest += hurried(rest[0]) if rest[0].startswith("scenes/") else []
        rest += ["--quiet", "--threads", "1"]
    if verb == "render":
        for option, value in (("--size", "48x36"), ("--samples", "1")):
            if option in rest:
                rest[rest.index(option) + 1] = value
            else:
                rest += [option, value]
    if "--frame" in rest:
        rest[rest.index("--frame") + 1] = "last"
    return [verb, *rest]


def written(words):
    """The file or directory that a command promises, if it names one."""
    if "-o" in words:
        return words[words.index("-o") + 1]
    if "--html" in words:
        return words[words.index("--html") + 1]
    return words[2] if words[0] == "convert" else None


def follow(page):
    """Does what a page says from its top to its end; how many commands that were."""
    folder = os.path.abspath(os.path.basename(page))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(os.path.join(SOURCE, "scenes"), os.path.join(folder, "scenes"))
    os.symlink(HEDDLE, os.path.join(folder, "build", "heddle"))
    with open(os.path.join(SOURCE, page)) as stream:
        text = stream.read()
    count, at = 0, 0
    before = os.getcwd()
    os.chdir(folder)
    try:
        for block in BLOCK.finditer(text):
            if block[1] == "yaml":
                named = re.findall(r"`(\w+\.yaml)`", text[:block.start()])
                if named and block[2].startswith("heddle: 1"):
                    with open(named[-1], "w") as out:
                        out.write(block[2])
                continue
            for line in block[2].splitlines():
                line = line.split(" #")[0].strip()
                if line.startswith("mkdir "):
                    os.makedirs(shlex.split(line)[-1], exist_ok=True)
                elif line.startswith("build/heddle ") and not line.startswith(ELSEWHERE):
                    follow_line(page, shlex.split(line)[1:])
                    count += 1
                elif line and not line.startswith(ELSEWHERE):
                    check(False, f"{page}: nothing is known of '{line}'")
    finally:
        os.chdir(before)
    return count


def follow_line(page, words):
    if words == ["check", "towel.yaml"] and not os.path.exists("towel.yaml"):
        open("towel.yaml", "w").close()  # the tutorial begins with an empty file
        check("there is nothing in it" in heddle(*words, code=2).stderr, "what hello.md shows")
        return
    heddle(*shortened(words))
    out = written(words)
    check(out is None or os.path.exists(out), f"{page}: {words} did not write {out}")


def test_readme():
    check(follow("README.md") >= 11, "commands of README.md are missing")


def test_hello():
    check(follow("docs/hello.md") >= 14, "commands of docs/hello.md are missing")


def test_gallery():
    check(follow("docs/gallery.md") >= 12, "commands of docs/gallery.md are missing")


if __name__ == "__main__":
    main(globals())
