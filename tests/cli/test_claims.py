#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""Every experiment holds its claims in the coarse version, and prints them in the form that programs rely on."""
import json
import math
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def numbers(results):
    """All values, those of objects in it included."""
    for value in results.values():
        yield from numbers(value) if isinstance(value, dict) else [value]


def test_claims_hold():
    names = [line.split()[0] for line in heddle("experiment").stdout.splitlines()]
    check({"drape", "integrators", "mass-spring-limits", "strip", "wind"} <= set(names), f"some are missing: {names}")
    for name in names:
        result = json.loads(heddle("experiment", name, "--quick", "--json").stdout.splitlines()[-1])
        check(result["experiment"] == name, str(result))
        check(result["parameters"] and result["results"] and result["claims"], str(result))
        check(all(math.isfinite(value) for value in numbers(result["results"])), str(result["results"]))
        for claim in result["claims"]:
            check({"text", "expected", "measured", "tolerance", "ok"} <= set(claim), str(claim))
            check(claim["ok"] is True, f"{name}: {claim}")
        check(result["ok"] is True, name)
        check(os.path.exists(f"out/experiment/{name}/result.json"), f"{name} left no result")


def test_a_claim_can_fail():
    # In 10 ms nothing has time to diverge, so the largest stable step does not fall with stiffness as claimed.
    result = heddle("experiment", "integrators", "--quick", "--json", "--set", "duration=0.01", code=1)
    check(json.loads(result.stdout.splitlines()[-1])["ok"] is False, result.stdout)


if __name__ == "__main__":
    main(globals())
