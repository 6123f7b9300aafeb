# SPDX-License-Identifier: MIT
"""All kinds of attacks, in the order in which they run."""
from . import kills  # noqa: F401
