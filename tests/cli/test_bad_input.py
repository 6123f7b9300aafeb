#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Input that cannot be simulated: a message with its place, exit code 2, and nothing is written."""
import json
import struct
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main, tree

MEMBRANE = "    model: membrane\n    bending: hinges\n"
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n"
FACE = "f 1 2 3 4\n"


def write(path, content):
    with open(path, "wb" if isinstance(content, bytes) else "w") as out:
        out.write(content)


def refused(scene, *words, verb="run"):
    """The scene is refused with these words, and no file appears or changes."""
    write("scene.yaml", scene)
    before = tree(".")
    arguments = ["run", "scene.yaml", "-o", "out"] if verb == "run" else [verb, "scene.yaml"]
    result = heddle(*arguments, code=2)
    check(result.stdout == "", f"{scene}: {result.stdout!r}")
    for word in words:
        check(word in result.stderr, f"{scene}\n'{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{scene}: files were written")


def scene_of_mesh(keys="", more=MEMBRANE, file="a.obj"):
    return f"heddle: 1\nduration: 0.01 s\nsheets:\n  - name: c\n    mesh: {{file: {file}{keys}}}\n{more}"


def bad_mesh(content, *words, keys="", more=MEMBRANE):
    write("a.obj", content)
    refused(scene_of_mesh(keys, more), *words)


def good_mesh(content, keys="", more=MEMBRANE):
    write("a.obj", content)
    write("scene.yaml", scene_of_mesh(keys, more))
    return heddle("check", "scene.yaml")


def test_other_encodings():
    """Every reader of text names UTF-16, with and without a mark, wherever the file is asked for."""
    for extension in ("obj", "ply", "pyp", "usda", "vtp", "wif", "knit", "ks", "k", "json", "yaml"):
        for encoding, word in (("utf-16", "is UTF-16 text"), ("utf-16-le", None)):
            write(f"a.{extension}", "heddle: 1\nname: x\n".encode(encoding))
            result = heddle("info", f"a.{extension}", code=2)
            check(f"a.{extension}:1" in result.stderr or not word, result.stderr)
            check(not word or word in result.stderr, f"{extension}: {result.stderr}")
    bad_mesh((SQUARE + FACE).encode("utf-16"), "a.obj:1: is UTF-16 text; save it as UTF-8")


def test_triangles():
    bad_mesh(SQUARE + FACE + "f 1 1 2\n", "scene.yaml:5:18: error: a.obj:6: a face names a vertex twice")
    bad_mesh(SQUARE + "v 0.5 0 0\n" + FACE + "f 1 5 2\n",
             "a.obj:7: triangle 2 (vertices 0, 4, 1, counted from 0) has no area at rest")
    bad_mesh(SQUARE + FACE + "f 3 1 2\n", "a.obj:6: triangle 2", "has the same corners as an earlier one")
    bad_mesh(SQUARE + "v 0.5 1 0.5\n" + FACE + "f 1 3 5\n",
             "a.obj:7: triangle 2", "the edge from vertex 0 to 2 has 3 triangles, at most 2")
    bad_mesh(SQUARE + "f 1 2 3\nf 1 4 3\n", "a.obj:6: triangle 1", "faces the other way than triangle 0",
             "mixed_fronts: true")
    good_mesh(SQUARE + "f 1 2 3\nf 1 4 3\n", keys=", mixed_fronts: true")
    # The same rules for springs.
    bad_mesh(SQUARE + "v 0.5 1 0.5\n" + FACE + "f 1 3 5\n", "has 3 triangles", more="")
    bad_mesh(SQUARE + "v 0.5 0 0\n" + FACE + "f 1 5 2\n", "has no area at rest", more="")


def test_vertices_at_one_place():
    apart = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 4 5 6\n"
    bad_mesh(apart, "a.obj: vertices 0 and 3 (counted from 0) stand at one place, (0, 0, 0) m", "weld: 1e-6 m")
    facts = good_mesh(apart, keys=", weld: 1 um")
    check("c: 4 vertices, 2 triangles" in facts.stdout, facts.stdout)
    check("2 vertices are welded" in facts.stderr, facts.stderr)
    bad_mesh(SQUARE + FACE, "would vanish by 'weld'", keys=", weld: 2 m")
    # Two vertices that are one at the start but not at rest.
    write("r.obj", apart.replace("v 0 0 0\nv 1 0 1\nv 0 0 1", "v 0 3 0\nv 1 3 1\nv 0 3 1"))
    bad_mesh(apart, "vertices 0 and 3", "at rest they are 3 m apart", keys=", weld: 1 um, rest: r.obj")
    # What no triangle uses is nowhere.
    good_mesh(SQUARE + "v 0 0 0\n" + FACE)


