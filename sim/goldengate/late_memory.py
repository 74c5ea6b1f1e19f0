# SPDX-License-Identifier: BSD-3-Clause
"""Memories that are written at another moment than the clock's rising edge.

Such a memory is written at the clock's rising edge, too, with all that was written in the cycle
before; until then a read takes from each of these writes what it would find in the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import add_like
from goldengate.memory_ports import laid_over, memory_of, port_number
from goldengate.state import public


@dataclass
class LateMemory:
    """A memory, by its ports."""

    late: list[Any] = field(default_factory=list)
    """The writes at another moment, in their order."""
    others: list[Any] = field(default_factory=list)
    """Those at the clock's rising edge."""
    reads: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Write:
    """What a port writes in a world."""

    cell: Any
    world: int
    """In which its edge comes; 0 is that of the edge with which the next cycle begins."""
    enable: Any
    """A bit for each bit of the data."""
    address: Any
    data: Any


def _is_row(module: Any, name: Any, memory: Any, address: Any) -> Any:
    """Return the bit that says whether an address is one of the memory; None if any is."""
    low, high = memory.start_offset, memory.start_offset + memory.size
    if low == 0 and high >= 1 << address.size():
        return None
    width = max(address.size(), high.bit_length())
    reached = module.Ge(name(), address, ys.SigSpec(ys.Const(low, width)))
    return module.And(
        name(), reached, module.Lt(name(), address, ys.SigSpec(ys.Const(high, width)))
    )


def taken(module: Any, name: Any, cell: Any, stored: Any, writes: Sequence[Write]) -> Any:
    """Return what a read finds where the memory has `stored` and `writes` have come since.

    `name` makes a new name for a cell; `cell` is the read, its address connected.
    """
    address = cell.getPort(public("ADDR"))
    memory = module.memories[ys.IdString(memory_of(cell))]
    is_row = _is_row(module, name, memory, address)
    for write in writes:
        same = module.Eq(name(), address, write.address)
        if is_row is not None:
            same = module.And(name(), same, is_row)

        def hit(enable: Any, same: Any = same) -> Any:
            return module.And(name(), same, ys.SigSpec(enable, 1))

        stored = laid_over(module, name, stored, write.data, write.enable, hit)
    return stored


def rise(module: Any, name: Any, clock: Any, memory: LateMemory, writes: Sequence[Write]) -> None:
    """Let all of `writes`, in their order, happen at the clock's next rising edge."""
    behind = sorted(
        [(port_number(one.cell), one) for one in writes if one.world == 0]
        + [(port_number(one), one) for one in memory.others],
        key=lambda pair: pair[0],
    )
    first = [one for one in writes if one.world]
    for number, port in enumerate([*first, *(one for _, one in behind)]):
        if isinstance(port, Write):
            made = add_like(module, name(), port.cell)
            made.setParam(public("CLK_POLARITY"), ys.Const(1, 1))
            made.setPort(public("CLK"), clock)
            made.setPort(public("EN"), port.enable)
            made.setPort(public("ADDR"), port.address)
            made.setPort(public("DATA"), port.data)
        else:
            made = port
        made.setParam(public("PORTID"), ys.Const(number, 32))
        total = len(first) + len(behind)
        made.setParam(
            public("PRIORITY_MASK"),
            ys.Const.from_string(
                "".join("1" if other < number else "0" for other in reversed(range(total)))
            ),
        )
    for cell in memory.late:
        module.remove(cell)
    for cell in memory.reads:
        for mask in ("TRANSPARENCY_MASK", "COLLISION_X_MASK"):
            cell.setParam(public(mask), ys.Const(0, len(first) + len(behind)))
