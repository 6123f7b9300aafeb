# SPDX-License-Identifier: MIT
"""Attacks on the program, a file for each kind. tools/attack runs them."""
