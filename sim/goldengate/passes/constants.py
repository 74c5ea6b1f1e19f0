# SPDX-License-Identifier: BSD-3-Clause
"""Part of pass `elaborate`: refuse a net that a constant and something else drives.

Yosys counts no constant as a driver, so that its `check` would take the constant in silence. The
reader makes each continuous assignment a cell, which later passes dissolve: this comes before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import Bit, bit_key, bits
from goldengate.errors import GoldenGateError
from goldengate.state import State, plain, public

_VALUES = {ys.State.S0: 0, ys.State.S1: 1}


def _constants(module: Any) -> Iterator[tuple[Bit, int]]:
    """Yield the bits that continuous assignments give a 0 or a 1."""
    for cell in module.cells_.values():
        if plain(cell.type) != "$buf" or not cell.getPort(public("A")).has_const():
            continue
        given = cell.getPort(public("A")).to_sigbit_vector()
        for low, high in zip(cell.getPort(public("Y")).to_sigbit_vector(), given, strict=True):
            if low.is_wire() and not high.is_wire() and high.data in _VALUES:
                yield bit_key(low), _VALUES[high.data]


def _drivers(state: State, module: Any) -> Iterator[Bit]:
    """Yield each bit once for each assignment and each instance that drives it."""
    for cell in module.cells_.values():
        inner = state.design.module(cell.type)
        if inner is None:
            if cell.hasPort(public("Y")):
                yield from bits(cell.getPort(public("Y")))
            continue
        for port, signal in dict(cell.connections_).items():
            wire = inner.wire(port)
            if wire is not None and wire.port_output and not wire.port_input:
                yield from bits(signal)


def _check(state: State, module: Any) -> None:
    fixed = dict(_constants(module))
    seen: set[Bit] = set()
    for bit in _drivers(state, module) if fixed else ():
        if bit in fixed and bit in seen:
            name, index = bit
            wire = module.wire(public(name)) or module.wire(ys.IdString(name))
            raise GoldenGateError(
                f"{state.place(wire.get_src_attribute())}: "
                f"'{name if wire.width == 1 else f'{name}[{index}]'}' is {fixed[bit]} by one "
                "assignment and has another driver, expected one driver."
            )
        seen.add(bit)


def run(state: State) -> None:
    """Refuse a design with such a net.

    Raises:
        GoldenGateError: there is one; the message names it and where it is declared.
    """
    for module in state.design.modules_.values():
        _check(state, module)
