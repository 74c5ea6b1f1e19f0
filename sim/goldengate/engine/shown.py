# SPDX-License-Identifier: BSD-3-Clause
"""Step `shown`: registers and wires are shown with all their bits in their places.

Optimisation leaves of a register the bits that can change. Of the others, those that are constant
are shown beside it. Where a name has bits that are something else (another register's, or logic),
or that are left out of the model because nothing reads them, what is kept is shown as parts of that
name, `held[7:4]`, so that no bit is in another's place, and none has a value that it never had.
A register that stands for a user's register, as that is before resets act, has its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from goldengate.engine.design import Constant, Design, Parts
from goldengate.engine.nodes import WORD, mask
from goldengate.engine.rtlil import Module, Wire
from goldengate.engine.wiring import CONSTANT, Wiring

_Run = tuple[int, int]
"""(lowest bit, width)"""


def _holes(kept: list[_Run], width: int) -> list[_Run]:
    """Return what runs of bits, in order, leave out of `width` bits."""
    found, position = [], 0
    for low, size in [*kept, (width, 0)]:
        if low > position:
            found.append((position, low - position))
        position = low + size
    return found


def _split(wiring: Wiring, name: str, hole: _Run) -> Iterator[tuple[int, int, int | None]]:
    """Yield (lowest bit, width, value) of the parts of a hole; no value where none is known."""
    start, width = hole
    driven = wiring.driven([(name, start, width)])
    for low, size in _holes(driven, width):
        yield start + low, size, None
    for low, size in driven:
        low += start
        for driver, value, of_driver in wiring.pieces([(name, low, size)]):
            for first in range(0, of_driver, WORD):
                part = min(WORD, of_driver - first)
                known = value >> first & mask(part) if driver == CONSTANT else None
                yield low + first, part, known
            low += of_driver


def _parts(open_bits: list[_Run], width: int) -> list[_Run]:
    """Return the runs of bits between those that are something else."""
    return _holes(sorted(open_bits), width)


def add(design: Design, module: Module, wiring: Wiring) -> None:
    """Say of every register's name which of its bits are constant, and where it is in parts."""
    by_name: dict[str, list[_Run]] = {}
    for register in design.registers:
        name, first = module.wires[register.name].own()
        if name not in module.wires:
            name, first = register.name, 0
        if name != register.name:
            design.stands_for[register.name] = name, first
        by_name.setdefault(name, []).append((first + register.low, register.leaf.width))
    parts: dict[str, list[_Run]] = {}
    for name, kept in by_name.items():
        width, constants, open_bits = module.wires[name].width, [], []
        for hole in _holes(sorted(kept), width):
            for low, size, value in _split(wiring, name, hole):
                if value is None:
                    open_bits.append((low, size))
                else:
                    constants.append(Constant(name, low, size, value))
        if open_bits:
            parts[name] = _parts(open_bits, width)
            held = {_part_at(parts[name], low) for low, _ in kept}
            constants = [one for one in constants if _part_at(parts[name], one.low) in held]
        design.constants += constants
    for name, runs in parts.items():
        wire = module.wires[name]
        design.parts[name] = [(*run, wire.bits(*run)) for run in runs]


def of_register(design: Design, name: str, bit: int) -> tuple[str, int]:
    """Return the name that shows a bit of a register, and which of that name's bits it is."""
    own, first = design.stands_for.get(name, (name, 0))
    return place(design.parts, own, first + bit)


def _part_at(parts: list[_Run], bit: int) -> _Run:
    return next((low, width) for low, width in parts if low <= bit < low + width)


def runs_of_wire(design: Design, wire: Wire, wiring: Wiring) -> list[_Run]:
    """Return the runs of bits of a wire that are shown; say which parts that are, if not all."""
    runs = wiring.driven([(wire.name, 0, wire.width)])
    if runs != [(0, wire.width)]:
        design.wire_parts[wire.name] = [(*run, wire.bits(*run)) for run in runs]
    return runs


def place(parts: Parts, name: str, bit: int) -> tuple[str, int]:
    """Return the name that shows a bit of `name`, and which of that name's bits it is."""
    for low, width, text in parts.get(name, ()):
        if low <= bit < low + width:
            return name + text, bit - low
    return name, bit
