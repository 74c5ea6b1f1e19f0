# SPDX-License-Identifier: BSD-3-Clause
"""`system.blades.NAME.traces`: wires of a core that say what it commits, where it has no bridge."""

from __future__ import annotations

import re
from typing import Annotated

from firesim_common.base import Strict
from pydantic import AfterValidator, Field, StringConstraints

MOST_HARTS = 4096

_NAME = r"[A-Za-z_][A-Za-z0-9_$]*(\[[0-9]+\])*"


def _path(text: str) -> str:
    if not re.fullmatch(rf"{_NAME}(\.{_NAME})*", text):
        raise ValueError(f'found "{text}", expected a path of instances, such as "chip.tile.core".')
    return text


def _value(text: str) -> str:
    if not re.fullmatch(r"[^;\n]+", text):
        raise ValueError(f'found "{text}", expected one expression of SystemVerilog.')
    return text


InstancePath = Annotated[str, StringConstraints(max_length=1024), AfterValidator(_path)]
"""Instances from the top module on, with dots between them."""
Value = Annotated[str, StringConstraints(max_length=1024), AfterValidator(_value)]
"""SystemVerilog over the wires of one module."""


class OwnTrace(Strict):
    """A commit of a hart in each cycle, as the wires of one module say it. All are expressions of
    SystemVerilog over the names of that module."""

    within: InstancePath
    """The instance whose wires they are: its path below the top module."""
    valid: Value
    """Whether an instruction commits in this cycle."""
    pc: Value
    """Its address; one of fewer than 64 bits is extended by its highest bit."""
    instruction: Value = "32'd0"
    """Its word (default: unknown)."""
    privilege: Value = "3'd3"
    """The mode it runs in: 0 user, 1 supervisor, 3 machine (default: machine mode)."""
    exception: Value = "1'b0"
    """Whether it, or an interrupt, traps at `pc` instead of committing; then `valid` does not
    count (default: traps are not told)."""
    interrupt: Value = "1'b0"
    """With an exception, that it is an interrupt."""
    cause: Value = "64'd0"
    """With an exception, its cause; the highest bit does not count."""
    tval: Value = "64'd0"
    """With an exception, the trap value."""
    hart: Annotated[int, Field(ge=0, lt=MOST_HARTS)] = 0
    """Number of the hart. Several traces with one number are the commits of one cycle, in program
    order."""
    clock: Value = "clock"
    """The clock of the core: the fastest one."""
