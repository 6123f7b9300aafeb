#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/lint finds every kind of fault, and nothing in a tree without one."""
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPDX = "// SPDX-License-Identifier: MIT\n"
C = SPDX + '#include "geom/a.h"\n'

# A tree without a fault, with everything that is allowed though it looks like one.
CLEAN = {
    "include/heddle/base.h": SPDX + '#include <stdint.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
                             "int hed_add(int a, int b);\n#ifdef __cplusplus\n}\n#endif\n",
    "include/heddle/sim.h": SPDX + '#include "heddle/base.h"\n',
    "src/base/alloc.c": SPDX + "// lint: allow free, the one way to the heap\n"
                        '#include "base/alloc.h"\nstatic int live;\nvoid hed_free(void* p) {\n    free(p);\n}\n',
    "src/base/alloc.h": SPDX + '#include "heddle/base.h"\nvoid hed_free(void* p);\n',
    "src/math/vec3.h": SPDX + '#include "base/alloc.h"\n#include <math.h>\n',
    "src/geom/a.h": SPDX + '#include "math/vec3.h"\nconst char* hed_pick(const char* (*next)(void* p), void* p);\n',
    "src/geom/a.c": C + "#include <third/party.h>\n"
                    "static const char* const NAMES[] = {\"printf(1)\", \"x\"}; // malloc(1) is only a comment\n"
                    "static const struct {\n    int a;\n    const char* b;\n} TABLE[] = {{1, \"{\"}};\n"
                    "enum { LIMIT = 3 };\nstruct Node {\n    int x;\n};\n"
                    "int hed_call(int n) {\n    static const int ODD[] = {1, 3};\n    hed_free(0);\n"
                    "#pragma omp parallel for schedule(static) num_threads(2)\n"
                    "    for (int i = 0; i < n; ++i) {\n    }\n    return ODD[n] + snprintf(0, 0, \"{\");\n}\n",
    "src/model/sheet/kernel_spring.h": SPDX + '#include "math/vec3.h"\n'
                                       "static inline int hed_spring_eval(int x) {\n    return x;\n}\n",
    "src/model/kernels.c": SPDX + '#include "model/sheet/kernel_spring.h"\nint hed_list(void) {\n'
                           "    return hed_spring_eval(1);\n}\n",
    "src/sim/step.c": SPDX + '#include "model/sheet/kernel_spring.h"\n#include "heddle/sim.h"\n'
                      "int hed_sim_step(int n) {\n    return hed_add(n, 1);\n}\n",
    "src/scene/run.c": SPDX + '#include "heddle/sim.h"\nint hed_scene_run(int n) {\n    return hed_sim_step(n);\n}\n',
    "app/cli/main.c": SPDX + '#include "cli/verb.h"\n#include "heddle/sim.h"\nint main(void) {\n'
                      "    printf(\"%d\\n\", 1);\n    return 0;\n}\n",
    "app/cli/verb.h": SPDX,
    "tests/unit/test_a.c": SPDX + '#include "geom/a.h"\n#include <third/party.h>\nstatic int count;\n',
    "tests/fuzz/corpus/a/seed.txt": "tabs\tand blanks \n",
    "README.md": "Notes.\n",
    "Makefile": "# SPDX-License-Identifier: MIT\nall:\n\ttrue\n",
}


CLAMP = (C + "double hed_rub(double friction, double push, double speed, double mobility) {\n"
         "    return speed < friction * push * mobility ? speed : friction * push * mobility;\n}\n")


def body(lines):
    return "void hed_long(void) {\n" + "    hed_free(0);\n" * (lines - 2) + "}\n"