def test_numbers_in_meshes():
    bad_mesh("v 0 0 nan\nv 1 0 0\nv 1 0 1\nf 1 2 3\n", "a.obj:1: vertex z must be a finite number, got 'nan'")
    bad_mesh("v 0 0 0\nv inf 0 0\nv 1 0 1\nf 1 2 3\n", "a.obj:2: vertex x must be a finite number, got 'inf'")
    bad_mesh(SQUARE + "f 1 2 9\n", "a.obj:5: vertex index 9 is out of range, the file has 4")
    bad_mesh("", "a.obj: holds no faces (0 vertices)")
    bad_mesh(SQUARE, "a.obj: holds no faces (4 vertices)")
    bad_mesh(SQUARE.replace("1", "1e200") + FACE, "vertex 1 (counted from 0) is farther than 1e+07 m")
    bad_mesh(SQUARE.replace("1", "1e9") + FACE, "is farther than 1e+07 m")
    bad_mesh(SQUARE.replace("1", "1e-12") + FACE, "sheet 'c' must be larger than 1e-06 m")
    bad_mesh(SQUARE.replace("1", "1e-200") + FACE, "stand at one place")
    bad_mesh(SQUARE + FACE, "'scale' must be positive, got 0", keys=", scale: 0")


def test_ply():
    head = ("ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
            "element face {}\nproperty list uchar int vertex_indices\nend_header\n")
    text = scene_of_mesh(file="a.ply")
    write("a.ply", head.format("ascii", 3, 1) + "0 0 0\n1 nan 0\n0 0 1\n3 0 1 2\n")
    refused(text, "a.ply:11: expected a finite number, got 'nan'")
    numbers = struct.pack("<9fB3i", 0, 0, 0, 1, float("inf"), 0, 0, 0, 1, 3, 0, 1, 2)
    write("a.ply", head.format("binary_little_endian", 3, 1).encode() + numbers)
    refused(text, "a.ply: byte ", "a vertex must be finite, got inf")
    write("a.ply", head.format("ascii", 3, 1) + "0 0 0\n1 0 0\n0 0 1\n3 0 1 7\n")
    refused(text, "a.ply:13: index of a vertex is out of range")
    write("a.ply", head.format("ascii", 0, 0))
    refused(text, "a.ply: holds no faces")
    write("a.ply", head.format("ascii", 4, 2) + "0 0 0\n1 0 0\n0 0 1\n2 0 0\n3 0 1 2\n3 0 1 3\n")
    refused(text, "a.ply:15: triangle 1 (vertices 0, 1, 3, counted from 0) has no area")


def test_texture_coordinates():
    good = SQUARE + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n"
    good_mesh(good, keys=", uv: shape, uv_scale: 20 cm")
    good_mesh(good, keys=", uv: directions")
    bad_mesh(SQUARE + FACE, "scene.yaml:5:29: error: 'uv': 'a.obj' does not have texture coordinates at every corner",
             keys=", uv: shape")
    bad_mesh(SQUARE + "vt 0 0\nvt 1 0\nvt 2 0\nvt 3 0\nf 1/1 2/2 3/3 4/4\n",
             "a.obj:9: triangle 0", "has no area in its texture coordinates", keys=", uv: directions")
    bad_mesh(SQUARE + "vt 0 nan\nf 1/1 2/1 3/1\n", "a.obj:5: texture v must be a finite number, got 'nan'",
             keys=", uv: shape")
    bad_mesh(good, "'uv' needs 'model: membrane'", keys=", uv: shape", more="")
    bad_mesh(good, "'warp' must not be zero", keys=", warp: [0, 0, 0]")
    bad_mesh(good, "'uv' must be one of none, directions, shape", keys=", uv: both")


