#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spring-damping ends on the circle that angular momentum gives, whatever is set, or says why it cannot."""
import json
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def circle(stiffness, length, mass, velocity):
    """Radius and speed from k_e (r/L - 1) = J^2/(m r^3), by bisection."""
    moment = mass * length * velocity
    low, high = length, 1e6 * length
    for _ in range(200):
        r = 0.5 * (low + high)
        low, high = (r, high) if stiffness * (r / length - 1) < moment**2 / (mass * r**3) else (low, r)
    return r, moment / (mass * r)


def spring(code=0, **values):
    words = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    return heddle("experiment", "spring-damping", "--json", *words, code=code)


def test_circle():
    cases = [dict(), dict(beta=1), dict(beta=0.001), dict(stiffness=1e5), dict(mass=5), dict(rest_length=0.05),
             dict(velocity=1000), dict(velocity=0.01), dict(step=0.1), dict(step=1)]
    for integrator in ("symplectic-euler", "newmark"):
        for case in cases:
            values = dict(stiffness=100, rest_length=2, mass=1, velocity=20)
            values.update(case)
            result = json.loads(spring(integrator=integrator, **values).stdout.splitlines()[-1])["results"]
            radius, speed = circle(*(values[k] for k in ("stiffness", "rest_length", "mass", "velocity")))
            for name, expected in (("radius_end", radius), ("speed_end", speed),
                                   ("kinetic_end", 0.5 * values["mass"] * speed**2)):
                off = abs(result[name] / expected - 1)
                check(off < 0.005, f"{integrator} {case}: {name} {result[name]}, expected {expected}")


def test_rayleigh_stops():
    for integrator in ("symplectic-euler", "newmark", "implicit-euler"):
        run = spring(integrator=integrator, damping="rayleigh", beta=0.2)
        kinetic = json.loads(run.stdout.splitlines()[-1])["results"]["kinetic_end"]
        check(0 <= kinetic < 0.002 * 200, f"{integrator}: {kinetic} J of 200 J are left")


def test_too_long_is_refused():
    for values in (dict(beta=1e-7), dict(beta=5000), dict(damping="rayleigh", velocity=0.0001)):
        result = spring(code=2, **values)
        check("steps" in result.stderr and "beta" in result.stderr, result.stderr)


if __name__ == "__main__":
    main(globals())