# name: (path, content, rule, words of the message)
FAULTS = {
    "arrow upwards": ("src/base/b.h", SPDX + '#include "geom/a.h"\n', "layer", "base must not include geom/a.h"),
    "public arrow": ("src/base/b.h", SPDX + '#include "heddle/sim.h"\n', "layer", "heddle/sim.h"),
    "sideways": ("src/solve/b.h", SPDX + '#include "geom/a.h"\n', "layer", "solve must not include"),
    "models sideways": ("src/model/rod/b.h", SPDX + '#include "model/sheet/kernel_spring.h"\n', "layer",
                        "model/rod must not include"),
    "unknown folder": ("src/magic/b.h", SPDX + '#include "base/alloc.h"\n', "layer", "magic must not include"),
    "app inside": ("app/cli/b.c", SPDX + '#include "base/alloc.h"\n', "include", "not in the tree"),
    "example inside": ("examples/c/b.c", SPDX + '#include "base/alloc.h"\n', "layer", "examples must not"),
    "public shows private": ("include/heddle/b.h", SPDX + '#include "base/alloc.h"\n', "include", "not in the tree"),
    "public shows others": ("include/heddle/b.h", SPDX + "#include <third/party.h>\n", "layer", "third/party.h"),
    "call upwards": ("src/geom/b.c", SPDX + '#include "heddle/base.h"\nint hed_x(int n) {\n    return hed_sim_step(n);\n}\n',
                     "layer", "geom must not use hed_sim_step of src/sim/step.c"),
    "pointer upwards": ("src/geom/b.c", SPDX + "void* hed_x(void) {\n    return (void*)hed_sim_step;\n}\n", "layer",
                        "src/geom/b.c:3: layer: geom must not use hed_sim_step"),
    "header calls upwards": ("src/geom/b.h", SPDX + "static inline int hed_x(int n) {\n    return hed_sim_step(n);\n}\n",
                             "layer", "geom must not use hed_sim_step"),
    "public functions only": ("src/scene/b.c", SPDX + '#include "sim/inside.h"\n', "layer", "scene must not include sim/inside.h"),
    "table not in order": ("tools/layers.txt", "heddle:\nbase: heddle\nmath: base\ngeom: base math state heddle\n"
                           "state: math heddle\nmodel: math\nsim: base math model heddle\nscene: sim* heddle\napp: heddle\n",
                           "layer", "'geom' names 'state', which does not stand above it"),
    "type twice": ("src/geom/b.c", C + "enum Node { LEAF };\n", "type", "'Node' is a type of src/geom/a.c, too"),
    "public type twice": ("include/heddle/b.h", SPDX + "typedef struct Node {\n    int x;\n} Node;\n", "type", "'Node' is a type"),
    "third type": ("src/geom/b.c", C + "struct Node {\n    int x;\n};\n", "type", "'Node' is a type of src/geom/a.c, src/geom/"),
    "type that is known no more": ("tools/types.txt", "# Types.\nNode 2\n", "type", "'Node' is defined 1 times, not 2"),
    "one too many": ("src/contact/b.c", CLAMP, "count", "1 impulse clamps, limit 0: one too many"),
    "one less": ("tools/counts.txt", "line searches: 0\nimpulse clamps: 1\n", "count", "0 impulse clamps, limit 1: lower it"),
    "relative": ("src/geom/b.c", SPDX + '#include "../base/alloc.h"\n', "include", "relative path"),
    "relative here": ("src/geom/b.c", SPDX + '#include "./a.h"\n', "include", "relative path"),
    "bare name": ("src/geom/b.c", SPDX + '#include "a.h"\n', "include", "not in the tree"),
    "cycle": ("src/math/vec3.h", SPDX + '#include "math/m.h"\n', "cycle", "src/math/m.h -> "),
    "second door": ("src/geom/b.c", C + "#include <third/party.h>\n", "door", "src/geom/a.c already"),
    "long function": ("src/geom/b.c", C + body(61), "size", "hed_long has 61 lines"),
    "exception without reason": ("src/geom/b.c", C + "// lint: long\n" + body(61), "size", "hed_long has 61 lines"),
    "long file": ("src/geom/b.c", C + "int hed_x(void);\n" * 600, "size", "602 lines"),
    "long script": ("tools/b.py", "# SPDX-License-Identifier: MIT\n" + "x = 1\n" * 600, "size", "601 lines"),
    "many arguments": ("src/geom/b.c", C + "int hed_many(int a, int b, int c, int d, int e, int f,\n             int g) {\n"
                       "    return a;\n}\n", "size", "hed_many has 7 arguments"),
    "no licence": ("src/geom/b.c", '#include "geom/a.h"\n', "licence", "SPDX"),
    "no licence in script": ("tools/b", "#!/bin/sh\ntrue\n", "licence", "SPDX"),
    "tab": ("src/geom/b.c", C + "int\thed_x(void);\n", "blanks", "tab"),
    "trailing blank": ("docs/b.md", "text \n", "blanks", "end of the line"),
    "atomic": ("src/geom/b.c", C + "void hed_x(int* n) {\n#pragma omp atomic\n    *n += 1;\n}\n", "threads", "'atomic'"),
    "critical": ("src/geom/b.c", C + "void hed_x(int* n) {\n#pragma omp critical\n    *n += 1;\n}\n", "threads",
                 "'critical'"),
    "reduction": ("src/geom/b.c", C + "void hed_x(void) {\n#pragma omp parallel for num_threads(2) \\\n"
                  "    reduction(+ : n)\n    for (;;) {\n    }\n}\n", "threads", "'reduction'"),
    "threads unsaid": ("src/geom/b.c", C + "void hed_x(void) {\n#pragma omp parallel for\n    for (;;) {\n    }\n}\n",
                       "threads", "without num_threads"),
    "threads in math": ("src/math/b.h", SPDX + "#pragma omp simd\n", "threads", "no OpenMP in math"),
    "threads in kernel": ("src/model/sheet/kernel_spring.h", CLEAN["src/model/sheet/kernel_spring.h"] +
                          "#pragma omp simd\n", "threads", "in kernels"),
    "static": ("src/geom/b.c", C + "static int count = 0;\n", "state", "static int count"),
    "global": ("src/geom/b.c", C + "int count;\n", "state", "int count"),
    "pointer": ("src/geom/b.c", C + "static const char* name = 0;\n", "state", "name"),
    "table": ("src/geom/b.c", C + "static struct {\n    int a;\n} table[] = {{1}};\n", "state", "table"),
    "hook": ("src/geom/b.c", C + "static void (*hook)(const int* const n);\n", "state", "hook"),
    "static in function": ("src/geom/b.c", C + "int hed_x(void) {\n    static int n;\n    return n++;\n}\n", "state",
                           "static int n"),
    "fast math": ("cmake/b.cmake", "# SPDX-License-Identifier: MIT\nset(X -ffast" + "-math)\n", "fast-math", "never"),
    "nameless paper": ("docs/b.md", "As in the docu" + "ment's figure 2.\n", "reference", "points nowhere"),
    "nameless paper over two lines": ("src/geom/b.c", C + "// What the\n// docu" + "ment says.\n", "reference", "name the paper"),
    "number of a paper": ("docs/b.md", "Docu" + "ment 004, 7.1\n", "reference", "points nowhere"),
    "page elsewhere": ("src/geom/b.c", C + "// (eol" + "-model 2.4)\n", "reference", "points nowhere"),
    "tolerance without reason": ("tests/unit/test_b.c", SPDX + "Test(a, b) {\n    cr_assert_float_eq(x, 1.0, 1e-9);\n}\n",
                                 "tolerance", "without a reason"),
    "small number without reason": ("tests/unit/test_b.c", SPDX + "Test(a, b) {\n    cr_assert(x < 1e-9);\n}\n", "tolerance",
                                    "a numeric assertion without a reason"),
    "constant without reason": ("tests/unit/test_b.c", SPDX + "static const double NEAR = 1e-9;\nTest(a, b) {\n"
                                "    cr_assert_float_eq(x, 1.0, NEAR);\n}\n", "tolerance", "without a reason"),
    "machine's path": ("docs/b.md", "See /ho" + "me/anna/heddle.\n", "path", "one machine only"),
    "kernel not included": ("src/model/sheet/kernel_bend.h", SPDX, "kernel", 'add \'#include "model/sheet/kernel_bend.h"'),
    "contact kernel": ("src/contact/kernel_gap.h", SPDX, "kernel", "src/contact/kernels.c"),
    "kernel not listed": ("src/model/kernels.c", SPDX + '#include "model/sheet/kernel_spring.h"\n', "kernel",
                          "hed_spring_eval is not registered"),
}
for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"):
    FAULTS["leftover " + word] = ("src/geom/b.c", C + f"// {word}: later\n", "leftover", word)
