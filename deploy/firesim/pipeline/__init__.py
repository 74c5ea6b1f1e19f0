# SPDX-License-Identifier: BSD-3-Clause
"""A run from a file to its results: load, resolve, bind, build, describe, start, collect."""
