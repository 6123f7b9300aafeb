#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Relaxed plain weave against Peirce's table, and knits without edges."""
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def run(name, *sets):
    words = [word for value in sets for word in ("--set", value)]
    result = heddle("experiment", name, "--quick", "--json", "-o", f"out/{name}", *words)
    return json.loads(result.stdout.splitlines()[-1])


def test_crimp_as_in_the_table():
    # Square plain weave: spacing over D, crimp, weave angle in degrees.
    for spacing, crimp, angle in [(1, 0.1435, 36.87)]:
        results = run("peirce", f"spacing={spacing}")["results"]
        check(abs(results["crimp"] - crimp) < 0.05 * crimp, f"{spacing}: crimp {results['crimp']}, not {crimp}")
        check(abs(results["weave_angle_deg"] - angle) < 2, f"{spacing}: {results['weave_angle_deg']} degrees, not {angle}")


def test_jammed_threads_are_refused():
    result = heddle("experiment", "peirce", "--quick", "--set", "spacing=0.5", code=2)
    check("spacing" in result.stderr, result.stderr)


def test_knits_without_edges():
    found = run("swatches", "periodic=1", "patterns=stockinette,garter")
    garter = found["results"]["garter"]
    # Garter is wider and shorter than stockinette of the same loops.
    check(garter["relative_width"] > 1.0 and garter["relative_height"] < 1.0, str(garter))


def test_patterns_with_long_repeats():
    # Six rows and eight stitches; its size is told of as many loops as that of stockinette: a cable draws in.
    found = run("swatches", "patterns=cable")["results"]
    check(abs(found["cable"]["width"] / found["stockinette"]["width"] - found["cable"]["relative_width"]) < 1e-12, found)
    check(0.3 < found["cable"]["relative_width"] < 1.0, found)
    result = heddle("experiment", "swatches", "--quick", "--set", "patterns=tube", code=2)
    check("'tube' is no flat knit" in result.stderr, result.stderr)


if __name__ == "__main__":
    main(globals())