for name in "printf exit abort malloc calloc realloc free strdup strtod atof setlocale rand".split():
    FAULTS["call " + name] = ("src/geom/b.c", C + f"void hed_x(void) {{\n    {name}(0);\n}}\n", "call", name + "()")

HELPERS = {
    "cycle": {"src/math/m.h": SPDX + '#include "math/vec3.h"\n'},
    "public functions only": {"src/sim/inside.h": SPDX},
    "third type": {"src/geom/a1.c": C + "struct Node {\n    int x;\n};\n", "tools/types.txt": "Node 2\n"},
    "one too many": {"tools/counts.txt": "line searches: 0\n"},
}

# Of what is excused: other files beside it.
BESIDE = {
    "type that is known": {"tools/types.txt": "# Types.\nNode 2\n"},
    "clamp that is known": {"tools/counts.txt": "# Counts.\nimpulse clamps: 1\n"},
}

EXCUSED = {
    "long function": ("src/geom/b.c", C + "// Does much.\n// lint: long, one table\n" + body(90)),
    "long file": ("src/geom/b.c", SPDX + "// lint: long, data\n" + "int hed_x(void);\n" * 700),
    "call": ("src/geom/b.c", SPDX + "// lint: allow malloc free, a door\nvoid hed_x(void) {\n    free(malloc(1));\n}\n"),
    "tolerances": ("tests/unit/test_b.c", SPDX + "static const double NEAR = 1e-9; // ten roundings\nTest(a, b) {\n"
                   "    cr_assert_float_eq(x, 1.0, NEAR);\n    cr_assert_lt(x, 1e-9); // as NEAR\n"
                   "    // Second order at h = 1e-3.\n    cr_assert(x < 1e-6);\n    cr_assert_eq(n, 3);\n}\n"),
    "type that is known": ("src/geom/b.c", C + "struct Node {\n    int x;\n};\n"),
    "type declared ahead": ("src/geom/b.c", C + "typedef struct Node Node;\nstruct Node* hed_x(void);\n"),
    "clamp that is known": ("src/contact/b.c", CLAMP),
    "clamp without limits": ("src/contact/b.c", CLAMP),
    "own function of that name": ("src/geom/b.c", C + "static int hed_y(int n) {\n    return n;\n}\n"),
    "name in a comment": ("src/geom/b.c", C + "// hed_sim_step comes later\n"),
    "function of 60 lines": ("src/geom/b.c", C + body(60)),
}


