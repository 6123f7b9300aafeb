#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Knitting charts on the command line: info, convert, what is refused, and the scene that comes with them."""
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHART = os.path.join(SOURCE, "tests", "data", "leaf.knit")


def test_info_tells_what_the_chart_is():
    facts = json.loads(heddle("info", CHART, "--json").stdout)
    # 18 cast on, six rows of 18, 18 bound off, and the end of the yarn.
    check((facts["kind"], facts["loops"], facts["courses"], facts["widest"]) == ("knit", 145, 9, 18), facts)
    check((facts["live_loops"], facts["yarns"]) == (0, 1), facts)
    # Without a count the yarn weighs as cotton does: 910 kg/m^3 in a round of 1 mm.
    density = 910 * 3.14159265358979 * 1e-6 / 4
    check(facts["linear_density_assumed"] and abs(facts["linear_density"] - density) < 1e-9 * density, facts)
    check(abs(facts["mass"] - density * facts["length"]) < 1e-6 * facts["mass"], facts)
    # A plain stitch takes 16.66 diameters of 1 mm; leaning and crossing ones take more.
    check(16e-3 < facts["loop_length"] < 24e-3, facts)
    check(abs(facts["length"] - 145 * facts["loop_length"]) < 1e-9, facts)
    text = heddle("info", CHART).stdout
    check("every loop goes through its parents and no other" in text, text)


def test_settings_change_the_yarn():
    words = ["--knit", "diameter=0.5mm", "--knit", "loop=9mm", "--knit", "count=100 tex", "--knit", "points=48"]
    fine = json.loads(heddle("info", CHART, "--json", *words).stdout)
    check(abs(fine["mass"] - 1e-4 * fine["length"]) < 1e-6 * fine["mass"], fine)
    # Courses and wales per loop length of relaxed plain knits: 5.0 to 5.5 and 3.8 to 4.2 (Munden, Knapton).
    check(3.6 < 9e-3 / fine["wale_spacing"] < 4.3 and 4.7 < 9e-3 / fine["course_spacing"] < 5.6, fine)
    coarse = json.loads(heddle("info", CHART, "--json").stdout)
    check(1.8 < fine["points"] / coarse["points"] < 2.1, (fine, coarse))  # 24 without being told


def test_what_cannot_be_drawn_is_no_bad_input():
    with open("chain.knit", "w") as stream:
        stream.write("co 8\nk8\np5 bo3\n")
    result = heddle("info", "chain.knit", "--json", code=1)
    facts = json.loads(result.stdout)
    check((facts["rows"], facts["stitches"], facts["widest"], facts["drawn"]) == (2, 16, 8, False), facts)
    check(facts["yarn_length"] > 16 * 16e-3 and "row 2 ends with loops bound off" in facts["why"], facts)
    check("chain.knit:3: row 2 ends" in result.stderr, result.stderr)
    check("drawn     no: chain.knit:3:" in heddle("info", "chain.knit", code=1).stdout, "not told")
    check("chain.knit:3:" in heddle("convert", "chain.knit", "chain.bcc", code=1).stderr, "no line")


def test_knits_of_files_in_scenes():
    head = "heddle: 1\nduration: 10 ms\nyarns:\n  - name: knit\n"
    for name in ("tube.k", "lace.ks", "leaf.knit"):
        with open(name, "w") as stream:
            stream.write(open(os.path.join(SOURCE, "tests", "data", name)).read())
        for model in ("rod", "sliding"):
            with open("scene.yaml", "w") as stream:
                stream.write(head + f"    model: {model}\n    knit: {{file: {name}, counts: [Nm 4], count: 1 tex}}\n")
            result = heddle("check", "scene.yaml")
            found = re.search(r"([0-9.]+) m of yarn \(([0-9.]+) g\)", result.stdout + result.stderr)
            # All loops are of the first carrier, or of the first yarn: 1000 / 4 = 250 tex; four digits are printed.
            check(found and abs(float(found[2]) / float(found[1]) - 0.25) < 5e-4, (name, model, result.stdout))
    with open("scene.yaml", "w") as stream:
        stream.write(head + "    knit: {file: sock.txt}\n")
    check("scene.yaml:5:" in heddle("check", "scene.yaml", code=2).stderr, "no place")
    with open("scene.yaml", "w") as stream:
        stream.write(head + "    knit: {file: tube.k, pattern: garter}\n")
    check("a knit from a 'file' takes no 'pattern'" in heddle("check", "scene.yaml", code=2).stderr, "both")


def test_counts_by_carrier():
    """Counts belong to the carriers they name, in any order; to those of their place without names."""
    tube = [";!knitout-2", ";;Carriers: 4 7 9", "in 4", "in 7"]
    for number in range(4):
        tube += [f"knit + f{n} {4 if number % 2 else 7}" for n in (1, 2, 3)]
        tube += [f"knit - b{n} {4 if number % 2 else 7}" for n in (3, 2, 1)]
    with open("two.k", "w") as stream:
        stream.write("\n".join(tube) + "\n")

    def weigh(counts, code=0):
        with open("scene.yaml", "w") as stream:
            stream.write("heddle: 1\nduration: 10 ms\nyarns:\n  - name: knit\n"
                         f"    knit: {{file: two.k, counts: {counts}, count: 1000 tex}}\n")
        result = heddle("check", "scene.yaml", code=code)
        found = re.search(r"([0-9.]+) m of yarn \(([0-9.]+) g\)", result.stdout + result.stderr)
        return (float(found[1]), float(found[2])) if found else result.stderr

    length, one = weigh("[7=100 tex, 4=300 tex]")
    check(weigh("[4=300 tex, 7=100 tex]") == (length, one), "another order")
    check(weigh("[100 tex, 300 tex]") == (length, one), "carrier 7 makes the first loop")
    other = weigh("[4=100 tex, 7=300 tex]")[1]
    check(other != one, (one, other))
    # Both ways around each yarn once weighs 100 and once 300 tex; four digits are printed.
    check(abs(one + other - 0.4 * length) < 2e-3 * one, (length, one, other))
    both = [weigh(f"[{name}=2000 tex]")[1] for name in (4, 7)]  # the other one has 1000 tex
    check(abs(sum(both) - 3.0 * length) < 2e-3 * sum(both), (length, both))
    check("no yarn is called '5': there are '" in weigh("[5=100 tex]", code=2), "a name")


