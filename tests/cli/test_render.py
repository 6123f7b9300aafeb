#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""heddle render: pictures and films, exit codes, and nothing written or replaced by mistake."""
import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from png import read_png
from support import HEDDLE, check, heddle, main, tree, write_scene

SMALL = ("--size", "48x36", "--samples", "2", "--quiet")


def write_yarns(path="yarns.obj"):
    with open(path, "w") as out:
        for i in range(3):
            for k in range(20):
                out.write(f"v {0.1 * k} {0.1 * math.sin(k + 3 * i)} {0.3 * i}\n")
            out.write("l " + " ".join(str(20 * i + k + 1) for k in range(20)) + "\n")
    return path


def refused(arguments, *words, code=2):
    before = tree(".")
    result = heddle("render", *arguments, code=code)
    for word in words:
        check(word in result.stderr, f"{arguments}: '{word}' is not in {result.stderr!r}")
    check(tree(".") == before, f"{arguments}: files were written")


def brightness(rows):
    return sum(map(sum, rows)) / sum(map(len, rows))


def test_pictures_without_options():
    write_yarns()
    write_scene(duration=0.1)
    heddle("run", "scene.yaml", "-o", "out/small", "--quiet")
    heddle("render", "yarns.obj", *SMALL)
    heddle("render", "out/small/", *SMALL)
    for path in ("yarns.png", "small.png"):
        width, height, bits, rows = read_png(path)
        check((width, height, bits) == (48, 36, 8), (width, height, bits))
        flat = [v for row in rows for v in row]
        check(0.2 < brightness(rows) < 0.95 and max(flat) - min(flat) > 0.3, f"{path}: nothing is seen")
    refused(["yarns.obj", *SMALL], "yarns.png", "--force")
    heddle("render", "yarns.obj", *SMALL, "--force")


def test_same_bytes_for_any_thread_count():
    for threads in (1, 2, 3):
        heddle("render", "out/small", *SMALL, "--threads", threads, "-o", f"threads{threads}.png")
    first = open("threads1.png", "rb").read()
    check(all(open(f"threads{n}.png", "rb").read() == first for n in (2, 3)), "threads change the picture")


def test_16_bits_are_the_same_picture():
    heddle("render", "out/small", *SMALL, "--bits", 16, "-o", "deep.png")
    shallow, deep = read_png("threads1.png"), read_png("deep.png")
    check(deep[2] == 16, "bits")
    worst = max(abs(a - b) for r, s in zip(shallow[3], deep[3]) for a, b in zip(r, s))
    check(worst <= 0.5 / 255 + 1e-4, f"8 and 16 bits differ by {worst}")


def test_looks_and_colours():
    seen = set()
    for look in ("studio", "flat", "xray", "strain"):
        heddle("render", "out/small", *SMALL, "--look", look, "-o", f"{look}.png")
        seen.add(open(f"{look}.png", "rb").read())
    check(len(seen) == 4, "looks differ")
    heddle("render", "yarns.obj", *SMALL, "--color-by", "curvature", "-o", "curvature.png")
    heddle("render", "yarns.obj", *SMALL, "--color-by", "curvature", "--range", "0:1", "--no-legend",
           "--look", "studio", "-o", "lit.png")
    corner = read_png("flat.png")[3][0][:3]
    check(min(corner) > 0.98, f"the flat look is on white, got {corner}")


def test_camera():
    heddle("render", "yarns.obj", *SMALL, "--azimuth", -60, "--elevation", 80, "--zoom", 2, "--fov", 50,
           "--aperture", 0.1, "--focus", 3, "-o", "from-above.png")
    heddle("render", "yarns.obj", *SMALL, "--camera", "3,2,5", "--target", "1,0,0.3", "--up", "1,0,0",
           "-o", "placed.png")
    refused(["yarns.obj", *SMALL, "--camera", "1,0,0", "--target", "1,0,0", "-o", "x.png"], "camera")


def test_json():
    result = heddle("render", "yarns.obj", "--size", "48x36", "--samples", 3, "-o", "j.png", "--json")
    last = json.loads(result.stdout.splitlines()[-1])
    check(last["outcome"] == "done" and last["samples"] == 3 and last["output"] == "j.png", last)
    check(last["rays"] >= 48 * 36 * 3 and last["rays_per_second"] > 0, last)


