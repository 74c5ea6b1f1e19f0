# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `fame1`: every row of a memory is what the CPU model has there.

In: memories of any number of rows, some without a first value. Out: memories with as many rows as
their addresses reach, all with a first value, 0 if the text has none. A write to a row that the
text does not have is lost, so that such a row is always read as 0.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.memory_ports import memory_of
from goldengate.state import ZERO, State, plain, public

_INITIAL = ("$meminit", "$meminit_v2")
_PORTS = ("$memrd_v2", "$memwr_v2")


def _cells(module: Any) -> dict[str, list[Any]]:
    """Return the cells of each memory, by its name."""
    found: dict[str, list[Any]] = {}
    for cell in module.cells_.values():
        if plain(cell.type) in (*_PORTS, *_INITIAL):
            found.setdefault(memory_of(cell), []).append(cell)
    return found


def _guard(state: State, cell: Any, rows: int) -> None:
    """Let a write port act only on rows that the text has."""
    module = state.module
    address, enable = cell.getPort(public("ADDR")), cell.getPort(public("EN"))
    limit = ys.SigSpec(ys.Const(rows, address.size() + 1))
    inside = module.Lt(ys.IdString(f"$firesim$inside${plain(cell.name)}"), address, limit)
    nothing = ys.SigSpec(ys.Const(0, enable.size()))
    name = ys.IdString(f"$firesim$guarded${plain(cell.name)}")
    cell.setPort(public("EN"), module.Mux(name, nothing, enable, inside))


def _zero(state: State, name: Any, memory: Any, others: list[Any]) -> None:
    """Give every row the first value 0, below what the text gives."""
    for cell in others:
        priority = cell.getParam(public("PRIORITY")).as_int()
        cell.setParam(public("PRIORITY"), ys.Const(priority + 1, 32))
    own_name = ys.IdString(f"$firesim$zero${plain(name)}")
    cell = state.module.addCell(own_name, ys.IdString("$meminit_v2"))
    bits = memory.size * memory.width
    cell.setParam(public("MEMID"), ys.Const(name.str()))
    cell.setParam(public("ABITS"), ys.Const(32, 32))
    cell.setParam(public("WIDTH"), ys.Const(memory.width, 32))
    cell.setParam(public("WORDS"), ys.Const(memory.size, 32))
    cell.setParam(public("PRIORITY"), ys.Const(0, 32))
    cell.setPort(public("ADDR"), ys.SigSpec(ys.Const(0, 32)))
    cell.setPort(public("DATA"), ys.SigSpec(ys.Const(0, bits)))
    cell.setPort(public("EN"), ys.SigSpec(ys.Const(-1, memory.width)))


def run(state: State) -> None:
    """Rewrite the memories of the flat module, after the pass `bounds`."""
    cells = _cells(state.module)
    for name, memory in dict(state.module.memories).items():
        own = cells.get(name.str(), [])
        ports = [cell for cell in own if plain(cell.type) in _PORTS]
        reach = 1 << max((cell.getPort(public("ADDR")).size() for cell in ports), default=0)
        if reach > memory.size:
            for cell in ports:
                if plain(cell.type) == "$memwr_v2":
                    _guard(state, cell, memory.size)
            memory.size = reach
        if state.request.unknown == ZERO:
            _zero(state, name, memory, [cell for cell in own if plain(cell.type) in _INITIAL])
