# SPDX-License-Identifier: BSD-3-Clause
"""Passes over the system graph, one a file, each a function that returns or refuses."""