def test_bad_uses():
    write_yarns()
    out = ["-o", "x.png"]
    refused([], "missing argument")
    refused(["missing.obj", *out], "missing.obj")
    for size in ("48", "0x5", "5x0", "5x", "axb", "20000x5", "5x5x5", "1.5x2"):
        refused(["yarns.obj", *out, "--size", size], "--size needs", size)
    for samples in ("0", "65537", "x", "1.5"):
        refused(["yarns.obj", *out, "--samples", samples], "--samples needs", samples)
    refused(["yarns.obj", *out, "--look", "stduio"], "unknown look 'stduio'", "'studio'")
    refused(["yarns.obj", *out, "--look", "qqqqqq"], "studio, flat, xray and strain")
    refused(["yarns.obj", *out, "--color-by", "curvatur"], "curvatur", "did you mean 'curvature'")
    refused(["yarns.obj", *out, "--range", "0:1"], "--color-by")
    refused(["yarns.obj", *out, "--color-by", "curvature", "--range", "1:1"], "--range needs")
    refused(["yarns.obj", *out, "--color-by", "curvature", "--range", "1"], "--range needs")
    refused(["yarns.obj", *out, "--bits", "12"], "--bits must be 8 or 16")
    refused(["yarns.obj", *out, "--camera", "1,2"], "--camera needs X,Y,Z")
    refused(["yarns.obj", *out, "--zoom", "nan"], "--zoom")
    refused(["yarns.obj", *out, "--frame", "1"], "--frame 1")
    refused(["yarns.obj", *out, "--frame", "x"], "--frame needs")
    refused(["yarns.obj", "-o", "x.jpg"], ".png")
    refused(["yarns.obj", "-o", "no/such/x.png"], "no/such/x.png", code=3)
    os.makedirs("folder.png", exist_ok=True)
    refused(["yarns.obj", "-o", "folder.png"], "directory")


def test_numbered_pictures():
    heddle("render", "out/small", *SMALL, "--frame", "1:2", "-o", "n.png")
    check(os.path.exists("n-0001.png") and os.path.exists("n-0002.png") and not os.path.exists("n.png"),
          sorted(os.listdir(".")))
    refused(["out/small", *SMALL, "--frame", "0:1", "-o", "n2.png", "--frame", "4:99"], "there are frames")


def probe(path):
    text = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                           "stream=width,height,nb_read_frames,codec_name,pix_fmt,r_frame_rate", "-of", "json", path],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(text)["streams"][0]


def test_film():
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        return "no ffmpeg"
    name = "a film; $(touch hurt) 'x'.mp4"
    heddle("render", "out/small", "--size", "47x35", "--samples", 1, "--quiet", "-o", name, "--orbit", 30)
    found = probe(name)
    check((found["width"], found["height"]) == (48, 36), f"even sizes: {found}")
    check(found["nb_read_frames"] == "6" and found["codec_name"] == "h264", found)
    check(found["r_frame_rate"] == "50/1", f"the run has a frame every 1/50 s: {found}")
    check(not os.path.exists("hurt") and not [n for n in os.listdir(".") if n.endswith(".part")], "leftovers")
    refused(["out/small", *SMALL, "-o", name], "is there already")
    heddle("render", "out/small", *SMALL, "-o", "-dash.mp4".replace("-dash", "./-dash"), "--frame", "0:1", "--fps", 10)
    check(probe("./-dash.mp4")["nb_read_frames"] == "2", "frames 0 and 1")
    return None


def program(folder, text):
    """A program ffmpeg of our own; the PATH that finds it first."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "ffmpeg")
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": os.path.abspath(folder) + ":" + os.environ["PATH"]}


def test_film_without_ffmpeg():
    os.makedirs("nothing", exist_ok=True)
    environment = {**os.environ, "PATH": os.path.abspath("nothing")}
    result = heddle("render", "out/small", *SMALL, "--frame", "0:2", "-o", "pictures.mp4", env=environment)
    check("ffmpeg is not installed" in result.stderr and "pictures/" in result.stderr, result.stderr)
    check(sorted(os.listdir("pictures")) == ["0000.png", "0001.png", "0002.png"], os.listdir("pictures"))
    result = heddle("render", "out/small", *SMALL, "-o", "pictures.mp4", env=environment, code=2)
    check("is there already" in result.stderr, result.stderr)


def test_film_that_fails():
    for text, word in (("#!/bin/sh\ncat > /dev/null\necho bad codec >&2\nexit 1\n", "bad codec"),
                       ("#!/bin/sh\nexec 0<&-\nexit 0\n", "ffmpeg")):
        result = heddle("render", "out/small", "--size", "300x200", "--samples", 1, "--quiet", "-o", "broken.mp4",
                        env=program("fake", text), code=3)
        check(word in result.stderr, result.stderr)
        left = [n for n in os.listdir(".") if n.startswith("broken")]
        check(not left, f"left: {left}")


def test_stopped():
    """Ctrl-C: the pass is finished, the picture so far is kept, exit code 130."""
    process = subprocess.Popen([HEDDLE, "render", "out/small", "--size", "160x120", "--samples", "60000", "--json",
                                "-o", "stopped.png"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()  # passes are being made
    check(json.loads(line)["sample"] >= 1, line)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=120)[0]
    last = json.loads(rest.splitlines()[-1])
    check(process.returncode == 130, f"exit code {process.returncode}")
    check(last["outcome"] == "stopped" and 0 < last["samples"] < 60000, last)
    check(brightness(read_png("stopped.png")[3]) > 0.2, "the picture so far")


def test_full_disk():
    """A file-size limit fails the writing: exit code 3, no half picture."""
    result = subprocess.run(f"ulimit -f 1; exec '{HEDDLE}' render out/small --size 200x150 --samples 1 -q -o big.png",
                            shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(result.returncode == 3 and "big.png" in result.stderr, result)
    check(not [n for n in os.listdir(".") if n.startswith("big")], "half a picture was left")


if __name__ == "__main__":
    main(globals())
