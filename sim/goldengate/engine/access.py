# SPDX-License-Identifier: BSD-3-Clause
"""Step `access`: the table of signals, by which what is inside a model is read, written and saved.

Registers and memories are in every model and in the same order, so that a saved state is good for
all models of a design. Wires are there only when the design was built with probes. Bits of
registers that are constant come last.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from goldengate.engine import shown
from goldengate.engine.design import Design
from goldengate.engine.expressions import literal

if TYPE_CHECKING:
    from goldengate.engine.emit import Emitter

REGISTER, MEMORY, WIRE = "FIRESIM_REGISTER", "FIRESIM_MEMORY", "FIRESIM_WIRE"
CONSTANT = "FIRESIM_CONSTANT"


def _state(design: Design) -> list[tuple[str, int, int, int, str, tuple[str, int]]]:
    """Return (name, lowest bit, width, rows, kind, key) of all registers and memories."""
    found = []
    for register in design.registers:
        entry = (register.name, register.low, register.leaf.width, 1, REGISTER)
        found.append((*entry, ("register", register.index)))
    for column in design.columns:
        entry = (column.name, column.low, column.width, column.size, MEMORY)
        found.append((*entry, ("column", column.index)))
    return found


def state_hash(design: Design) -> int:
    """Return a number that stands for the names, sizes and order of all state and the inputs."""
    inputs = [(port.name, port.width) for port in design.ports if port.is_input]
    text = json.dumps([inputs, [entry[:5] for entry in _state(design)]])
    return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)


def table(emitter: Emitter) -> list[str]:
    """Return the declarations of kConstants and kSignals."""
    design = emitter.design
    entries = [(*entry[:5], emitter.place(entry[5])) for entry in _state(design)]
    entries += [(p.name, p.low, p.width, 1, WIRE, f"s.w{p.index}") for p in design.probes]
    count = len(entries) + len(design.constants)
    values = ", ".join(literal(one.value, one.width) for one in design.constants)
    lines = [f"const std::array<u64, {len(design.constants)}> kConstants = {{{{{values}}}}};"]
    lines.append(f"const std::array<SignalEntry, {count}> kSignals = {{{{")
    for name, low, width, rows, kind, place in entries:
        if kind == REGISTER:
            name, low = shown.of_register(design, name, low)
        elif kind == WIRE:
            name, low = shown.place(design.wire_parts, name, low)
        field = place.removeprefix("s.")
        one = f"{field}[0]" if kind == MEMORY else field
        lines.append(
            f"  {{{json.dumps(name)}, {low}, {width}, {rows}, {kind}, offsetof(State, {field}), "
            f"sizeof(kLayout.{one})}},"
        )
    for index, bits in enumerate(design.constants):
        name, low = shown.place(design.parts, bits.name, bits.low)
        lines.append(
            f"  {{{json.dumps(name)}, {low}, {bits.width}, 1, {CONSTANT}, "
            f"{index} * sizeof(u64), sizeof(u64)}},"
        )
    return [*lines, "}};"]
