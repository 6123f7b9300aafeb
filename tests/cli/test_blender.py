#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""Yarns in Blender: tools/blender-check on a weave of two colours; skipped where there is no Blender."""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, main

TOOL = os.path.join(os.environ["SOURCE_DIR"], "tools", "blender-check")

# Three yarns, one closed, of two radii and two colours.
SCENE = """\
heddle: 1
duration: 2 ms
step: {size: 1 ms}
output: {frame_interval: 1 ms}
yarns:
  - {name: loops, curves: {file: loops.usda}}
  - {name: rod, line: {from: [0, 1 m, 0], to: [0.1 m, 1 m, 0], segments: 6}, radius: 0.7 mm}
"""
LOOPS = """\
#usda 1.0
(metersPerUnit = 1
 upAxis = "Y")
def BasisCurves "loop" {
 uniform token type = "linear"
 uniform token wrap = "periodic"
 int[] curveVertexCounts = [4]
 point3f[] points = [(0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0), (0, 0.1, 0)]
 float[] widths = [0.002] (interpolation = "constant")
 color3f[] primvars:displayColor = [(1, 0.2, 0)]
}
"""


def run_tool(*arguments):
    if not shutil.which("blender"):
        return None
    result = subprocess.run([TOOL, *arguments, "--", "--threads", "1"], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=300)
    check(result.returncode == 0 and "all as in the run" in result.stdout, result.stdout)
    return result.stdout


def test_a_weave():
    return None if run_tool() else "no Blender"


def test_radii_and_closed_yarns():
    with open("scene.yaml", "w") as scene, open("loops.usda", "w") as loops:
        scene.write(SCENE)
        loops.write(LOOPS)
    text = run_tool("scene.yaml")
    check(not text or "2 different" in text, text)
    return None if text else "no Blender"


if __name__ == "__main__":
    main(globals())
