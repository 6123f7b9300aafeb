#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages say what is true: links and paths exist, commands name verbs and options that exist, scenes in
them can be read, and the reader of stores in docs/run-directory.md reads a run."""
import glob
import math
import os
import re
import shlex
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main, write_scene

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
TREE = re.compile(r"(?:src|include|app|tests|tools|scenes|docs|cmake|examples|experiments)/[\w./-]*")
COMMAND = re.compile(r"(?:build/)?heddle\s+(.*)")


def pages():
    for path in [os.path.join(SOURCE, "README.md"), *sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md")))]:
        with open(path) as stream:
            yield os.path.relpath(path, SOURCE), stream.read()


def blocks(text, *kinds):
    return [body for kind, body in FENCE.findall(text) if kind in kinds]


def anchors(text):
    """How the headings of a page are called in links to it."""
    heads = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads}


def commands():
    """(page, words after 'heddle') of every command in a shell block or in the middle of a sentence."""
    found = []
    for page, text in pages():
        lines = [line.split(" #")[0].strip() for body in blocks(text, "sh", "") for line in body.splitlines()]
        lines += INLINE.findall(FENCE.sub("", text))
        for line in lines:
            m = COMMAND.fullmatch(line)
            if m:
                found.append((page, shlex.split(m[1])))
    with open(os.path.join(SOURCE, "tools", "demo")) as demo:
        for m in re.finditer(r'"\s+\$heddle (.*?)"$|^"\$heddle" (.*)$', demo.read(), re.MULTILINE):
            found.append(("tools/demo", shlex.split(re.split(r" {2,}", m[1] or m[2])[0])))
    return found


def test_there_is_something_to_check():
    check(len(list(pages())) >= 10, "pages are missing")
    check(len(commands()) >= 30, f"only {len(commands())} commands found")


def test_links():
    texts = dict(pages())
    for page, text in texts.items():
        for target in LINK.findall(FENCE.sub("", text)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            check(os.path.exists(os.path.join(SOURCE, full)), f"{page}: link to {target}: no such file")
            if anchor and full in texts:
                check(anchor in anchors(texts[full]), f"{page}: link to {target}: no such heading")


def test_pictures_are_small():
    for path in glob.glob(os.path.join(SOURCE, "docs", "*.png")) + glob.glob(os.path.join(SOURCE, "docs", "*.svg")):
        check(os.path.getsize(path) < 150000, f"{path}: {os.path.getsize(path)} bytes")


def test_paths_of_the_tree():
    for page, text in pages():
        for code in INLINE.findall(FENCE.sub("", text)):
            if TREE.fullmatch(code) and "NAME" not in code:
                check(os.path.exists(os.path.join(SOURCE, code)), f"{page}: `{code}` does not exist")


def test_names_of_tests():
    """A page that names a test and its file means a test that is there."""
    found = ""
    for path in glob.glob(os.path.join(SOURCE, "tests", "physics", "*.c")):
        with open(path) as stream:
            found += stream.read()
    tests = set(re.findall(r"^Test\(\w+, (\w+)", found, re.MULTILINE))
    with open(os.path.join(SOURCE, "docs", "mass-spring.md")) as page:
        for paragraph in re.findall(r"^Tests: .*?\n\n", page.read(), re.MULTILINE | re.DOTALL):
            for name in re.findall(r"`([a-z]\w+_\w+)`", paragraph):
                check(name in tests, f"docs/mass-spring.md: no test '{name}'")


def test_commands():
    helps = {}
    listed = re.findall(r"^  ([a-z]+)  ", heddle("--help").stdout, re.MULTILINE)
    for page, words in commands():
        verb = words[0]
        if verb.startswith("-") or verb == "VERB":
            continue
        check(verb in listed, f"{page}: no verb '{verb}': {words}")
        if verb not in helps:
            helps[verb] = heddle(verb, "--help").stdout
        for word in words[1:]:
            if word.startswith("-"):
                option = re.escape(word.split("=")[0])
                check(re.search(rf"(?<!\S)\[?{option}(?![\w-])", helps[verb]), f"{page}: {verb} has no '{word}'")


def hurried(path):
    """Settings with which the fabric of a scene does not come to rest: that may take minutes."""
    with open(path) as stream:
        text = stream.read()
    kinds = [kind for kind in ("knit", "weave") if "relax:" in text and f"    {kind}:" in text]
    return [word for kind in kinds for word in ("--set", f"yarns.0.{kind}.relax.iterations=1")]


def test_scenes_and_values_in_commands():
    """Commands on scenes of the tree: the scene is there and takes the values of --set."""
    for page, words in commands():
        scenes = [w for w in words if w.startswith("scenes/")]
        for scene in scenes:
            path = os.path.join(SOURCE, scene)
            check(os.path.exists(path), f"{page}: {scene} does not exist")
            sets = [words[i + 1] for i, w in enumerate(words) if w == "--set"]
            if words[0] in ("run", "check"):
                heddle("check", path, *hurried(path), *[a for s in sets for a in ("--set", s)])


def test_experiments_in_commands():
    known = [line.split()[0] for line in heddle("experiment").stdout.splitlines()]
    for page, words in commands():
        if words[0] == "experiment" and len(words) > 1 and re.fullmatch(r"[a-z][\w-]*", words[1]):
            check(words[1] in known, f"{page}: no experiment '{words[1]}'")
            text = heddle("experiment", words[1], "--help").stdout
            for name in [words[i + 1].split("=")[0] for i, w in enumerate(words) if w == "--set"]:
                check(re.search(rf"^  {re.escape(name)} ", text, re.MULTILINE), f"{page}: {words[1]} has no '{name}'")
    with open(os.path.join(SOURCE, "docs", "experiments.md")) as page:
        text = page.read()
    for name in known:
        check(f"## {name}" in text, f"docs/experiments.md does not describe '{name}'")


def test_goals_of_make():
    with open(os.path.join(SOURCE, "Makefile")) as stream:
        goals = set(re.findall(r"^([a-z]+):", stream.read(), re.MULTILINE))
    for page, text in pages():
        codes = INLINE.findall(FENCE.sub("", text)) + [l for b in blocks(text, "sh") for l in b.splitlines()]
        for code in codes:
            m = re.match(r"make ([a-z]+)", code)
            check(not m or m[1] in goals, f"{page}: make has no goal '{m and m[1]}'")


def test_scenes_in_pages():
    for page, text in pages():
        for number, body in enumerate(blocks(text, "yaml")):
            if body.startswith("heddle: 1"):
                name = f"{os.path.basename(page)}-{number}.yaml"
                with open(name, "w") as out:
                    out.write(body)
                heddle("check", name)


def reader():
    """The functions of the reader in docs/run-directory.md."""
    with open(os.path.join(SOURCE, "docs", "run-directory.md")) as page:
        (code,) = blocks(page.read(), "python")
    names = {}
    exec(compile(code, "docs/run-directory.md", "exec"), names)  # a page of ours
    return names


YARNS = """\
heddle: 1
duration: 2 ms
step: {size: 1 ms}
output: {frame_interval: 1 ms}
sheets:
  - {name: rag, grid: {size: [1 cm, 1 cm], points: [3, 4], origin: [1, 0, 0]}}