def test_random_texts_are_read():
    """What cannot be drawn may be refused (exit code 1), but no valid text is bad input."""
    sys.path.insert(0, os.path.join(SOURCE, "tools"))
    import random_charts
    drawn = 0
    count = 3 * len(random_charts.KINDS)
    for seed in range(count):
        kind, suffix, text = random_charts.make(seed)
        check((kind, suffix, text) == random_charts.make(seed), seed)
        with open("random" + suffix, "w") as stream:
            stream.write(text)
        result = heddle("info", "random" + suffix, code=None)
        check(result.returncode in (0, 1), (seed, kind, result.stderr, text))
        drawn += result.returncode == 0
    check(drawn > count / 2, drawn)


def test_scenes_with_files():
    for name in ("tube", "lace"):
        heddle("check", os.path.join(SOURCE, "scenes", name + ".yaml"))


def test_rounds_make_a_tube():
    with open("hat.knit", "w") as stream:
        stream.write("rounds\nco 24\nk*\nk*\nk*\n[k2 k2tog]*\nk*\n")
    facts = json.loads(heddle("info", "hat.knit", "--json").stdout)
    check((facts["loops"], facts["live_loops"]) == (24 * 4 + 18 * 2, 18), facts)
    # As wide as 24 columns are around, and the yarn on both sides.
    around = 24 * facts["wale_spacing"] / 3.14159265
    check(abs(facts["width"] - around) < 3e-3, facts)


def test_convert_writes_curves():
    for extension in ("usda", "bcc", "obj", "vtp"):
        heddle("convert", CHART, "swatch." + extension, "--knit", "points=12")
        check(os.path.getsize("swatch." + extension) > 1000, extension)
    # So few points would cut through another yarn: more are taken, and that is said.
    check("16 points per loop were taken: with 8" in heddle("info", CHART, "--knit", "points=8").stdout, "no note")
    facts = json.loads(heddle("info", "swatch.bcc", "--json").stdout)
    check(facts["curves"] == 1 and facts["closed"] == 0, facts)


def test_what_is_refused():
    for text, message in (
            ("k8\np7 q\n", "bad.knit:2:4: unknown stitch 'q'"),
            ("k8\np7\n", "bad.knit:2: row 2: its 7 stitches take 7 loops, but the row below leaves 8"),
            ("k8\np8 p\n", "bad.knit:2: row 2, stitch 9 (knit or purl): takes loop 9"),
            ("rounds 3\nk8\n", "bad.knit:1:8: 'rounds' stands alone"),
            ("", "bad.knit: a chart needs at least one row")):
        with open("bad.knit", "w") as stream:
            stream.write(text)
        for words in (["info", "bad.knit"], ["convert", "bad.knit", "out.bcc"], ["render", "bad.knit", "-o", "out.png"]):
            result = heddle(*words, code=2)
            check(message in result.stderr, result.stderr)
            check(not os.path.exists("out.bcc") and not os.path.exists("out.png"), "a file was written")
    for words, message in (
            (["--knit", "loop=3mm"], "at least 12 times as long"),
            (["--knit", "diameter=0"], "--knit diameter needs a length above 0"),
            (["--knit", "needle=3mm"], "--knit needs KEY=VALUE")):
        result = heddle("info", CHART, *words, code=2)
        check(message in result.stderr, result.stderr)


def test_scenes_hold_patterns_and_charts():
    with open("scene.yaml", "w") as stream:
        stream.write("heddle: 1\nduration: 10 ms\nyarns:\n  - name: a\n    knit: {pattern: seed, rows: 4, stitches: 6}\n"
                     "  - name: b\n    knit:\n      chart: |\n        co 6\n        k*\n\n        p*\n"
                     "      position: [0.1, 0, 0]\n")
    result = heddle("check", "scene.yaml")
    # 6 cast on, 4 rows, bound off and the end; 6 cast on and two rows.
    check("knit: 37 loops in 7 courses" in result.stderr, result.stderr)
    check("knit: 18 loops in 3 courses" in result.stderr, result.stderr)
    check("6 loops are live" in result.stderr, result.stderr)
    for old, new, message in (("seed", "sead", "the nearest name is 'seed'"),
                              ("p*", "p5", "chart:4: row 2: its 5 stitches take 5 loops"),
                              ("knit: {", "line: {to: [1, 0, 0]}\n    knit: {", "need one of")):
        with open("scene.yaml") as stream:
            text = stream.read()
        with open("bad.yaml", "w") as stream:
            stream.write(text.replace(old, new))
        result = heddle("check", "bad.yaml", code=2)
        check(message in result.stderr and "bad.yaml:" in result.stderr, result.stderr)


def test_the_scene_runs():
    heddle("run", os.path.join(SOURCE, "scenes", "rib.yaml"), "-o", "run", "--duration", "1ms")
    result = heddle("info", "run", "--linking")
    check("linking   unchanged" in result.stdout, result.stdout)
    # The resolved scene gives the same yarns again.
    heddle("check", os.path.join("run", "scene.yaml"))


if __name__ == "__main__":
    main(globals())
