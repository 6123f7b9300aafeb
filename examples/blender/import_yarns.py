# SPDX-License-Identifier: MIT
"""Yarns of heddle in Blender, as curves with their thickness and colours. Blender's own reader of PLY leaves both out.

    heddle convert RUN yarns.ply
    blender --python import_yarns.py -- yarns.ply

or, in Blender's Python: import import_yarns; import_yarns.load("yarns.ply")
"""
import struct
import sys

TYPES = {"double": "d", "float": "f", "int": "i", "uint": "I", "short": "h", "ushort": "H", "char": "b", "uchar": "B"}


def read_ply(path):
    """The elements of a binary PLY file: lists of rows, each a dictionary."""
    with open(path, "rb") as stream:
        data = stream.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    if b"\nformat binary_little_endian 1.0\n" not in data[:end]:
        raise ValueError(f"{path}: only binary little-endian files, as heddle writes them")
    elements = []
    for line in data[:end].decode("ascii", "replace").splitlines():
        words = line.split()
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append((words[-1], words[1:-1]))
    found, at = {}, end
    for name, count, properties in elements:
        rows = found[name] = []
        for _ in range(count):
            row = {}
            for key, kind in properties:
                size = 1
                if kind[0] == "list":
                    (size,) = struct.unpack_from("<" + TYPES[kind[1]], data, at)
                    at += struct.calcsize(TYPES[kind[1]])
                values = struct.unpack_from(f"<{size}{TYPES[kind[-1]]}", data, at)
                at += struct.calcsize(f"<{size}{TYPES[kind[-1]]}")
                row[key] = values if kind[0] == "list" else values[0]
            rows.append(row)
    return found


def read_yarns(path):
    """(vertices, closed) of each yarn: edges that follow each other are one."""
    elements = read_ply(path)
    vertices, yarns, chain = elements["vertex"], [], []
    for edge in elements.get("edge", []):
        a, b = edge["vertex1"], edge["vertex2"]
        if not chain or chain[-1] != a or chain[0] == a and len(chain) > 1:
            chain = [a]
            yarns.append(chain)
        chain.append(b)
    found = []
    for chain in yarns:
        closed = chain[0] == chain[-1]
        found.append(([vertices[i] for i in (chain[:-1] if closed else chain)], closed))
    return found


def linear(byte):
    c = byte / 255.0
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def material_of(vertex, made):
    import bpy
    rgb = tuple(vertex.get(key, 255) for key in ("red", "green", "blue"))
    if rgb not in made:
        material = bpy.data.materials.new("yarn #%02x%02x%02x" % rgb)
        color = (*map(linear, rgb), 1.0)
        material.diffuse_color = color
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
        made[rgb] = material
    return made[rgb]


def load(path, name="yarns"):
    """One curve object; y of heddle becomes z of Blender. A radius of a point is in metres."""
    import bpy
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = 1.0  # times the radius of each point
    curve.bevel_resolution = 2
    made = {}
    for points, closed in read_yarns(path):
        spline = curve.splines.new("POLY")
        spline.use_cyclic_u = closed
        spline.points.add(len(points) - 1)
        for point, vertex in zip(spline.points, points):
            point.co = (vertex["x"], -vertex["z"], vertex["y"], 1.0)
            point.radius = vertex.get("radius", 0.0)
        material = material_of(points[0], made)
        if material.name not in curve.materials:
            curve.materials.append(material)
        spline.material_index = list(curve.materials).index(material)
    thing = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(thing)
    return thing


if __name__ == "__main__":
    for argument in sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []:
        load(argument)