bodies:
  - {name: floor, shape: plane, position: [0, -1, 0]}
yarns:
  - {name: weft, model: rod, points: [[0, 0, 0], [1 cm, 0, 0], [2 cm, 0, 0], [3 cm, 0, 0], [4 cm, 0, 0]], radius: 0.4 mm}
  - {name: ring, model: rod, points: [[0, 2, 0], [1 cm, 2, 0], [1 cm, 2, 1 cm], [0, 2, 1 cm]], closed: true, radius: 0.3 mm}
"""


def test_the_reader_in_python_reads_yarns():
    with open("strands.yaml", "w") as out:
        out.write(YARNS)
    heddle("run", "strands.yaml", "-o", "strands", "--quiet")
    names = reader()
    objects = names["load_store"]("strands/frames/objects.hed")
    check(sorted(objects["kinds"]) == [0, 1, 2, 2], objects["kinds"])
    weft, ring = names["yarns"]("strands", 0)
    # As they were written, to the rounding of centimetres.
    check(abs(weft[2] - 4e-4) < 1e-18 and abs(ring[2] - 3e-4) < 1e-18, "radii")
    check(len(weft[3]) == 5 and len(ring[3]) == 4, "numbers of points")
    check(all(math.dist(p, (0.01 * k, 0.0, 0.0)) < 1e-15 for k, p in enumerate(weft[3])), weft)
    check(all(math.dist(p, (x, 2.0, z)) < 1e-15 for p, (x, z) in
              zip(ring[3], [(0, 0), (0.01, 0), (0.01, 0.01), (0, 0.01)])), ring)
    check(list(objects["curve_flags"]) == [0, 1], objects["curve_flags"])
    later = names["yarns"]("strands", 2)
    check(all(p[1] < 0.0 for p in later[0][3]), "yarns fall")
    documented = set(re.findall(r"`(\w+)`", dict(pages())["docs/run-directory.md"]))
    check(set(objects) <= documented, f"not in the table: {set(objects) - documented}")


def test_the_reader_in_python():
    write_scene()
    heddle("run", "scene.yaml", "-o", "run", "--quiet")
    names = reader()
    frames = sorted(glob.glob("run/frames/0*.hed"))
    with open("run/measure.csv") as table:
        rows = [line.split(",") for line in table.read().splitlines()]
    check(len(rows) == len(frames) + 1, "a row per frame")
    for row, path in zip(rows[1:], frames):
        frame = names["load_store"](path)
        # The scene measures the position of vertex 7: columns 2, 3 and 4.
        check(list(frame["positions"][21:24]) == [float(x) for x in row[2:5]], f"{path}: {row}")
        check(frame["time"][0] == float(row[0]) and frame["step"][0] == int(row[1]), f"{path}: {row}")
        check(len(frame["positions"]) == 3 * 36 and len(frame["poses"]) == 7, path)
        check(frame["step"].itemsize == 8 and len(frame["step"]) == 1, f"{path}: an i64 has eight bytes")
    objects = names["load_store"]("run/frames/objects.hed")
    check(bytes(objects["names"]) == b"cloth\0ball\0", objects["names"])
    check(objects["kinds"].tolist() == [0, 1] and objects["vertex_counts"][0] == 36, "objects.hed")


if __name__ == "__main__":
    main(globals())
