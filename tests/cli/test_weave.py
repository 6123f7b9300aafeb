#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weave drafts on the command line: info, convert, what is refused, and the scene that comes with them."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRAFT = os.path.join(SOURCE, "tests", "data", "point-twill.wif")


def test_info_tells_what_the_draft_is():
    facts = json.loads(heddle("info", DRAFT, "--json").stdout)
    check((facts["kind"], facts["ends"], facts["picks"]) == ("weave", 12, 8), facts)
    check((facts["repeat_ends"], facts["repeat_picks"]) == (6, 4), facts)
    check(facts["crossings"] == 96 and facts["layers"] == 1 and facts["loose_ends"] == 0, facts)
    text = heddle("info", DRAFT).stdout
    check("repeat    6 ends, 4 picks" in text and "cross as the draft says" in text, text)


def test_settings_change_the_cloth():
    words = ["--weave", "sett=10,8", "--weave", "warp=100 tex", "--weave", "weft=90 den", "--weave", "ends=24",
             "--weave", "picks=16", "--weave", "selvedge=turned"]
    facts = json.loads(heddle("info", DRAFT, "--json", *words).stdout)
    check(abs(facts["width"] - 0.024) < 1e-12 and abs(facts["height"] - 0.02) < 1e-12, facts)
    check(abs(facts["warp"]["linear_density"] - 1e-4) < 1e-16, facts)
    check(abs(facts["weft"]["linear_density"] - 1e-5) < 1e-17, facts)
    check(facts["warp"]["yarns"] == 24 and facts["weft"]["threads"] == 16, facts)
    check(facts["weft"]["yarns"] == 5, facts)  # the third pick of each eight has another colour
    # A thread is a little longer than the cloth, and turned wefts more so.
    check(1.0 < facts["warp"]["length"] / (24 * facts["height"]) < 1.2, facts)
    mass = facts["warp"]["length"] * 1e-4 + facts["weft"]["length"] * 1e-5
    check(abs(facts["mass"] - mass) < 1e-6 * mass, facts)


def test_threads_are_listed_by_thickness():
    with open("thick.wif", "w") as stream:
        stream.write("[WEAVING]\nShafts=4\nTreadles=2\nRising Shed=true\n[WARP]\nThreads=4\nUnits=Centimeters\n"
                     "Spacing=0.2\nThickness=0.02\n[WARP THICKNESS]\n3=0.1\n[WEFT]\nThreads=4\n"
                     "Units=Centimeters\nSpacing=0.2\nThickness=0.02\n[THREADING]\n1=1\n2=2\n3=1\n4=2\n"
                     "[TIEUP]\n1=1\n2=2\n[TREADLING]\n1=1\n2=\n3=2\n4=1\n5=2\n")
    facts = json.loads(heddle("info", "thick.wif", "--json").stdout)
    check((facts["shafts"], facts["treadles"], facts["picks"]) == (2, 2, 4), facts)
    thin, thick = facts["warp"]["kinds"]
    check((thin["yarns"], thick["yarns"]) == (3, 1), facts)
    # Five times as thick is 25 times as heavy by length.
    check(abs(thick["linear_density"] - 25 * thin["linear_density"]) < 1e-9 * thick["linear_density"], facts)
    for part in (facts["warp"], facts["weft"], thin, thick):
        check(abs(part["mass"] - part["length"] * part["linear_density"]) < 1e-9 * part["mass"], part)
    check(abs(facts["warp"]["mass"] - thin["mass"] - thick["mass"]) < 1e-9 * facts["mass"], facts)
    notes = " ".join(facts["notes"])
    check("4 shafts declared, 2 are threaded" in notes, notes)
    check("1 picks use no treadle, the first is pick 2" in notes, notes)
    check("2 thicknesses" in heddle("info", "thick.wif").stdout, "no list")


def test_large_cloth_is_told_at_once_and_announced():
    with open("plain.wif", "w") as stream:
        stream.write("[WEAVING]\nRising Shed=true\n[THREADING]\n1=1\n2=2\n[LIFTPLAN]\n1=1\n2=2\n")
    words = ["--weave", "sett=20,20", "--weave", "warp=30 tex"]
    large = json.loads(heddle("info", "plain.wif", "--json", "--weave", "ends=1100", "--weave", "picks=1000",
                              *words).stdout)
    small = json.loads(heddle("info", "plain.wif", "--json", "--weave", "ends=110", "--weave", "picks=100",
                              *words).stdout)
    check(large["estimated"] and not small["estimated"] and large["crossings"] == 1100000, large)
    # Ten times as many threads, ten times as long; selvedges are half a slot of a hundred.
    check(abs(large["mass"] / small["mass"] - 100) < 1, (large["mass"], small["mass"]))
    # The note comes first: nothing can be written here.
    result = heddle("convert", "plain.wif", "missing/plain.usda", "--weave", "ends=200", "--weave", "picks=200",
                    "--weave", "points=8", *words, code=None)
    check("0.64 million points, about 8" in result.stderr and "--weave points=2" in result.stderr, result.stderr)
    # About: what a smaller one takes per point, which nothing is said of.
    result = heddle("convert", "plain.wif", "plain.usda", "--weave", "ends=40", "--weave", "picks=40",
                    "--weave", "points=8", *words)
    check("million" not in result.stderr, result.stderr)
    check(abs(os.path.getsize("plain.usda") / (2 * 40 * 321 * 135) - 1) < 0.25, os.path.getsize("plain.usda"))


def test_convert_writes_curves():
    for extension in ("usda", "bcc", "obj", "vtp"):
        heddle("convert", DRAFT, "cloth." + extension, "--weave", "points=4")
        check(os.path.getsize("cloth." + extension) > 1000, extension)
    facts = json.loads(heddle("info", "cloth.bcc", "--json").stdout)
    check(facts["curves"] == 20 and facts["points"] == 12 * 33 + 8 * 49, facts)


def test_what_is_refused():
    with open("bad.wif", "w") as stream:
        stream.write("[THREADING]\n1=1\n2=2\n[TREADLING]\n1=1\n")
    for words, message in (
            (["info", "bad.wif"], "bad.wif:4: [TREADLING] needs a [TIEUP]"),
            (["convert", "bad.wif", "out.bcc"], "bad.wif:4: [TREADLING] needs a [TIEUP]"),
            (["render", "bad.wif", "-o", "out.png"], "bad.wif:4: [TREADLING] needs a [TIEUP]"),
            (["info", DRAFT, "--weave", "sett=0"], "--weave sett needs threads per cm"),
            (["info", DRAFT, "--weave", "warp=thick"], "--weave warp needs a yarn count"),
            (["info", DRAFT, "--weave", "colour=red"], "--weave needs KEY=VALUE"),
            (["info", DRAFT, "--weave", "selvedge"], "--weave needs KEY=VALUE")):
        result = heddle(*words, code=2)
        check(message in result.stderr, result.stderr)
        check(not os.path.exists("out.bcc"), "a file was written")


def test_the_scene_runs():
    heddle("run", os.path.join(SOURCE, "scenes", "twill.yaml"), "-o", "run", "--duration", "1ms")
    result = heddle("info", "run", "--linking")
    check("linking   unchanged" in result.stdout, result.stdout)


if __name__ == "__main__":
    main(globals())
