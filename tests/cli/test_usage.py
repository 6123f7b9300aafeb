#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bad uses: exit code, message, and nothing written."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, heddle, main, tree, write_scene


def refused(arguments, *words, code=2):
    before = tree(".")
    result = heddle(*arguments, code=code)
    check(result.stdout == "", f"{arguments}: stdout should be empty, is {result.stdout!r}")
    for word in words:
        check(word in result.stderr, f"{arguments}: '{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{arguments}: files were written")


def test_verbs():
    refused([], "usage")
    refused(["rum"], "unknown verb 'rum'", "'run'")
    refused(["xyzzy"], "unknown verb 'xyzzy'")
    refused(["--frob"], "--frob")
    check("usage" in heddle("--help").stdout, "--help")
    check("0.1.0" in heddle("--version").stdout, "--version")
    for verb in ("run", "check", "info", "convert", "view", "export", "render", "plot", "experiment", "bench"):
        check(f"heddle {verb}" in heddle(verb, "--help").stdout, verb)


def test_options():
    write_scene()
    refused(["run"], "missing argument: SCENE")
    refused(["run", "scene.yaml", "--durration", "1"], "unknown option", "--duration")
    refused(["run", "scene.yaml", "-x"], "unknown option '-x'")
    refused(["run", "scene.yaml", "--duration"], "--duration needs T")
    refused(["run", "scene.yaml", "extra"], "unexpected argument 'extra'")
    refused(["run", "scene.yaml", "--json=yes"], "--json takes no value")
    refused(["run", "scene.yaml", "--resume", "--force"], "exclude each other")
    for text in ("x", "", "-1", "1 fortnight", "nan", "inf", "1e999", "0x10", "1s2"):
        refused(["run", "scene.yaml", "--duration", text], "--duration needs a time")
    for text in ("0", "-2", "two", "1.5", "99999", "", " 1"):
        refused(["run", "scene.yaml", "--threads", text], "--threads needs a whole number")
    refused(["run", "scene.yaml", "--duration", "1us"], "time step")
    refused(["run", "scene.yaml", "--duration", "1e12"], "duration")
    refused(["run", "scene.yaml", "-o", ""], "--output needs DIR")
    refused(["run", "scene.yaml", *["--set", "duration=1"] * 300], "more than 256 times --set")


def test_scenes():
    write_scene()
    refused(["run", "missing.yaml"], "missing.yaml")
    refused(["check", "missing.yaml"], "missing.yaml")
    refused(["run", "."], "directory")
    refused(["run", "scene.yaml", "--set", "durration=1"], "durration", "duration")
    refused(["run", "scene.yaml", "--set", "duration"], "duration")
    refused(["run", "scene.yaml", "--set", "duration=3 kg"], "duration")
    refused(["run", "scene.yaml", "--set", "sheets.0.density=-1"], "density", "-1")
    with open("bad.yaml", "w") as out:
        out.write("heddle: 1\nsheets:\n  - grid: {size: [1, 1], points: [4, 4]}\n    radius: 3\n")
    for verb in ("run", "check", "info"):
        result = heddle(verb, "bad.yaml", code=2)
        check(result.stderr.startswith("bad.yaml:4:"), f"{verb}: place missing: {result.stderr!r}")
    with open("torn.yaml", "w") as out:
        out.write("heddle: 1\nsheets: [\n")
    refused(["run", "torn.yaml"], "torn.yaml:")
    with open("empty.yaml", "w"):
        pass
    refused(["run", "empty.yaml"], "empty.yaml")


def test_overlap_is_refused_before_anything_is_written():
    write_scene("overlap.yaml")
    refused(["run", "overlap.yaml", "--set", "bodies.0.position=[0, 0.2, 0]"])
    check(not os.path.exists("out"), "a directory was made")


def test_files():
    write_scene()
    with open("tetra.obj", "w") as out:
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    with open("broken.obj", "w") as out:
        out.write("v 0 0 zero\n")
    refused(["info", "nothing"], "no such file")
    refused(["info", "broken.obj"], "broken.obj:1")
    refused(["info", "."], "holds no run")
    with open("notes.txt", "w") as out:
        out.write("hello\n")
    refused(["info", "notes.txt"], "unknown kind of file")
    refused(["convert", "tetra.obj"], "missing argument")
    refused(["convert", "tetra.obj", "out.xyz"], "unknown format 'xyz'", "usda")
    refused(["convert", "tetra.obj", "out"], "unknown format")
    refused(["convert", "missing.obj", "out.ply"], "missing.obj")
    refused(["convert", "tetra.obj", "out.ply", "--frame", "3"], "one frame")
    refused(["convert", "tetra.obj", "tetra.obj"], "exists", "--force")
    refused(["convert", ".", "out.ply"], "holds no run")
    refused(["convert", "tetra.obj", "no/such/place/out.ply"], "no/such/place", code=3)
    refused(["plot", "."], "-o FILE")
    refused(["plot", ".", "-o", "x.png"], "holds no run")
    refused(["plot", ".", "-o", "x.png", "--what", "colour"], "energy, measure,")
    refused(["experiment", "no-such-thing"], "unknown experiment")
    refused(["bench", "no-such-thing"], "unknown benchmark")
    facts = json.loads(heddle("info", "tetra.obj", "--json").stdout)
    # Three right triangles of area 1/2 and one equilateral of side sqrt(2).
    check(abs(facts["area"] - (1.5 + 3 ** 0.5 / 2)) < 1e-12, facts)
    check(facts["closed"] and facts["vertices"] == 4 and facts["triangles"] == 4, facts)
    check(facts["low"] == [0, 0, 0] and facts["high"] == [1, 1, 1], facts)


def test_standard_output_that_fails():
    with open("/dev/full", "w") as full:
        code = subprocess.run([HEDDLE, "--help"], stdout=full, stderr=subprocess.DEVNULL).returncode
    check(code == 3, f"exit code {code} with a full standard output")


if __name__ == "__main__":
    main(globals())
