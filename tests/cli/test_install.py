#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# label: slow
"""What `cmake --install` leaves, moved to another place: the program finds the scenes of its experiments from
any folder, and programs are built with find_package and pkg-config, with the shared and the static library."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, main

BUILD = os.path.dirname(os.path.abspath(HEDDLE))
EXPERIMENT, SCENE = "strip", "strip.yaml"
FOLDER = tempfile.TemporaryDirectory(prefix="heddle-install-")  # far from the tree of the source
ROOT = os.path.join(FOLDER.name, "moved here")


def run(*command, code=0, cwd=None, **environment):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, cwd=cwd or FOLDER.name, env={**os.environ, **environment}, timeout=300)
    check(result.returncode == code, f"{command}: exit code {result.returncode}\n{result.stdout}")
    return result.stdout


def place(*parts):
    return os.path.join(ROOT, *parts)


def library_folder():
    for folder, _, names in os.walk(ROOT):
        if "libheddle.a" in names:
            return folder
    raise AssertionError("no libheddle.a")


def test_install_and_move():
    first = os.path.join(FOLDER.name, "first")
    run("cmake", "--install", BUILD, "--prefix", first)
    os.rename(first, ROOT)
    for path in ("bin/heddle", "include/heddle/heddle.h", "share/heddle/scenes/demo.yaml",
                 f"share/heddle/experiments/{EXPERIMENT}/{SCENE}", "share/heddle/examples/hello.c",
                 "share/doc/heddle/README.md", "share/doc/heddle/docs/files.md", "share/doc/heddle/LICENSE"):
        check(os.path.isfile(place(path)), f"{path} is missing")
    check("heddle" in run(place("bin", "heddle"), "--version"), "version")


def test_nothing_names_the_build():
    """Text that programs of others read has no path of this machine."""
    source = os.environ["SOURCE_DIR"]
    for folder, _, names in os.walk(library_folder()):
        for name in names:
            if name.endswith((".cmake", ".pc")):
                with open(os.path.join(folder, name)) as stream:
                    text = stream.read()
                for word in (source, BUILD, os.path.join(FOLDER.name, "first"), "-Werror", "-march"):
                    check(word not in text, f"{name} names {word}")


def test_experiments_from_anywhere():
    """The scene beside the program is the one that is read: without it the experiment says where it should be."""
    elsewhere = os.path.join(FOLDER.name, "else where")
    os.mkdir(elsewhere)
    program = place("bin", "heddle")
    link = os.path.join(FOLDER.name, "link")
    os.symlink(program, link)
    for command in (program, link):
        text = run(command, "experiment", EXPERIMENT, "--quick", "-o", "out", cwd=elsewhere, OMP_NUM_THREADS="1")
        check("\nok " in text and "results are in out" in text, text)
        shutil.rmtree(os.path.join(elsewhere, "out"))
    scenes = place("share", "heddle", "experiments")
    os.rename(scenes, scenes + ".away")
    text = run(program, "experiment", EXPERIMENT, "--quick", "-o", "out", cwd=elsewhere, code=2)
    check(os.path.join("share", "heddle", "experiments", EXPERIMENT, SCENE) in text, text)
    os.rename(scenes + ".away", scenes)
    run(program, "check", place("share", "heddle", "scenes", "hanging.yaml"), cwd=elsewhere)


def build_example(name, *settings):
    build = os.path.join(FOLDER.name, name)
    run("cmake", "-S", place("share", "heddle", "examples"), "-B", build, f"-DCMAKE_PREFIX_PATH={ROOT}", *settings)
    run("cmake", "--build", build, "--target", "hello")
    run(os.path.join(build, "hello"), cwd=build)
    return build


def test_find_package_shared():
    build = build_example("shared")
    check("libheddle.so" in run("ldd", os.path.join(build, "hello")), "the shared library")


def test_find_package_static():
    build = build_example("static", "-DHEDDLE_LIBRARY=heddle::heddle-static")
    check("libheddle.so" not in run("ldd", os.path.join(build, "hello")), "the static library")


def test_versions():
    with open(os.path.join(FOLDER.name, "CMakeLists.txt"), "w") as out:
        out.write("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
                  "find_package(heddle ${WANTED} REQUIRED COMPONENTS shared static)\n")
    base = ("cmake", "-S", FOLDER.name, "-B", os.path.join(FOLDER.name, "versions"), f"-DCMAKE_PREFIX_PATH={ROOT}")
    run(*base, "-DWANTED=0.1")
    text = run(*base, "-DWANTED=7.0", code=1)
    check("0.1.0" in text and "7.0" in text, text)


def test_pkg_config():
    packages = os.path.join(library_folder(), "pkgconfig")
    source = place("share", "heddle", "examples", "hello.c")
    for name, more in (("dynamic", ()), ("archive", ("--static",))):
        flags = run("pkg-config", "--cflags", "--libs", *more, "heddle", PKG_CONFIG_PATH=packages).strip()
        check(ROOT.replace(" ", "\\ ") in flags, f"not where it was moved: {flags}")
        program = os.path.join(FOLDER.name, name)
        if more:  # the linker takes the archive only if it is named
            flags = flags.replace("-lheddle ", "-l:libheddle.a ")
        run("sh", "-c", f"cc -std=c17 '{source}' -o '{program}' {flags}")
        run(program, LD_LIBRARY_PATH=library_folder())


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "cmake_install.cmake")):
        print("SKIP: not in a build folder")
        sys.exit(0)
    main(globals())
