# SPDX-License-Identifier: BSD-3-Clause
"""Which chosen bits the bits of a flat module are computed from, without a register between.

Of cells that work on each bit by itself only that bit's operands count, of all others every
operand. So a dependence may be found where the logic has none, but none is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldengate.drivers import Bit, bit_key, bits
from goldengate.state import plain, public

BITWISE = ("$not", "$pos", "$and", "$or", "$xor", "$xnor", "$mux", "$pmux")


class Loop(Exception):
    """A bit is computed from itself."""


def _lanes(kind: str, signal: Any, width: int) -> list[list[Any]]:
    """Return an operand as values as wide as the output; a narrow one has its last bit repeated."""
    found = list(signal.to_sigbit_vector())
    if kind == "$pmux":
        return [found[low : low + width] for low in range(0, len(found), width)]
    return [found[:width] + found[-1:] * (width - len(found))]


class Cones:
    """What bits depend on: sets, as bits of a number, of the numbers that sources were given."""

    def __init__(self, module: Any, sources: Mapping[Bit, int]) -> None:
        self._fan_in: dict[Bit, Sequence[Bit]] = {}
        self._known: dict[Bit, int] = {}
        for left, right in module.connections_:
            pairs = zip(left.to_sigbit_vector(), right.to_sigbit_vector(), strict=True)
            for to, given in pairs:
                if to.is_wire():
                    self._fan_in[bit_key(to)] = [bit_key(given)] if given.is_wire() else []
        for cell in module.cells_.values():
            self._add(cell)
        self._known.update({bit: 1 << number for bit, number in sources.items()})

    def _add(self, cell: Any) -> None:
        """Note what each output of a cell is computed from; nothing for a register."""
        kind = plain(cell.type)
        if kind == "$memrd_v2" and not cell.getParam(public("CLK_ENABLE")).as_bool():
            inputs = bits(cell.getPort(public("ADDR")))
            for bit in bits(cell.getPort(public("DATA"))):
                self._fan_in[bit] = inputs
        elif cell.hasPort(public("Y")):
            self._add_logic(kind, cell)

    def _add_logic(self, kind: str, cell: Any) -> None:
        ports = {plain(name): signal for name, signal in dict(cell.connections_).items()}
        output = list(ports.pop("Y").to_sigbit_vector())
        if kind not in BITWISE:
            inputs = [bit for signal in ports.values() for bit in bits(signal)]
            for to in output:
                self._fan_in[bit_key(to)] = inputs
            return
        common = bits(ports.pop("S")) if "S" in ports else []
        lanes = [lane for signal in ports.values() for lane in _lanes(kind, signal, len(output))]
        for index, to in enumerate(output):
            own = [bit_key(lane[index]) for lane in lanes if lane[index].is_wire()]
            self._fan_in[bit_key(to)] = [*own, *common]

    def of(self, start: Bit) -> int:
        """Return the set of one bit.

        Raises:
            Loop: it is computed from itself.
        """
        todo = [(start, False)]
        open_: set[Bit] = set()
        while todo:
            bit, done = todo.pop()
            if bit in self._known:
                continue
            inputs = self._fan_in.get(bit, ())
            if done:
                open_.discard(bit)
                found = 0
                for each in inputs:
                    found |= self._known[each]
                self._known[bit] = found
                continue
            if bit in open_:
                raise Loop(bit[0])
            open_.add(bit)
            todo.append((bit, True))
            for each in inputs:
                if each in open_:
                    raise Loop(each[0])
                if each not in self._known:
                    todo.append((each, False))
        return self._known[start]

    def of_all(self, chosen: Iterable[Bit]) -> int:
        """Return the set of several bits together.

        Raises:
            Loop: one is computed from itself.
        """
        found = 0
        for bit in chosen:
            found |= self.of(bit)
        return found
