#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damping of sliding yarns in a scene: as a density and as a time, which is the same where it should be."""
import csv
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main

SCENE = """\
heddle: 1
duration: 20 ms
step: {size: 1 ms}
output: {frame_interval: 20 ms}
yarns:
  - name: cloth
    model: sliding
    weave: {pattern: plain, ends: 8, picks: 8, sett: [20 1/cm, 20 1/cm], warp: 30 tex, weft: 30 tex}
    sliding:
      stretch: 0.02 N
      bend: 2e-10 N*m^2
      shear: 1 mN
      crossing_preload: 1 mN
      stretch_damping: {density: 0, time: 0}
      bend_damping: {density: 0, time: 0}
      shear_damping: {density: 0, time: 0}
pins:
  - {name: corner, where: top-left}
"""

# Stiffness that a time is multiplied with; that of bending is twice the moment per curvature.
STIFFNESS = {"stretch": (0.02, "N*s"), "bend": (2 * 2e-10, "N*m^2*s"), "shear": (1e-3, "N*s")}


def energies(name, *sets):
    words = [word for value in sets for word in ("--set", f"yarns.cloth.sliding.{value}")]
    heddle("run", "scene.yaml", "-o", name, "--threads", "1", *words)
    with open(f"{name}/energy.csv") as stream:
        return {key: float(value) for key, value in list(csv.DictReader(stream))[-1].items()}


def test_density_and_time():
    with open("scene.yaml", "w") as out:
        out.write(SCENE)
    none = energies("none")
    check(none["dissipated"] == 0 or none["dissipated"] < 1e-3 * none["kinetic"], str(none))
    for mode, (stiffness, unit) in STIFFNESS.items():
        time = energies(f"{mode}-time", f"{mode}_damping.time=20 ms")
        density = energies(f"{mode}-density", f"{mode}_damping.density={0.02 * stiffness:.17g} {unit}")
        half = energies(f"{mode}-half", f"{mode}_damping.time=10 ms",
                        f"{mode}_damping.density={0.01 * stiffness:.17g} {unit}")
        for other in (density, half):
            for key, value in time.items():
                # The same coefficient but for rounding, and steps that are solved to 1e-4 m/s.
                check(abs(other[key] - value) <= 1e-6 * abs(value) + 1e-15, f"{mode}: {key} {other[key]}, not {value}")
        # Each mode, Rayleigh's damping too, is in the account of what was taken.
        check(time["dissipated"] > 10 * none["dissipated"] + 1e-12, f"{mode}: {time['dissipated']} J are dissipated")
    rayleigh = energies("rayleigh", "rayleigh=20 ms")
    check(rayleigh["dissipated"] > 10 * none["dissipated"] + 1e-12, str(rayleigh))


if __name__ == "__main__":
    main(globals())