def test_materials():
    cases = {
        "poisson: 0.6": "'poisson' must be from -0.99 to 0.5, got 0.6",
        "poisson: -1": "'poisson' must be from -0.99 to 0.5, got -1",
        "density: -150 g/m^2": "'density' must be positive, got -150 g/m^2",
        "density: 0": "'density' must be positive, got 0",
        "density: .nan": "'density': expected a number, got '.nan'",
        "density: 1e300": "'density' must not be larger than 1e15 in SI units",
        "density: 1e-300": "'density' must not be smaller than 1e-15 in SI units",
        "thickness: -1 mm": "'thickness' must be zero or more, got -1 mm",
        "stretch: -3": "'stretch' must be positive, got -3",
        "stretch: 0": "'stretch' must be positive, got 0",
        "stretch: inf": "'stretch': expected a number, got 'inf'",
        "weft: -1": "'weft' must be zero or more, got -1",
        "shear: -1": "'shear' must be zero or more, got -1",
        "bend_rigidity: -1": "'bend_rigidity' must be zero or more, got -1",
        "damping: -1 s": "'damping' must be zero or more, got -1 s",
        "dilation_damping: -1": "'dilation_damping' must be zero or more, got -1",
        "shear_damping: -1": "'shear_damping' must be zero or more, got -1",
        "velocity: [0, .inf, 0]": "'velocity': expected a number, got '.inf'",
    }
    for line, message in cases.items():
        bad_mesh(SQUARE + FACE, "scene.yaml:8:", message, more=f"{MEMBRANE}    {line}\n")
    # Poisson's ratios of warp and weft: 0.4^2 * 100/10 is above 1.
    bad_mesh(SQUARE + FACE, "scene.yaml:4:5: error: sheet 'c': 'poisson' 0.4 is too much for a weft 10 times as stiff",
             more=MEMBRANE + "    stretch: 10 N/m\n    weft: 100 N/m\n    poisson: 0.4\n")


def test_sizes_in_scenes():
    grid = "heddle: 1\nduration: 0.01 s\n{}sheets:\n  - grid: {{size: [{}, 1], points: [2, 2]}}\n"
    refused(grid.format("", ".nan"), "scene.yaml:4:19: error: 'size': expected a number, got '.nan'")
    refused(grid.format("", "1e200"), "'size' must not be larger than 1e15")
    refused(grid.format("", "1e9"), "must be larger than 1e-06 m and nearer than 1e+07 m to the origin")
    refused(grid.format("", "1e-16"), "'size' must not be smaller than 1e-15 in SI units")
    refused(grid.format("world: {gravity: [0, .inf, 0]}\n", "1"), "scene.yaml:3:22: error: 'gravity'")
    refused(grid.format("step: {size: 1e-200 s}\n", "1"), "'size' must not be smaller than 1e-15")
    membrane = "heddle: 1\nstep: {integrator: xpbd}\nsheets:\n  - grid: {size: [1, 1], points: [3, 3]}\n" + MEMBRANE
    refused(membrane, "position-based steps (pbd, xpbd) know springs only")


# --- garments ---

CORNERS = [[0, 0], [20, 0], [20, 20], [0, 20]]


def panel(vertices=None, edges=None, **more):
    vertices = vertices or CORNERS
    loop = [{"endpoints": [i, (i + 1) % len(vertices)]} for i in range(len(vertices))]
    return {"vertices": vertices, "edges": edges or loop, **more}


def side(name, edge):
    return {"panel": name, "edge": edge}


def lines_of(panels, stitches):
    """The pattern, a line for each panel and stitch, so that messages have a line to name."""
    parts = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in panels.items())
    seams = ",\n".join(json.dumps(stitch) for stitch in stitches)
    return f'{{"pattern": {{"panels": {{\n{parts}\n}},\n"stitches": [\n{seams}\n]}}}}\n'


def bad_garment(words, panels=None, stitches=(), text=None, size="5 cm", more=""):
    panels = panels or {"a": panel(), "b": panel(translation=[20, 0, 0])}
    write("g.json", lines_of(panels, stitches) if text is None else text)
    scene = f"heddle: 1\nduration: 0.01 s\nsheets:\n  - garment: {{file: g.json, size: {size}}}\n{more}"
    refused(scene, *([words] if isinstance(words, str) else words))


