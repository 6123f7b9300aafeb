#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every experiment and benchmark tells about itself and refuses what it does not know."""
import json
import os
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import check, heddle, main


def names(verb, *more):
    return [line.split()[0] for line in heddle(verb, *more).stdout.splitlines()]


def test_list():
    listed = names("experiment")
    check(len(listed) == len(set(listed)), f"a name twice: {listed}")
    lines = heddle("experiment", "--json").stdout.splitlines()
    check([json.loads(line)["experiment"] for line in lines] == listed, "the JSON list differs")


def test_help():
    for name in names("experiment"):
        text = heddle("experiment", name, "--help").stdout
        check(f"parameters of {name}" in text, text)


def test_bad_parameters_write_nothing():
    for name in names("experiment"):
        result = heddle("experiment", name, "--set", "no_such_parameter=1", code=2)
        check("no_such_parameter" in result.stderr, result.stderr)
        heddle("experiment", name, "--set", "novalue", code=2)
        heddle("experiment", name, "--frobnicate", code=2)
    check(not os.path.exists("out"), "something was written")


def test_benches():
    listed = names("bench", "--list")
    check(len(listed) == len(set(listed)), f"a name twice: {listed}")


if __name__ == "__main__":
    main(globals())
