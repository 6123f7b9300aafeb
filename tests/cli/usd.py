# SPDX-License-Identifier: MIT
"""A strict reader of USD text, for the prims that heddle writes: what UsdGeomMesh, UsdGeomBasisCurves and
importers ask of them. check_usda(text) returns the stage or raises Wrong with the prim and the rule."""
import math
import re

TOKEN = re.compile(r'\s+|#[^\n]*|("(?:[^"\\\n]|\\.)*")|([A-Za-z_][\w:.]*)|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(.)')
SCALARS = {"int", "float", "double", "token", "string", "bool"}
TUPLES = {"point3f": 3, "float3": 3, "color3f": 3, "normal3f": 3, "texCoord2f": 2, "float2": 2}
FLOAT_MAX = 3.4028234663852886e38


class Wrong(Exception):
    pass


def need(condition, where, rule):
    if not condition:
        raise Wrong(f"{where}: {rule}")


class Text:
    def __init__(self, text):
        need(text.startswith("#usda 1.0\n"), "file", "must begin with '#usda 1.0'")
        self.tokens = [m.group(0) for m in TOKEN.finditer(text) if m.group(m.lastindex or 0).strip() and m.lastindex]
        self.at = 0

    def peek(self):
        need(self.at < len(self.tokens), "file", "ends early")
        return self.tokens[self.at]

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, token):
        found = self.next()
        need(found == token, "file", f"expected '{token}', got '{found}'")

    def has(self, token):
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def value(self):
        """A number, a text, a tuple, a list, or samples as a dictionary."""
        token = self.next()
        if token == "(":
            return tuple(self.items(")"))
        if token == "[":
            return self.items("]")
        if token == "{":
            samples = []
            while not self.has("}"):
                time = self.value()
                self.take(":")
                samples.append((time, self.value()))
                if not self.has(","):
                    self.take("}")
                    break
            return samples
        if token.startswith('"'):
            return token[1:-1]
        try:
            return float(token)
        except ValueError:
            raise Wrong(f"file: '{token}' is no value") from None

    def items(self, end):
        found = []
        while not self.has(end):
            found.append(self.value())
            if not self.has(","):
                self.take(end)
                break
        return found

    def metadata(self):
        found = {}
        while not self.has(")"):
            name = self.next()
            need(re.fullmatch(r"[A-Za-z]\w*", name) and name not in found, "metadata", f"bad name '{name}'")
            self.take("=")
            found[name] = self.value()
        return found

    def prim(self):
        kind, name = self.next(), self.next()
        need(re.fullmatch(r'"[A-Za-z_]\w*"', name), name, "is no identifier")
        prim = {"type": kind, "name": name[1:-1], "attributes": {}, "children": []}
        if self.has("("):
            self.metadata()
        self.take("{")
        while not self.has("}"):
            if self.has("def"):
                prim["children"].append(self.prim())
                continue
            is_uniform = self.has("uniform")
            kind = self.next()
            need(kind in SCALARS or kind in TUPLES, name, f"unknown type '{kind}'")
            is_array = self.has("[")
            if is_array:
                self.take("]")
            key = self.next()
            need(key not in prim["attributes"], name, f"'{key}' stands twice")
            self.take("=")
            prim["attributes"][key] = {"type": kind, "array": is_array, "uniform": is_uniform, "value": self.value(),
                                       "metadata": self.metadata() if self.has("(") else {}}
        return prim


def check_scalar(where, kind, value):
    if kind in TUPLES:
        need(isinstance(value, tuple) and len(value) == TUPLES[kind], where, f"must be {TUPLES[kind]} numbers")
        for part in value:
            check_scalar(where, "float", part)
    elif kind in ("token", "string"):
        need(isinstance(value, str), where, "must be text")
    else:
        need(isinstance(value, float) and math.isfinite(value) and abs(value) <= FLOAT_MAX, where,
             "must be a finite number in single precision")
        need(kind != "int" or value == int(value), where, "must be whole")


def check_value(where, attribute, value):
    if attribute["array"]:
        need(isinstance(value, list), where, "must be an array")
        for item in value:
            check_scalar(where, attribute["type"], item)
    else:
        check_scalar(where, attribute["type"], value)