def make_tree(extra):
    shutil.rmtree("tree", ignore_errors=True)
    for path, content in {**CLEAN, **extra}.items():
        path = os.path.join("tree", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as stream:
            stream.write(content)
    os.makedirs("tree/tools", exist_ok=True)
    if "tools/layers.txt" not in extra:
        shutil.copy(os.path.join(SOURCE, "tools", "layers.txt"), "tree/tools/layers.txt")


def load(path):
    loader = importlib.machinery.SourceFileLoader("lint", path)
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint", loader))
    loader.exec_module(module)
    return module


LINT = os.path.join(SOURCE, "tools", "lint")
MODULE = load(LINT)  # in this process: starting Python for each tree would take most of the time


def run_program():
    """Exit code and whether the program prints the same problems."""
    result = subprocess.run([LINT, "--root", "tree"], capture_output=True, text=True)
    lines = result.stdout.splitlines()
    return result.returncode, lines[:-1] == MODULE.Lint("tree").run() and lines[-1].startswith("lint: ")


def main():
    failures = []

    def expect(name, holds, problems):
        if not holds:
            failures.append(name)
            print(f"{name}: lint said\n" + "\n".join(problems))

    for name, extra in {"clean": {}, **{"excused " + n: {**dict([e]), **BESIDE.get(n, {})} for n, e in EXCUSED.items()}}.items():
        make_tree(extra)
        problems = MODULE.Lint("tree").run()
        expect(name, not problems, problems)
    expect("program, clean", run_program() == (0, True), [])
    for name, (path, content, rule, words) in FAULTS.items():
        helper = HELPERS.get(name, {})
        make_tree({path: content, **helper})
        problems = MODULE.Lint("tree").run()
        expect(name, any(words in p for p in problems) and all(f": {rule}: " in p for p in problems), problems)
    expect("program, faulty", run_program() == (1, True), [])
    print(f"{len(FAULTS) + len(EXCUSED) + 1} trees, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
