#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages that stand alone: what is in them, and what happens when they cannot be written."""
import base64
import json
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, heddle, main, stop, tree, write_scene
from test_view import check_positions, obj_positions, write_bcc
from ws import decode_frame, decode_geometry

DATA = re.compile(r'<script type="application/octet-stream" id="heddle-data">([A-Za-z0-9+/=]*)</script>')
NO_PAGE = "this build has no viewer page"


def test_runs():
    write_scene()
    heddle("run", "scene.yaml", "-o", "run", "--quiet")
    write_scene("other.yaml", points=5, duration=1.4)
    heddle("run", "other.yaml", "-o", "other", "--quiet")


def export(*arguments, code=0):
    """The result, or None in a build without a page, which must say so."""
    result = heddle("export", *arguments, code=None)
    if NO_PAGE in result.stderr:
        check(result.returncode == 2, result.returncode)
        return None
    check(result.returncode == code, f"{arguments}: {result.returncode}: {result.stderr}")
    check(not [name for name in os.listdir(".") if name.endswith(".part")], "a file was left behind")
    return result


def messages(path):
    """All messages of a page: dicts of JSON and bytes."""
    with open(path) as stream:
        page = stream.read()
    found = DATA.findall(page)
    check(len(found) == 1 and page.lower().startswith("<!doctype html>"), f"{path}: {len(found)} elements with data")
    check(page.index('id="heddle-data"') < page.rindex("<script>"), "the data come before the script that reads them")
    data, at, out = base64.b64decode(found[0], validate=True), 0, []
    while at < len(data):
        size, kind = struct.unpack_from("<II", data, at)
        check(kind in (0, 1) and at + 8 + size <= len(data), f"{path}: byte {at}: {size} {kind}")
        body = data[at + 8:at + 8 + size]
        out.append(body if kind else json.loads(body))
        at += 8 + size
    return out


def frames_of(found, objects):
    """Frames decoded in their order, each with what was decoded before."""
    decoded, out = {}, []
    for message in found:
        frame = decode_frame(message, objects, decoded)
        decoded[frame["frame"]] = frame["positions"]
        out.append(frame)
    return out


def test_page():
    result = export("run", "--html", "page.html")
    if not result:
        return NO_PAGE
    size = os.path.getsize("page.html")
    check(result.stdout.startswith("page.html: ") and "6 frames" in result.stdout, result.stdout)
    check(f"{size / 1000:.1f} kB" in result.stdout, f"{size}: {result.stdout}")
    found = messages("page.html")
    check([m["type"] for m in found if isinstance(m, dict)] == ["welcome", "about", "table", "table"], found[0])
    about = found[1]
    check(about["frames"] == 6 and not about["growing"], about)
    _, objects = decode_geometry(found[2])
    frames = frames_of(found[5:], objects)
    count = len(about["quantities"])
    check(len(frames) == 6 * (1 + count), f"{len(frames)} frame messages, {count} quantities")
    for k, frame in enumerate(frames):
        number, which = divmod(k, 1 + count)
        check((frame["frame"], frame["quantity"]) == (number, which - 1), f"message {k}")
        check(frame["reference"] == (number if which else number - 1), f"message {k}: {frame['reference']}")
        check(len(frame["values"]) == (36 if which else 0), f"message {k}")
        if which == 0:
            check_positions(frame["positions"], about["step"], obj_positions("run", number)[:36], f"frame {number}")
    for table in found[3:5]:
        check([row[0] for row in table["rows"]] == [k / 50 for k in range(6)], table["name"])


def test_convert_does_the_same():
    if not export("run", "--html", "page.html", "--force"):
        return NO_PAGE
    heddle("convert", "run", "same.html")
    with open("page.html", "rb") as a, open("same.html", "rb") as b:
        check(a.read() == b.read(), "convert and export differ")


def test_parts_of_a_run():
    if not export("other", "--html", "part.html", "--frame", "2:68", "--every", "2", "--quantity", "strain"):
        return NO_PAGE
    found = messages("part.html")
    about = found[1]
    check(about["frames"] == 34 and [q["name"] for q in about["quantities"]] == ["strain"], about)
    _, objects = decode_geometry(found[2])
    binary = [m for m in found[3:] if isinstance(m, bytes)]
    frames = [f for f in frames_of(binary, objects) if f["quantity"] < 0]
    # Frame k of the page is frame 2 + 2 k of the run; each 32nd stands alone.
    check([f["frame"] for f in frames] == list(range(34)), "counted from 0")
    check([f["frame"] for f in frames if f["reference"] < 0] == [0, 32], "frames without a reference")
    check(all(abs(f["time"] - (2 + 2 * k) / 50) < 1e-12 for k, f in enumerate(frames)), "times")
    energy = next(m for m in found if isinstance(m, dict) and m.get("name") == "energy")
    check([row[0] for row in energy["rows"]] == [f["time"] for f in frames], "a row of energies for each frame")
    export("other", "--html", "last.html", "--frame", "last", "--no-values")
    found = messages("last.html")
    check(found[1]["frames"] == 1 and found[1]["quantities"] == [], found[1])
    check(sum(isinstance(m, bytes) for m in found) == 2, "geometry and one frame")
    export("other", "--html", "small.html", "--no-values")
    export("other", "--html", "large.html")
    check(os.path.getsize("small.html") < os.path.getsize("large.html"), "--no-values makes it smaller")


