#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""The tests of fabrics, strip and drape, at other parameters than their own."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

# Cantilever under its own weight: drop over length and slope of the chord in degrees, by Runge and Kutta's method,
# shot from the clamp.
ELASTICA = {1: (0.12347, 7.10), 20: (0.82988, 61.79)}


def run(name, *sets, threads=None):
    more = [word for item in sets for word in ("--set", item)]
    more += ["--threads", str(threads)] if threads else []
    return json.loads(heddle("experiment", name, "--quick", "--json", *more).stdout.splitlines()[-1])


def test_strip_follows_the_elastica():
    for beta, (drop, chord) in ELASTICA.items():
        results = run("strip", f"beta={beta}")["results"]
        check(abs(results["drop"] / drop - 1) < 0.01, f"beta {beta}: {results}")
        check(abs(results["chord_angle_deg"] / chord - 1) < 0.01, f"beta {beta}: {results}")


def test_strip_has_no_scale():
    # The shape over the length depends on beta alone. Numbers are rounded otherwise, and rest is a millionth of the
    # weight.
    one = run("strip", "beta=3")["results"]["drop"]
    other = run("strip", "beta=3", "length=2", "density=0.05")["results"]["drop"]
    check(abs(other / one - 1) < 1e-4, f"{one} and {other}")


def test_stiff_cloth_does_not_drape():
    results = run("drape", "bending=0.1")["results"]
    # A plate this stiff sinks by less than a millimetre; pixels of the shadow leave 2e-3.
    check(abs(results["drape_coefficient"] - 1) < 5e-3, str(results))
    check(results["folds"] == 0, str(results))
    check(results["edge_drop_m"] < 1e-3, str(results))


def test_drape_does_not_depend_on_threads():
    one = run("drape", threads=1)["results"]
    two = run("drape", threads=2)["results"]
    check(one == two, f"{one} and {two}")
    check(4 <= one["folds"] <= 12 and 0.2 < one["drape_coefficient"] < 0.8, str(one))
    check(os.path.getsize("out/experiment/drape/drape.obj") > 1000, "the cloth was not written")


def test_bad_parameters():
    for name, bad in (("strip", "beta=0"), ("strip", "beta=-1"), ("strip", "beta=nan"), ("strip", "cells=8.5"),
                      ("drape", "bending=0"), ("drape", "density=-1"), ("drape", "resolution=1e9"),
                      ("drape", "shear=soft")):
        result = heddle("experiment", name, "--set", bad, code=2)
        check(bad.split("=")[0] in result.stderr, f"{bad}: {result.stderr}")


if __name__ == "__main__":
    main(globals())
