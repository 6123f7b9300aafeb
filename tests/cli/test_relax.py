#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Relaxed fabrics in scenes: what is said, kept, found again and refused."""
import json
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
    done = heddle("convert", "cloth.yaml", "cloth.bcc", "--force", *words)
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


def test_info_does_not_wait():
    # 10^8 iterations would take days: info tells what the cloth is without them.
    write()
    os.environ["HEDDLE_CACHE"] = "shapes"
    with open("cloth.yaml") as stream:
        endless = stream.read().replace("iterations: 400", "iterations: 100000000, force: 1e-12")
    # At rest the box holds points; where the yarns were made, it need not.
    with open("endless.yaml", "w") as stream:
        stream.write(endless + "pins:\n  - {box: {min: [8, 8, 8], max: [9, 9, 9]}}\n")
    said = heddle("info", "endless.yaml").stdout
    check("cloth: as it was made: it has not come to rest yet" in said, said)
    check("8 curves" in said and "'heddle run endless.yaml' lets it come to rest first" in said, said)
    # Eight rods of as many points each as any: check counts them without waiting, and says so.
    told = heddle("check", "endless.yaml").stdout
    check("relaxation is not done" in told and "memory    " in told and "steps" in told, told)
    facts = json.loads(heddle("check", "endless.yaml", "--json").stdout)
    vertices = facts["objects"][0]["vertices"]
    check(not facts["at_rest"] and facts["points"] == vertices and facts["springs"] == vertices - 8, facts)
    check(not os.path.exists("shapes"), "nothing was made")
    before = json.loads(heddle("info", "cloth.yaml", "--json").stdout)
    check(not before["at_rest"] and before["parts"][0]["curves"] == 8, before)
    heddle("convert", "cloth.yaml", "cloth.bcc", "--force")
    told = heddle("check", "cloth.yaml")
    check("not at rest" not in told.stdout and "kept from before" in told.stderr, told.stdout + told.stderr)
    after = json.loads(heddle("info", "cloth.yaml", "--json").stdout)
    check(after["at_rest"] and "kept from before" in after["notes"], after)
    check(after["hash"] == before["hash"], "the same scene")
    # Eight yarns over four spacings of 1.25 mm are 40 mm; a yarn of 0.5 mm crimps by less than half.
    check(0.04 < after["parts"][0]["length"] < 0.06, after["parts"][0]["length"])
    os.environ["HEDDLE_CACHE"] = ""


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
