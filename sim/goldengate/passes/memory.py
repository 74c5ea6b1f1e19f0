# SPDX-License-Identifier: BSD-3-Clause
"""Pass `memory`: write ports of one memory that differ only in their bits become one port.

In: `$memwr_v2` cells as the reader makes them, one per assignment: a byte-masked write of 32 bytes
is 32 ports, each with an enable per bit that comes out of a multiplexer of all ones and all zeros.
Out: one port, whose enable bits are the mask signals themselves, so that the emitted code has one
statement per byte instead of one per bit.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, Drivers, bit_key
from goldengate.memory_ports import memory_of, port_number
from goldengate.state import State, plain, public


def _is_constant(bit: Any, value: int) -> bool:
    return not bit.is_wire() and bit.data == (ys.State.S1 if value else ys.State.S0)


class _Enables:
    """Finds, for a bit of an enable, the simplest signal equal to it."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.drivers = Drivers(module)
        self.gates: dict[tuple[str, Bit, Bit], Any] = {}
        self.done: dict[Bit, Any] = {}
        self._muxes: dict[Bit, tuple[Any, Any, Any]] = {}
        """Of the multiplexers that were asked for: both inputs and the selection of each bit."""

    def _mux(self, key: Bit) -> tuple[Any, Any, Any] | None:
        """Return both inputs and the selection behind a bit that a `$mux` gives."""
        if key not in self._muxes:
            cell = self.drivers.cell(key)
            if cell is None or plain(cell.type) != "$mux":
                return None
            low, high, out, (select,) = (
                list(cell.getPort(public(p)).to_sigbit_vector()) for p in ("A", "B", "Y", "S")
            )
            for a, b, y in zip(low, high, out, strict=True):
                self._muxes[bit_key(y)] = (a, b, select)
        return self._muxes[key]

    def _gate(self, kind: str, first: Any, second: Any) -> Any:
        key = (kind, bit_key(first), bit_key(second))
        if key not in self.gates:
            name = ys.IdString(f"$firesim$enable${len(self.gates)}")
            left, right = ys.SigSpec(first, 1), ys.SigSpec(second, 1)
            made = (
                self.module.Not(name, left) if kind == "not" else self.module.And(name, left, right)
            )
            self.gates[key] = next(iter(made.to_sigbit_vector()))
        return self.gates[key]

    def simplest(self, bit: Any) -> Any:
        """Follow multiplexers with constant inputs."""
        key = bit_key(bit)
        if not bit.is_wire():
            return bit
        if key not in self.done:
            mux = self._mux(key)
            self.done[key] = bit if mux is None else self._simplify_mux(bit, *mux)
        return self.done[key]

    def _simplify_mux(self, bit: Any, low: Any, high: Any, select: Any) -> Any:
        low, high = self.simplest(low), self.simplest(high)
        if bit_key(low) == bit_key(high) and low.is_wire() == high.is_wire():
            return low
        if _is_constant(low, 0):
            return select if _is_constant(high, 1) else self._gate("and", select, high)
        if _is_constant(high, 0):
            inverted = self._gate("not", select, select)
            return inverted if _is_constant(low, 1) else self._gate("and", inverted, low)
        return bit


def _group_key(cell: Any) -> tuple[str, ...]:
    """Ports of one group write the same memory at the same address on the same edge."""
    return (
        memory_of(cell),
        cell.getParam(public("CLK_ENABLE")).as_string(),
        cell.getParam(public("CLK_POLARITY")).as_string(),
        *(str(bit_key(bit)) for bit in cell.getPort(public("CLK")).to_sigbit_vector()),
        "at",
        *(str(bit_key(bit)) for bit in cell.getPort(public("ADDR")).to_sigbit_vector()),
    )


def _signal(bits: list[Any]) -> Any:
    signal = ys.SigSpec()
    for bit in bits:
        signal.append(bit)
    return signal


def _merge(enables: _Enables, cells: list[Any]) -> None:
    """Merge later ports into earlier ones as long as their enabled bits are disjoint."""
    kept: Any = None
    kept_enable: list[Any] = []
    kept_data: list[Any] = []
    for cell in cells:
        enable = [enables.simplest(b) for b in cell.getPort(public("EN")).to_sigbit_vector()]
        data = list(cell.getPort(public("DATA")).to_sigbit_vector())
        used = [not _is_constant(bit, 0) for bit in enable]
        overlap = any(u and not _is_constant(k, 0) for u, k in zip(used, kept_enable, strict=False))
        if kept is None or overlap:
            kept, kept_enable, kept_data = cell, enable, data
        else:
            kept_enable = [e if u else k for e, u, k in zip(enable, used, kept_enable, strict=True)]
            kept_data = [d if u else k for d, u, k in zip(data, used, kept_data, strict=True)]
            enables.module.remove(cell)
        kept.setPort(public("EN"), _signal(kept_enable))
        kept.setPort(public("DATA"), _signal(kept_data))


def run(state: State) -> None:
    """Merge the write ports of every memory."""
    state.run("opt_expr")
    state.run("opt_clean")
    enables = _Enables(state.module)
    groups: dict[tuple[str, ...], list[Any]] = {}
    per_memory: dict[str, int] = {}
    for cell in state.module.cells_.values():
        if plain(cell.type) == "$memwr_v2":
            groups.setdefault(_group_key(cell), []).append(cell)
    for key in groups:
        per_memory[key[0]] = per_memory.get(key[0], 0) + 1
    for key, cells in groups.items():
        cells.sort(key=port_number)
        if per_memory[key[0]] == 1:
            _merge(enables, cells)
        else:
            for cell in cells:
                bits = [enables.simplest(b) for b in cell.getPort(public("EN")).to_sigbit_vector()]
                cell.setPort(public("EN"), _signal(bits))
    state.run("opt_clean")
