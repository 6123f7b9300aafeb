# SPDX-License-Identifier: MIT
"""Commands that write files of every kind from a run."""
import os

# name of the file: the command, with what is read and written in place of RUN and OUT
WRITERS = {
    "a.obj": ("convert", "RUN", "OUT", "--frame", "3"),
    "a.ply": ("convert", "RUN", "OUT", "--frame", "3"),
    "a.vtp": ("convert", "RUN", "OUT", "--frame", "last"),
    "a.usda": ("convert", "RUN", "OUT"),
    "a.html": ("export", "RUN", "--html", "OUT"),
    "a.png": ("render", "RUN", "-o", "OUT", "--size", "96x72", "--samples", "2"),
    "a.mp4": ("render", "RUN", "-o", "OUT", "--size", "96x72", "--samples", "1"),
}
# Those that write a file for each frame.
SERIES = {"all.obj": ("convert", "RUN", "OUT"), "all.ply": ("convert", "RUN", "OUT"), "all.pvd": ("convert", "RUN", "OUT")}


def command(name, run, directory, *more):
    words = {"RUN": run, "OUT": os.path.join(directory, name)}
    return (*(words.get(word, word) for word in {**WRITERS, **SERIES}[name]), *more)
