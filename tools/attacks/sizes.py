# SPDX-License-Identifier: MIT
"""Sizes that no machine can hold: refused at once, with the number that was asked for."""
import os
import re

from . import scenes
from .bench import MEMORY, Attack, attack, check, write

SECONDS = 10.0  # of processor time: "at once", without optimisation
WAIT = 200  # s: a busy machine gives a process a twentieth of a processor
HUGE = (10**9, 10**8, 2**31 - 1, 2**31, 2**32 + 1, 10**12, 2**63 - 1, 2**63, 10**19, 10**30)

PLY = ("ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
       "element face {}\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
WIF = ("[WIF]\nVersion=1.1\nDate=1997\nDevelopers=x\nSource Program=x\n[CONTENTS]\nWEAVING=true\nWARP=true\nWEFT=true\n"
       "THREADING=true\nTIEUP=true\nTREADLING=true\n[WEAVING]\nShafts={0}\nTreadles={1}\n[WARP]\nThreads={2}\n"
       "[WEFT]\nThreads={3}\n[THREADING]\n1=1\n2=2\n[TIEUP]\n1=1\n2=2\n[TREADLING]\n1=1\n2={4}\n")


def grid(a, b):
    return f"heddle: 1\nsheets:\n  - grid: {{size: [1, 1], points: [{a}, {b}]}}\n"


def yarns(shape):
    return f"heddle: 1\nduration: 0.01 s\nyarns:\n  - {shape}\n"


def inputs(rng, n):
    """(name of a file, its content, the command after the name): each asks for about n of something."""
    m = rng.choice((1, 2, 3, 1000, n))
    return rng.choice((
        ("a.yaml", grid(n, m), ("check",)), ("a.yaml", grid(7000, 7000), ("check",)),
        ("a.yaml", grid(20000, rng.randint(2500, 20000)), ("check",)),
        ("a.yaml", yarns(f"line: {{to: [1, 0, 0], segments: {n}}}"), ("check",)),
        ("a.yaml", yarns(f"weave: {{pattern: plain, ends: {n}, picks: {m}, sett: [10 1/cm, 10 1/cm], warp: 30 tex}}"),
         ("check",)),
        ("a.yaml", yarns("weave: {pattern: plain, ends: 100000, picks: 100000, sett: [10 1/cm, 10 1/cm], "
                         "warp: 30 tex}\n    model: sliding"), ("check",)),
        ("a.yaml", yarns(f"weave: {{pattern: twill {n}/{m}, ends: 4, picks: 4, sett: [1 1/cm, 1 1/cm], warp: 30 tex}}"),
         ("check",)),
        ("a.yaml", yarns(f"knit: {{pattern: stockinette, rows: {n}, stitches: {m}}}"), ("check",)),
        ("a.yaml", yarns("knit: {pattern: stockinette, rows: 100000, stitches: 100000}"), ("check",)),
        ("a.yaml", yarns(f"knit: {{pattern: rib-2x2, points: {n}}}"), ("check",)),
        ("a.yaml", yarns("knit: {pattern: raglan-sweater, rows: 100000, stitches: 20000}"), ("check",)),
        ("a.yaml", f"heddle: 1\nthreads: {n}\n" + scenes.SPRINGS, ("check",)),
        ("a.yaml", f"heddle: 1\nduration: {n} s\n" + scenes.SPRINGS, ("check",)),
        ("a.yaml", f"heddle: 1\nstep: {{size: 1e-{rng.randint(9, 15)} s}}\n" + scenes.SPRINGS, ("check",)),
        ("a.yaml", f"heddle: 1\nstep: {{newton_iterations: {n}, pbd_iterations: {n}}}\n" + scenes.SPRINGS, ("check",)),
        ("a.ply", PLY.format("ascii", n, m), ("info",)), ("a.ply", PLY.format("ascii", 3, n), ("info",)),
        ("a.ply", PLY.format("binary_little_endian", n, n), ("info",)),
        ("a.obj", f"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {n}\n", ("info",)),
        ("a.obj", f"v 0 0 0\nv 1 0 0\nl 1 {n}\n", ("info",)),
        ("a.wif", WIF.format(n, n, n, n, n), ("info",)), ("a.wif", WIF.format(2, 2, n, m, 1), ("convert",)),
        ("a.wif", WIF.format(2, n, 2, 2, n), ("info",)),
        ("a.knit", f"co {n}\nrow 1: k*\n", ("info",)), ("a.knit", f"co 4\nrow 1: [k4]x{n}\n", ("info",)),
        ("a.knit", f"co 4\nrow 1: k{n}\n", ("info",)), ("a.knit", f"co 4\nrow 1-{n}: k*\n", ("info",)),
        ("a.ks", f"Row 1: k{n}.\n", ("info",)), ("a.ks", f"Rows 1-{n}: knit.\n", ("info",)),
        ("a.ks", f"Row 1 (RS): *k1, p1; repeat from * {n} times.\n", ("info",)),
        ("a.k", f";!knitout-2\n;;Carriers: 1\nin 1\ntuck + f{n} 1\n", ("info",)),
        ("a.k", f";!knitout-2\n;;Carriers: 1\nrack {n}\nin 1\nknit + f1 1\nknit - f{m} 1\n", ("info",)),
        ("a.pyp", f"*pattern\n0.004 0.002 0.0002 {n}\n\n*Q\n0 0 0 0\n1 0 0 0\n\n*E\n0 1 0 0\n\n*RL\n1\n", ("info",)),
        ("a.usda", f'#usda 1.0\ndef BasisCurves "y"\n{{\n    int[] curveVertexCounts = [{n}]\n'
                   "    point3f[] points = [(0, 0, 0), (1, 0, 0)]\n}\n", ("info",)),
        ("a.vtp", f'<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="{n}" NumberOfLines="{m}">'
                  "<Points></Points></Piece></PolyData></VTKFile>\n", ("info",)),
        ("a.bcc", b"BCC\x44C0\x03\x02" + (n % 2**64).to_bytes(8, "little") + (n % 2**64).to_bytes(8, "little")
         + bytes(40) + (n % 2**31).to_bytes(4, "little"), ("info",)),
        ("a.json", scenes.DRESS, ("info", "--size", f"{rng.choice((1, 10, 100))} nm")),
        ("a.json", scenes.DRESS.replace("40", str(n)), ("info",)),
        ("a.obj", scenes.cloth_obj(), ("render", "--size", f"{n}x{m}")),
        ("a.obj", scenes.cloth_obj(), ("render", "--samples", str(n), "--size", "8x8")),
        ("a.yaml", "heddle: 1\n" + scenes.SPRINGS, ("run", "--threads", str(n), "--duration", "0.01")),
        ("a.yaml", "heddle: 1\n" + scenes.SPRINGS, ("run", "--duration", f"{n}000")),
        ("a.yaml", "heddle: 1\nsheets: " + "[" * min(n, 100000), ("check",)),
        ("a.json", "[" * min(n, 100000), ("info",)),
        ("a.yaml", "heddle: 1\nname: " + "x" * min(n, 10**6) + "\n" + scenes.SPRINGS, ("check",)),
    ))


@attack
class Sizes(Attack):
    name = "sizes"
    about = "a billion points, stitches, threads, pixels or steps: refused within seconds, in little memory"
    full, quick = 400, 10

    def case(self, rng, directory):
        n = rng.choice(HUGE)
        name, content, (verb, *options) = inputs(rng, n)
        path = write(os.path.join(directory, name), content)
        out = {"convert": [os.path.join(directory, "out.obj")], "render": ["-o", os.path.join(directory, "out.png")],
               "run": ["-o", os.path.join(directory, "run"), "--quiet"]}.get(verb, [])
        answer = self.run(verb, path, *out, *options, patience=WAIT, memory=MEMORY)
        check(answer.worked < SECONDS, f"{verb} {name} with {n}: took {answer.worked:.1f} s of work: {answer}")
        if answer.code == 0:
            return "allowed"
        check(re.search(r"\d", answer.errors), f"{verb} {name} with {n}: no number in {answer.errors!r}")
        return f"refused {answer.code}"