class Prim:
    def __init__(self, prim, stage):
        self.name, self.type, self.attributes, self.stage = prim["name"], prim["type"], prim["attributes"], stage
        for key, attribute in self.attributes.items():
            where = f"{self.name}.{key}"
            if not key.endswith(".timeSamples"):
                check_value(where, attribute, attribute["value"])
                continue
            base = self.attributes.get(key[:-len(".timeSamples")])
            need(base and base["type"] == attribute["type"], where, "has samples without a value of the same type")
            times = [time for time, _ in attribute["value"]]
            need(times and all(a < b for a, b in zip(times, times[1:])), where, "times must grow")
            need(stage["startTimeCode"] == times[0] and times[-1] == stage["endTimeCode"], where,
                 "samples must reach from startTimeCode to endTimeCode")
            for _, value in attribute["value"]:
                check_value(where, attribute, value)

    def fail(self, condition, rule):
        need(condition, self.name, rule)

    def value(self, key, kind):
        attribute = self.attributes.get(key)
        self.fail(attribute and attribute["type"] == kind, f"needs '{kind} {key}'")
        return attribute["value"]

    def token(self, key, *words):
        self.fail(self.attributes.get(key, {}).get("uniform"), f"'{key}' must be uniform")
        value = self.value(key, "token")
        self.fail(value in words, f"'{key}' must be one of {words}, got '{value}'")
        return value

    def samples(self, key):
        found = [self.attributes[key]["value"]]
        return found + [value for _, value in self.attributes.get(key + ".timeSamples", {"value": []})["value"]]

    def check_sizes(self, key, default, sizes):
        """A primvar, or the widths: as many values as the interpolation says."""
        attribute = self.attributes.get(key)
        if attribute is None:
            return []
        interpolation = attribute["metadata"].get("interpolation", default)
        self.fail(interpolation in sizes, f"'{key}' must not have interpolation '{interpolation}'")
        self.fail(len(attribute["value"]) == sizes[interpolation],
                  f"'{key}' has {len(attribute['value'])} values, '{interpolation}' asks for {sizes[interpolation]}")
        return attribute["value"]

    def check_colors(self, sizes):
        for color in self.check_sizes("primvars:displayColor", "constant", sizes):
            self.fail(all(0.0 <= part <= 1.0 for part in color), "displayColor must lie between 0 and 1")

    def check_motion(self, radius):
        """Points keep their number, and the extent holds them with their thickness, sample by sample."""
        self.value("points", "point3f")
        points, boxes = self.samples("points"), self.samples("extent") if "extent" in self.attributes else []
        self.fail(all(len(x) == len(points[0]) for x in points), "the number of points changes")
        self.fail(len(boxes) in (0, len(points)), "extent and points must have samples at the same times")
        for x, box in zip(points, boxes):
            self.fail(len(box) == 2, "extent must be two corners")
            for k in range(3):
                low, high = min(p[k] for p in x) - radius, max(p[k] for p in x) + radius
                slack = 2.4e-7 * max(abs(low), abs(high)) + 1e-30  # two roundings to single precision
                self.fail(abs(box[0][k] - low) <= slack and abs(box[1][k] - high) <= slack,
                          "extent is not that of the points")
        return len(points[0])


def check_mesh(prim):
    count = prim.check_motion(0.0)
    sizes, corners = prim.value("faceVertexCounts", "int"), prim.value("faceVertexIndices", "int")
    prim.fail(all(n >= 3 for n in sizes) and sum(sizes) == len(corners), "faceVertexCounts must add up to the indices")
    prim.fail(all(0 <= v < count for v in corners), "an index is out of range")
    prim.token("subdivisionScheme", "none", "catmullClark", "loop", "bilinear")
    prim.token("orientation", "rightHanded", "leftHanded")
    by = {"constant": 1, "uniform": len(sizes), "vertex": count, "varying": count, "faceVarying": len(corners)}
    prim.check_sizes("primvars:st", "constant", by)
    prim.check_colors(by)


def varying_count(n, cubic, basis, wrap):
    if not cubic or wrap != "nonperiodic":
        return n if basis != "bezier" or not cubic else n // 3 + (wrap != "periodic")
    return (n - 4) // 3 + 2 if basis == "bezier" else n - 2


def check_curves(prim):
    cubic = prim.token("type", "cubic", "linear") == "cubic"
    basis = prim.token("basis", "bezier", "bspline", "catmullRom")
    wrap = prim.token("wrap", "nonperiodic", "periodic", "pinned")
    prim.fail(wrap != "pinned" or basis != "bezier", "a Bezier curve cannot be pinned")
    counts = prim.value("curveVertexCounts", "int")
    least = 3 if wrap == "periodic" else 4 if cubic and wrap == "nonperiodic" else 2
    prim.fail(counts and all(n >= least for n in counts), f"a curve needs {least} points")
    if cubic and basis == "bezier":
        prim.fail(all(n % 3 == (0 if wrap == "periodic" else 1) for n in counts), "points of Bezier curves")
    by = {"constant": 1, "vertex": int(sum(counts)), "varying": sum(varying_count(int(n), cubic, basis, wrap) for n in counts)}
    # One width for each curve is not what UsdGeomCurves asks for, and importers take it for something else.
    widths = prim.check_sizes("widths", "varying", by)
    prim.fail(all(w >= 0.0 for w in widths), "a width must not be negative")
    total = prim.check_motion(0.5 * max(widths, default=0.0))
    prim.fail(sum(counts) == total, "curveVertexCounts must add up to the points")
    by["uniform"] = len(counts)
    prim.check_sizes("primvars:st", "constant", by)
    prim.check_colors(by)


def check_usda(source):
    text = Text(source)
    text.take("(")
    stage = text.metadata()
    for key in ("startTimeCode", "endTimeCode", "timeCodesPerSecond", "framesPerSecond", "metersPerUnit"):
        need(isinstance(stage.get(key), float) and math.isfinite(stage[key]), "stage", f"needs the number {key}")
    for key in ("timeCodesPerSecond", "framesPerSecond", "metersPerUnit"):
        need(stage[key] > 0.0, "stage", f"{key} must be positive")
    need(stage["timeCodesPerSecond"] == stage["framesPerSecond"], "stage", "a time code must be a frame")
    need(stage.get("upAxis") in ("Y", "Z"), "stage", "upAxis must be Y or Z")
    roots = []
    while text.at < len(text.tokens):
        text.take("def")
        roots.append(text.prim())
    need(stage.get("defaultPrim") in [prim["name"] for prim in roots], "stage", "defaultPrim is not there")
    stage["prims"] = {}
    for root in roots:
        names = [child["name"] for child in root["children"]]
        need(len(set(names)) == len(names), root["name"], "two prims have one name")
        for child in root["children"]:
            prim = Prim(child, stage)
            {"Mesh": check_mesh, "BasisCurves": check_curves}.get(prim.type, lambda p: p.fail(False, "unknown type"))(prim)
            stage["prims"][prim.name] = prim
    return stage
