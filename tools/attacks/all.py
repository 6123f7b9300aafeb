# SPDX-License-Identifier: MIT
"""All kinds of attacks, in the order in which they run."""
from . import kills, disks, flips, resumes, sizes, inputs, stress, mutations, viewers  # noqa: F401
