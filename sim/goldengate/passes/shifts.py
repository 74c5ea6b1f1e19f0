# SPDX-License-Identifier: BSD-3-Clause
"""Pass `shifts`: amounts of a shift have no more bits than the shifted value needs.

In: shifts by amounts of any width; an assignment to `v[32'(i) + 2 +: 2]` is one by a signed amount
of 34 bits. Out: shifts by short amounts, whose result is replaced where the whole amount is more
than the width. Verilator refuses an amount of more than 32 bits when it finds out that it is
constant and large, even on the side of a condition that is never taken.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.state import State, plain, public

_SHIFTS = ("$shl", "$sshl", "$shr", "$sshr", "$shift")
_MOST_BITS = 32
"""Amounts of this number of bits stay as they are."""


class _Shifts:
    """Rewrites the shifts of one module."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.made = 0

    def _name(self) -> Any:
        self.made += 1
        return ys.IdString(f"$firesim$shifts${self.made}")

    def _is_small(self, high: Any, signed: bool) -> Any:
        """Return a bit: the upper bits of an amount repeat its sign, or are 0 without one."""
        none = self.module.LogicNot(self._name(), high)
        if not signed:
            return none
        return self.module.Or(self._name(), none, self.module.ReduceAnd(self._name(), high))

    def _beyond(self, cell: Any, width: int) -> Any:
        """Return what a shift by more than the width of its value leaves: zeros, or signs."""
        value = cell.getPort(public("A"))
        if plain(cell.type) == "$sshr" and cell.getParam(public("A_SIGNED")).as_bool():
            sign = value.extract(value.size() - 1, 1)
            return sign.repeat(width)
        return ys.SigSpec(ys.Const(0, width))

    def shorten(self, cell: Any) -> None:
        """Let one shift have a short amount."""
        amount, result = cell.getPort(public("B")), cell.getPort(public("Y"))
        signed = plain(cell.type) == "$shift" and cell.getParam(public("B_SIGNED")).as_bool()
        # The least power of two above what moves everything out.
        needed = max(cell.getPort(public("A")).size(), result.size()).bit_length()
        high = amount.extract(needed, amount.size() - needed)
        low = amount.extract(0, needed + signed)
        moved = ys.SigSpec(self.module.addWire(self._name(), result.size()))
        cell.setPort(public("B"), low)
        cell.setParam(public("B_WIDTH"), ys.Const(low.size(), 32))
        cell.setPort(public("Y"), moved)
        beyond = self._beyond(cell, result.size())
        self.module.addMux(self._name(), beyond, moved, self._is_small(high, signed), result)


def run(state: State) -> None:
    """Shorten all amounts that are too long."""
    shifts = _Shifts(state.module)
    for cell in list(state.module.cells_.values()):
        if plain(cell.type) in _SHIFTS and cell.getPort(public("B")).size() > _MOST_BITS:
            shifts.shorten(cell)
