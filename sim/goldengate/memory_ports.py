# SPDX-License-Identifier: BSD-3-Clause
"""Ports of memories in a module of Yosys: whose they are, their order, and what a write shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import bit_key
from goldengate.reset_graph import signal
from goldengate.state import public


def memory_of(cell: Any) -> str:
    """Return the name of the memory that a cell is of, as its IdString has it."""
    return str(cell.getParam(public("MEMID")).decode_string())


def port_number(cell: Any) -> int:
    """Return which write port of its memory a cell is: of two at once the higher is the last."""
    return int(cell.getParam(public("PORTID")).as_int())


def _is_never(bit: Any) -> bool:
    return not bit.is_wire() and bit.data == ys.State.S0


def laid_over(
    module: Any,
    name: Callable[[], Any],
    below: Any,
    data: Any,
    enable: Any,
    hit: Callable[[Any], Any],
) -> Any:
    """Return what is below a write with its data over it, where its enable lets it act.

    `enable` has a bit for each of the data's; `hit` returns the signal that says of one of them
    that the write is to the same row, and is asked once for each. `name` makes new names.
    """
    enables = list(enable.to_sigbit_vector())
    values, olds = (list(one.to_sigbit_vector()) for one in (data, below))
    hits: dict[Any, Any] = {}
    found = ys.SigSpec()
    begin = 0
    while begin < len(enables):
        bit, end = enables[begin], begin
        while end < len(enables) and bit_key(enables[end]) == bit_key(bit):
            end += 1
        part = signal(olds[begin:end])
        if not _is_never(bit):
            key = bit_key(bit)
            if key not in hits:
                hits[key] = hit(bit)
            part = module.Mux(name(), part, signal(values[begin:end]), hits[key])
        found.append(part)
        begin = end
    return found
