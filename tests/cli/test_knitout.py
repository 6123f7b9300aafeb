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
    check(facts["carriers"] == ["2"] and facts["yarns"] == 1, facts)
    heavy = json.loads(heddle("info", TUBE, "--json", "--knit", "count=2000 tex").stdout)
    check(abs(heavy["mass"] - 2e-3 * facts["yarn_length"]) < 1e-9 and not heavy["linear_density_assumed"], heavy)
    heddle("convert", TUBE, "tube.bcc")
    curves = json.loads(heddle("info", "tube.bcc", "--json").stdout)
    check(curves["curves"] == 1, curves)
    # 27 points a loop, which turns by some 3 pi: each chord cuts off 0.35 rad, and is shorter than its arc by
    # 0.35^2/24, half a percent.
    check(0 <= 1 - curves["length"] / facts["yarn_length"] < 0.01, (curves, facts))


def facts_of(path, content):
    with open(path, "wb") as out:
        out.write(content)
    facts = json.loads(heddle("info", path, "--json").stdout)
    return {key: value for key, value in facts.items() if value != path}


def test_ways_to_write_text():
    """Marks and ends of lines of other systems change nothing; what is no text is refused at its line."""
    for name in ("tube.k", "lace.ks", "leaf.knit", "point-twill.wif"):
        with open(os.path.join(SOURCE, "tests", "data", name), "rb") as file:
            content = file.read()
        path = "a" + os.path.splitext(name)[1]
        plain = facts_of(path, content)
        other = facts_of(path, b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
        check(plain == other, (name, plain, other))
        zero = "is no text: it holds a zero byte"
        for bad, line, words in ((content.decode().encode("utf-16"), 1, "is UTF-16 text"),
                                 (b"\0" + content, 1, zero),
                                 (content + b"\0", content.count(b"\n") + 1, zero)):
            with open(path, "wb") as out:
                out.write(bad)
            for verb in (["info", path], ["convert", path, "a.obj"]):
                result = heddle(*verb, code=2)
                check(f"{path}:{line}: {words}" in result.stderr, result.stderr)
        check(not os.path.exists("a.obj"), name)


def test_instructions():
    facts = json.loads(heddle("info", LACE, "--json").stdout)
    # Eleven loops cast on, two rows of eleven.
    check((facts["kind"], facts["loops"], facts["widest"]) == ("knitspeak", 33, 11), facts)
    check(facts["mass"] > 0 and facts["yarn_length"] > 33 * 16e-3, facts)
    # Loops of yarn twice as thick are twice as long.
    thick = json.loads(heddle("info", LACE, "--json", "--knit", "diameter=2mm").stdout)
    check(abs(thick["yarn_length"] - 2 * facts["yarn_length"]) < 1e-6, thick)
    heddle("convert", LACE, "lace.usda")
    check(os.path.getsize("lace.usda") > 1000, "lace.usda")


def test_pictures():
    for path in (TUBE, LACE):
        heddle("render", path, "-o", "p.png", "--size", "64x48", "--samples", "1", "--force")
        check(os.path.getsize("p.png") > 500, path)


def test_a_racked_program():
    """All-needle knitting with the beds racked by a quarter of a needle: drawn in space."""
    with open("rack.k", "w") as stream:
        stream.write(";!knitout-2\n;;Carriers: A B\nrack 0.25\ninhook B\n" +
                     "".join(f"knit + f{i} B\nknit + b{i} B\n" for i in range(3)) +
                     "".join(f"knit - b{i} B\nknit - f{i} B\n" for i in (2, 1, 0)) + "releasehook B\nouthook B\n")
    facts = json.loads(heddle("info", "rack.k", "--json").stdout)
    check(facts["carriers"] == ["B"] and facts["loops"] == 12, facts)
    check(facts["drawn"] and facts["live_loops"] == 6, facts)
    # Loops of 16.66 diameters of 1 mm, and the way from one bed to the other: less than a diameter and a half each.
    check(12 * 16.66e-3 < facts["yarn_length"] < 12 * (16.66 + 1.5) * 1e-3, facts)
    check("about" not in heddle("info", "rack.k").stdout, "a length that is known")


def test_random_programs():
    """One program of each kind is read, drawn and proved; tools/try-fabrics tries more."""
    sys.path.insert(0, os.path.join(SOURCE, "tools"))
    import random_knitout
    for seed, kind in enumerate(random_knitout.KINDS):
        name, suffix, text = random_knitout.make(seed)
        check(name == kind and text == random_knitout.make(seed)[2], kind)
        with open("r" + suffix, "w", newline="") as file:
            file.write(text)
        # Any operations in any order: all are drawn, a few are not proved.
        code = None if kind.startswith("wild") else 0
        facts = json.loads(heddle("info", "r" + suffix, "--json", code=code).stdout)
        check(facts["drawn"] and facts["loops"] > 0, (kind, facts))
        check(facts["proved"] or kind.startswith("wild"), (kind, facts))
        check(facts["proved"] == ("why_not" not in facts), (kind, facts))


def test_what_is_refused():
    with open("bad.k", "w") as stream:
        stream.write(";!knitout-2\n;;Carriers: 1 2\ninhook 1\ninhook 2\n")
    with open("bad.ks", "w") as stream:
        stream.write("Row 1: k4.\nRow 2: k5.\n")
    for verb in (["info"], ["convert"], ["render"]):
        for name, message in (("bad.k", "bad.k:4: the yarn hook is busy"), ("bad.ks", "bad.ks:2: row 2: its stitches take 5 loops")):
            words = verb + [name] + (["out.bcc"] if verb == ["convert"] else [])
            words += ["-o", "out.png"] if verb == ["render"] else []
            check(message in heddle(*words, code=2).stderr, words)
    check(not os.path.exists("out.bcc") and not os.path.exists("out.png"), "a file was written")
    for name in (TUBE, LACE):
        check("--knit needs KEY=VALUE" in heddle("info", name, "--knit", "colour=red", code=2).stderr, name)


if __name__ == "__main__":
    main(globals())
