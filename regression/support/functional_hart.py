# SPDX-License-Identifier: BSD-3-Clause
"""The program that runs one functional hart alone, without a cluster around it."""

from __future__ import annotations

from pathlib import Path

from firesim.build.simulator import configure_and_build

BINARY = "functional-run"


def runner() -> Path:
    """Return the functional-run binary, built if anything changed."""
    return configure_and_build(targets=(BINARY,)) / "bin" / BINARY
