# SPDX-License-Identifier: BSD-3-Clause
"""`system.blades.NAME.traces`: wires of a core that say what it commits, where it has no bridge."""

from __future__ import annotations

import re
from typing import Annotated

from firesim_common.base import Strict
from pydantic import AfterValidator, Field, StringConstraints, model_validator

MOST_HARTS, MOST_LANES = 4096, 32
OF_ONE_COMMIT = frozenset(
    {"valid", "pc", "instruction", "privilege", "exception", "interrupt", "cause", "tval"}
)

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
    """A commit of a hart in each cycle, as the wires of one module say it; with `rvfi` several of
    them. All are expressions of SystemVerilog over the names of that module."""

    within: InstancePath
    """The instance whose wires they are: its path below the top module."""
    valid: Value | None = None
    """Whether an instruction commits in this cycle."""
    pc: Value | None = None
    """Its address; one of fewer than 64 bits is extended by its highest bit."""
    rvfi: Annotated[int, Field(ge=1, le=MOST_LANES)] | None = None
    """Most instructions that retire in a cycle. In place of the values: the module has the RISC-V
    formal interface (`rvfi_valid`, `rvfi_insn` and so on)."""
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
    """The clock of the core. It may be slower than the fastest one, or gated."""

    @model_validator(mode="after")
    def one_source(self) -> OwnTrace:
        own = sorted(self.model_fields_set & OF_ONE_COMMIT)
        if self.rvfi is not None and own:
            raise ValueError(f"found rvfi and {own[0]}, expected one of the two.")
        missing = [key for key in ("valid", "pc") if getattr(self, key) is None]
        if self.rvfi is None and missing:
            raise ValueError(f'found no key "{missing[0]}", expected valid and pc, or rvfi.')
        return self
