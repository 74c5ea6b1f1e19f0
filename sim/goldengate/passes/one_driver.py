# SPDX-License-Identifier: BSD-3-Clause
"""Part of pass `elaborate`: refuse a net with two drivers, whatever they are.

Yosys counts no constant as a driver, so that its `check` of the flat design would take one in
silence, also one that comes through an instance's port. This looks at each module before that: the
reader makes each continuous assignment a cell, which later passes dissolve.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, bit_key, bits
from goldengate.errors import GoldenGateError
from goldengate.state import State, plain, public

_VALUES = {ys.State.S0: 0, ys.State.S1: 1}


def _outputs(cell: Any) -> tuple[str, ...]:
    """Return the ports by which a cell of Yosys drives; a write port of a memory reads DATA."""
    return ("Y", "Q", "DATA") if plain(cell.type).startswith("$memrd") else ("Y", "Q")


@dataclass(frozen=True)
class _Driver:
    """What gives a bit its value: a constant, or logic (None); a cell, or the port of an input."""

    cell: Any
    value: int | None


class _Design:
    """The drivers of each module; each module is looked at once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._outputs: dict[str, dict[Bit, int | None]] = {}
        """Of each module, the bits of its output ports that something drives."""

    def outputs(self, module: Any) -> dict[Bit, int | None]:
        """Return what drives the bits of a module's outputs, after a check of the module."""
        name = plain(module.name)
        if name not in self._outputs:
            drivers = self._drivers(module)
            self._check(module, drivers)
            self._outputs[name] = {bit: found[0].value for bit, found in drivers.items()}
            if module.get_blackbox_attribute():
                ports = [module.wire(port) for port in module.ports]
                for wire in ports:
                    self._outputs[name] |= {(plain(wire.name), n): None for n in range(wire.width)}
        return self._outputs[name]

    def _drivers(self, module: Any) -> dict[Bit, list[_Driver]]:
        found: dict[Bit, list[_Driver]] = defaultdict(list)
        for cell in module.cells_.values():
            inner = self.state.design.module(cell.type)
            if inner is not None:
                self._instance(cell, inner, found)
            elif plain(cell.type) == "$buf":
                _assignment(cell, found)
            else:
                driver = _Driver(cell, None)
                for port in filter(cell.hasPort, map(public, _outputs(cell))):
                    for bit in bits(cell.getPort(port)):
                        found[bit].append(driver)
        for port in module.ports:
            wire = module.wire(port)
            if wire.port_input and not wire.port_output:
                for bit in bits(ys.SigSpec(wire)):
                    found[bit].append(_Driver(None, None))
        return found

    def _instance(self, cell: Any, inner: Any, found: dict[Bit, list[_Driver]]) -> None:
        outputs = self.outputs(inner)
        drivers = {value: _Driver(cell, value) for value in (None, *_VALUES.values())}
        for port, signal in dict(cell.connections_).items():
            wire = inner.wire(port)
            if wire is None or not wire.port_output or wire.port_input:
                continue
            name = plain(port)
            for index, bit in _placed(signal):
                if (name, index) in outputs:
                    found[bit].append(drivers[outputs[name, index]])

    def _check(self, module: Any, drivers: dict[Bit, list[_Driver]]) -> None:
        several = {
            bit: found
            for bit, found in drivers.items()
            if _differ(found) and any(map(self._is_ours, found))
        }
        if not several:
            return
        read = self._read(module)
        for bit, found in several.items():
            if bit in read:
                raise GoldenGateError(self._refusal(module, bit, found, drivers))
            for driver in found[1:]:
                _part(module, driver.cell, bit)

    def _is_ours(self, driver: _Driver) -> bool:
        """Whether Yosys' check of the flat design would not see it as a driver, or not where.

        What processes leave in the index that their loops share is seen there, if it is read.
        """
        if driver.value is not None or driver.cell is None:
            return True
        return self.state.design.module(driver.cell.type) is not None

    def _read(self, module: Any) -> set[Bit]:
        """Return the bits that a module reads or gives out: the others may have any value."""
        found: set[Bit] = set()
        for cell in module.cells_.values():
            inner = self.state.design.module(cell.type)
            for port, signal in dict(cell.connections_).items():
                wire = inner.wire(port) if inner is not None else None
                if wire.port_input if wire is not None else plain(port) not in _outputs(cell):
                    found.update(bits(signal))
        for _, right in module.connections_:
            found.update(bits(right))
        for port in module.ports:
            if module.wire(port).port_output:
                found.update(bits(ys.SigSpec(module.wire(port))))
        return found

    def _refusal(
        self, module: Any, bit: Bit, found: list[_Driver], drivers: dict[Bit, list[_Driver]]
    ) -> str:
        name, index = bit
        wire = module.wire(public(name)) or module.wire(ys.IdString(name))
        shown = name if wire.width == 1 else f"{name}[{index + wire.start_offset}]"
        first = found[0]
        other = next(one for one in found[1:] if one.value is None or one.value != first.value)
        texts = sorted(self._text(bit, one, drivers) for one in (first, other))
        place = self.state.place(wire.get_src_attribute())
        return f"{place}: '{shown}' is driven {' and '.join(texts)}, expected one driver."

    def _text(self, bit: Bit, driver: _Driver, drivers: dict[Bit, list[_Driver]]) -> str:
        """Say what drives and where; an assignment has the place of what it assigns."""
        if driver.cell is None:
            return "from outside, as an input"
        cell, what = driver.cell, f"by instance '{plain(driver.cell.name)}'"
        if self.state.design.module(cell.type) is None:
            what = "by an assignment"
            if plain(cell.type) == "$buf":
                made = [bit_key(one) for one in cell.getPort(public("Y")).to_sigbit_vector()]
                given = cell.getPort(public("A")).to_sigbit_vector()[made.index(bit)]
                makers = drivers.get(bit_key(given), []) if given.is_wire() else []
                cell = next((one.cell for one in makers if one.cell is not None), cell)
        value = "" if driver.value is None else f" ({driver.value})"
        source = cell.get_src_attribute()
        return f"{what}{value}{f' at {self.state.place(source)}' if source else ''}"


