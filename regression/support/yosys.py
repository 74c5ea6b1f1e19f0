# SPDX-License-Identifier: BSD-3-Clause
"""Yosys in a process of its own, which it ends on an error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firesim_common.tools import python_command

_SCRIPT = """
import sys
from pyosys import libyosys
design = libyosys.Design()
for command in sys.argv[1:]:
    libyosys.run_pass(command, design)
"""


def yosys_command(commands: Sequence[str]) -> list[str | Path]:
    """Return the words that run these commands of Yosys on one design."""
    return python_command("-c", _SCRIPT, *commands)
