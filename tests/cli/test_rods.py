#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Experiments on single yarns: numbers of the tables, extreme parameters, refusals."""
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def run(name, *more, is_quick=True, **values):
    sets = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    sets += ["--quick"] if is_quick else []
    result = heddle("experiment", name, "--json", "-o", f"out/{name}", *sets, *more)
    return json.loads(result.stdout.splitlines()[-1])


def near(found, name, expected, part=0.01):
    value = found["results"][name]
    check(abs(value - expected) <= part * abs(expected), f"{name}: {value}, not {expected}")


def test_cantilever_as_in_the_table():
    # Elastica with a load at the tip: alpha, drop, place and slope of the tip.
    for alpha, drop, x, slope in [(0.5, 0.16214, 0.98408, 14.011), (5, 0.71379, 0.61237, 69.635)]:
        found = run("cantilever", alpha=alpha)
        near(found, "drop", drop)
        near(found, "tip_x", x)
        near(found, "tip_slope_deg", slope)
        check(found["ok"], str(found["claims"]))


def test_self_weight_as_in_the_table():
    for beta, drop, chord in [(1, 0.12347, 7.10), (20, 0.82988, 61.79)]:
        found = run("self-weight", beta=beta)
        near(found, "drop", drop)
        near(found, "chord_angle_deg", chord)


def test_catenary_as_in_the_table():
    for slack, sag, tension in [(1.01, 0.06145, 2.10575), (2, 0.79639, 1.02603)]:
        found = run("catenary", slack=slack)
        near(found, "sag", sag)
        near(found, "end_tension", tension)


def test_ring_of_small_load():
    found = run("ring-load", load=-0.01)
    near(found, "along", -0.01 * 0.14878)
    near(found, "across", -0.01 * 0.13662)


def test_extreme_parameters():
    for name, values in [("cantilever", {"alpha": 0.001}), ("self-weight", {"beta": 1e-4}),
                         ("self-weight", {"beta": 2000}), ("catenary", {"slack": 1.0001}),
                         ("catenary", {"slack": 20}), ("cantilever", {"alpha": 20, "model": "spline"}),
                         ("cantilever", {"alpha": 5, "integrator": "explicit"})]:
        found = run(name, **values)
        check(found["ok"], f"{name} {values}: {found['claims']}")


def test_spline_in_a_narrow_bend():
    """A span of 1 and a length of 20: the yarn turns within a third of a segment."""
    found = run("catenary", is_quick=False, slack=20, model="spline")
    check(found["ok"], str(found["claims"]))


def test_splines_converge():
    for name in ("cantilever", "self-weight", "catenary"):
        found = run(name, model="spline")
        texts = [claim["text"] for claim in found["claims"] if claim["ok"]]
        check("order of convergence" in texts, f"{name}: {found['claims']}")


def test_friction_at_the_ends_of_its_range():
    for values in ({"mu": 0.01}, {"mu": 1, "crossing": 20}):
        found = run("stick-slip", **values)
        check(found["ok"], f"{values}: {found['claims']}")


def test_ring_leaves_its_plane():
    near(run("michell", ratio=1.5), "critical_twist", 16.324, 0.03)


def test_turns():
    near(run("twist-turns", turns=10), "turns_carried", 10, 1e-9)


def test_what_makes_no_sense_is_refused():
    for name, value in [("cantilever", "alpha=0"), ("cantilever", "alpha=-1"),
                        ("self-weight", "beta=1e9"), ("catenary", "slack=1"),
                        ("ring-load", "load=-9"), ("ring-load", "load=0"),
                        ("cantilever", "model=string"), ("cantilever", "segments=3"),
                        ("twist-turns", "turns=0"), ("helical-buckling", "turns=200")]:
        result = heddle("experiment", name, "--quick", "--set", value, code=2)
        check(value.split("=")[0] in result.stderr, result.stderr)
    result = heddle("experiment", "stick-slip", "--set", "mu=0.01", "--set", "crossing=20", code=2)
    check("'mu' must be at least 0.0549" in result.stderr, result.stderr)


if __name__ == "__main__":
    main(globals())