def _placed(signal: Any) -> list[tuple[int, Bit]]:
    """List the wire bits of a signal, each with its position."""
    if signal.is_wire():
        return list(enumerate(bits(signal)))
    return [(n, bit_key(b)) for n, b in enumerate(signal.to_sigbit_vector()) if b.is_wire()]


def _assignment(cell: Any, found: dict[Bit, list[_Driver]]) -> None:
    made = cell.getPort(public("Y")).to_sigbit_vector()
    given = cell.getPort(public("A")).to_sigbit_vector()
    for low, high in zip(made, given, strict=True):
        if low.is_wire() and (high.is_wire() or high.data in _VALUES):
            value = None if high.is_wire() else _VALUES[high.data]
            found[bit_key(low)].append(_Driver(cell, value))


def _part(module: Any, cell: Any, bit: Bit) -> None:
    """Let a cell drive another wire than this, which nothing reads: wires with one name are one."""
    if cell is None:
        return
    for port, signal in dict(cell.connections_).items():
        if bit in bits(signal):
            parted = ys.SigSpec()
            for one in signal.to_sigbit_vector():
                if one.is_wire() and bit_key(one) == bit:
                    name = f"$firesim$parted${plain(cell.name)}${plain(port)}${bit[0]}${bit[1]}"
                    parted.append(ys.SigSpec(module.addWire(ys.IdString(name), 1)))
                else:
                    parted.append(one)
            cell.setPort(port, parted)


def _differ(found: list[_Driver]) -> bool:
    """Whether drivers may give a bit different values."""
    return len(found) > 1 and (found[0].value is None or len({one.value for one in found}) > 1)


def run(state: State) -> None:
    """Refuse a design with such a net.

    Raises:
        GoldenGateError: there is one; the message names two of its drivers with their places.
    """
    _Design(state).outputs(state.module)