def test_seams():
    long = panel([[0, 0], [20, 0], [20, 200], [0, 200]])
    # Lines: 1 the head, 2 and 3 the panels, 6 the first stitch.
    bad_garment("scene.yaml:4:21: error: g.json:6: seam 0 (panel 'a' edge 1, panel 'b' edge 3): its sides do not match: "
                "0.2 m and 2 m, a ratio of 10", {"a": panel(), "b": long}, [[side("a", 1), side("b", 3)]])
    bad_garment("g.json:6:", stitches=[[side("a", 1), side("c", 3)]])
    bad_garment("there is no panel 'c'", stitches=[[side("a", 1), side("c", 3)]])
    bad_garment("panel 'b' has edges 0 to 3, got 9", stitches=[[side("a", 1), side("b", 9)]])
    bad_garment("g.json:7: seam 1 (panel 'a' edge 1, panel 'b' edge 2): edge 1 of panel 'a' is sewn already, by seam 0",
                stitches=[[side("a", 1), side("b", 3)], [side("a", 1), side("b", 2)]])
    bad_garment("edge 1 of panel 'a' is sewn already", stitches=[[side("a", 1), side("a", 1)]])


def test_panels():
    bad_garment("g.json:2: panel 'a': edges 0 and 2 pass through the same point (0.1, 0.1) m",
                {"a": panel([[0, 0], [20, 20], [20, 0], [0, 20]])})
    bad_garment("g.json:3: panel 'z': edge 1 begins and ends at the same place (0.2, 0) m: vertices 1 and 2",
                {"a": panel(), "z": panel([[0, 0], [20, 0], [20, 0], [0, 20]])})
    bad_garment("g.json:2: panel 'a': the outline is open",
                {"a": panel(edges=[{"endpoints": [i, i + 1]} for i in range(3)])})
    bad_garment("'endpoints' name vertices 1 and 7; panel 'a' has 0 to 3",
                {"a": panel(edges=[{"endpoints": [0, 1]}, {"endpoints": [1, 7]}, {"endpoints": [7, 0]}])})
    bad_garment("numbers must be finite", text='{"pattern": {"panels": {"a": {"vertices": [[0, NaN]]}}}}')
    bad_garment("a number beyond double precision", text=lines_of({"a": panel()}, []).replace("20", "1e999"))
    bad_garment("g.json:2: panel 'a': edge 0 is 1e+98 m long", text=lines_of({"a": panel()}, []).replace("20", "1e100"))
    bad_garment("must be larger than 1e-06 m", text=lines_of({"a": panel()}, []).replace("20", "1e-100"))
    bad_garment("'panels' must not be empty", text='{"pattern": {"panels": {}}}')
    bad_garment("'pattern' is missing here", text="{}")
    bad_garment("g.json:1:1: expected a value", text="")


def test_sizes_of_garments():
    # Refused by the number of points it would take, before any work.
    bad_garment("g.json:2: panel 'a': edge 0 is 0.2 m long; a target size of 1e-09 m asks for 2e+08 points on it",
                size="1e-9")
    bad_garment("a target size of 1e-06 m asks for", size="1 um")
    bad_garment("'size' must be positive, got -1 cm", size="-1 cm")
    bad_garment("'sewing_time' must be zero or more, got -1 s", size="5 cm, sewing_time: -1 s")


def test_garments_and_other_keys():
    bad_garment("scene.yaml:5:12: error: a garment needs 'model: membrane'", more="    model: springs\n")
    bad_garment("scene.yaml:5:14: error: a garment needs 'bending: hinges', 'flat' or 'none'",
                more="    bending: curvature\n")
    bad_garment("'stretch_start' needs a grid", more="    stretch_start: [1.1, 1]\n")
    bad_garment("'where' needs a grid", more="pins: [{where: top}]\n")
    bad_garment("needs either 'grid', 'mesh' or 'garment', only one of them",
                more="    grid: {size: [1, 1], points: [2, 2]}\n")
    bad_garment("unknown key 'sise' in garment", size="5 cm, sise: 1")
    refused("heddle: 1\nsheets:\n  - garment: {file: no.json}\n", "scene.yaml:3:21: error: cannot read", "no.json")


if __name__ == "__main__":
    main(globals())
