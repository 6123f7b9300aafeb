#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Relaxed fabrics in scenes: what is said, kept, found again and refused."""
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SCENE = """heddle: 1
duration: 10 ms
yarns:
  - name: cloth
    weave:
      pattern: plain
      ends: 4
      picks: 4
      sett: [8 1/cm, 8 1/cm]
      diameter: [0.5 mm, 0.5 mm]
      relax: {iterations: 400}
"""


def write():
    with open("cloth.yaml", "w") as stream:
        stream.write(SCENE)


def relaxed(*words):
    done = heddle("check", "cloth.yaml", *words)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "relaxed" in line]
    check(len(lines) == 1, done.stdout + done.stderr)
    return lines[0]


def test_kept_and_found_again():
    write()
    os.environ["HEDDLE_CACHE"] = "cache/below"
    first = relaxed()
    check("iterations: force" in first and "kept" not in first, first)
    check(len(os.listdir("cache/below")) == 1, "one file")
    check("kept from before" in relaxed(), "found again")
    check("kept" not in relaxed("--set", "yarns.0.weave.relax.friction=0.2"), "another number")
    check(len(os.listdir("cache/below")) == 2, "two files")
    os.environ["HEDDLE_CACHE"] = ""
    check("kept" not in relaxed(), "no cache")


def test_yarns_rest_in_their_relaxed_shape():
    write()
    heddle("run", "cloth.yaml", "-o", "out", "--duration", "0", "-q")
    with open("out/scene.yaml") as stream:
        text = stream.read()
    check("rest: start" in text and "iterations: 400" in text, text)
    heddle("check", "out/scene.yaml")  # what was resolved can be read again


def test_what_is_refused():
    write()
    for change, message in (("plates=1", "'plates' stand at least 1.5 diameters apart, got 1"),
                            ("friction=-1", "'friction'"), ("iterations=0", "'iterations'"),
                            ("friktion=1", "friction")):
        done = heddle("check", "cloth.yaml", "--set", "yarns.0.weave.relax." + change, code=2)
        check(message in done.stderr, done.stderr)


if __name__ == "__main__":
    main(globals())
