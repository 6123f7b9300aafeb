#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Knitout programs and knitting instructions on the command line."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TUBE = os.path.join(SOURCE, "tests", "data", "tube.k")
LACE = os.path.join(SOURCE, "tests", "data", "lace.ks")


def test_a_program():
    facts = json.loads(heddle("info", TUBE, "--json").stdout)
    check((facts["kind"], facts["loops"], facts["courses"]) == ("knitout", 8, 2), facts)
    check(facts["dropped_loops"] == 4 and facts["live_loops"] == 0 and facts["drawn"], facts)
    heddle("convert", TUBE, "tube.bcc")
    curves = json.loads(heddle("info", "tube.bcc", "--json").stdout)
    check(curves["curves"] == 1, curves)
    check(abs(curves["length"] - facts["yarn_length"]) < 0.02 * facts["yarn_length"], (curves, facts))


def test_instructions():
    facts = json.loads(heddle("info", LACE, "--json").stdout)
    # Eleven loops cast on, two rows of eleven.
    check((facts["kind"], facts["loops"], facts["widest"]) == ("knitspeak", 33, 11), facts)
    heddle("convert", LACE, "lace.usda")
    check(os.path.getsize("lace.usda") > 1000, "lace.usda")


def test_what_is_refused():
    with open("bad.k", "w") as stream:
        stream.write(";!knitout-2\n;;Carriers: 1 2\ninhook 1\ninhook 2\n")
    with open("bad.ks", "w") as stream:
        stream.write("Row 1: k4.\nRow 2: k5.\n")
    for verb in (["info"], ["convert"]):
        for name, message in (("bad.k", "bad.k:4: the yarn hook is busy"), ("bad.ks", "bad.ks:2: row 2: 4 loops")):
            words = verb + [name] + (["out.bcc"] if verb == ["convert"] else [])
            check(message in heddle(*words, code=2).stderr, words)
    check(not os.path.exists("out.bcc"), "a file was written")


if __name__ == "__main__":
    main(globals())