def test_two_and_yarns():
    write_bcc()
    if not export("run", "yarns.bcc", "--html", "two.html", "--scale", "1cm"):
        return NO_PAGE
    found = messages("two.html")
    abouts = [m for m in found if isinstance(m, dict) and m["type"] == "about"]
    check(found[0]["runs"] == 2 and [a["run"] for a in abouts] == [0, 1], found[0])
    check(abouts[1]["objects"][0]["curves"] == 3 and not abouts[1]["is_run"], abouts[1])


def test_bad_uses():
    if not export("run", "--html", "kept.html", "--force"):
        return NO_PAGE
    with open("odd<&\".obj", "w") as out:  # a name that must not end the element
        out.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    export("odd<&\".obj", "--html", "odd.html")
    check(messages("odd.html")[1]["title"] == "odd<&\".obj", "title")
    before = tree(".")
    for arguments, words, code in (
            (["run"], "--html PAGE", 2), (["run", "--html", "page.txt"], ".html", 2), (["--html", "x.html"], "missing", 2),
            (["run", "--html", "kept.html"], "--force", 2), (["missing", "--html", "x.html"], "missing", 2),
            (["run", "--html", "x.html", "--frame", "99"], "0 to 5", 2), (["run", "--html", "x.html", "--frame", "x"], "--frame", 2),
            (["run", "--html", "x.html", "--every", "0"], "--every", 2),
            (["run", "--html", "x.html", "--quantity", "colour"], "'colour'", 2),
            (["run", "--html", "x.html", "--quantity", "strain", "--no-values"], "exclude", 2),
            (["run", "--html", "no/such/place/x.html"], "no/such/place", 3), (["run", "run", "run", "--html", "x.html"], "run", 2)):
        result = heddle("export", *arguments, code=code)
        check(words in result.stderr and result.stdout == "", f"{arguments}: {result.stderr}")
    check(tree(".") == before, "files were written")


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))


def test_full_disk():
    if not export("run", "--html", "full.html"):
        return NO_PAGE
    before = tree(".")
    result = heddle("export", "other", "--html", "full.html", "--force", code=3, preexec_fn=limited)
    check("full.html: " in result.stderr and result.stdout == "", result.stderr)
    check(tree(".") == before, "the old page is kept and nothing is left behind")
    if os.path.exists("/dev/full"):
        check(heddle("export", "other", "--html", "/dev/full", code=None).returncode == 2, "not an .html file")


def test_no_memory():
    """Either the page is whole (a title or a unit may be missing) or nothing has changed."""
    if not export("run", "--html", "memory.html"):
        return NO_PAGE
    frames = [m for m in messages("memory.html") if isinstance(m, bytes)]
    failures = 0
    for n in list(range(1, 40)) + [60, 90, 140, 200]:
        before = tree(".")
        environment = dict(os.environ, HEDDLE_FAIL_ALLOC=str(n))
        result = heddle("export", "run", "--html", "memory.html", "--force", code=None, env=environment)
        check(result.returncode in (0, 3), f"allocation {n}: {result.returncode} {result.stderr}")
        if result.returncode == 3:
            failures += 1
            check("memory" in result.stderr and tree(".") == before, f"allocation {n}: {result.stderr}")
        else:
            check([m for m in messages("memory.html") if isinstance(m, bytes)] == frames, f"allocation {n}")
    check(failures > 20, f"only {failures} allocations failed")


def test_stopped():
    """Ctrl-C leaves nothing behind, whenever it comes."""
    if not export("run", "--html", "stop.html"):
        return NO_PAGE
    codes = []
    for delay in (0.0, 0.02, 0.05, 0.1):
        process = subprocess.Popen([HEDDLE, "export", "other", "--html", "stopped.html", "--force"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        codes.append(stop(process, signal.SIGINT))
        check(not [name for name in os.listdir(".") if name.endswith(".part")], "a file was left behind")
    check(all(code in (0, 130, -signal.SIGINT) for code in codes), codes)


if __name__ == "__main__":
    main(globals())
