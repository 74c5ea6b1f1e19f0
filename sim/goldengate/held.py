# SPDX-License-Identifier: BSD-3-Clause
"""Registers that hold what a user's registers have before something acts within the cycle.

The user's wire is then computed in each cycle; what is kept between cycles has the name of that
wire and a suffix, so that a peek or a poke of the user's name finds it.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.drivers import bit_key
from goldengate.engine.rtlil import BEFORE_EDGES, BEFORE_RESETS, SUFFIX
from goldengate.state import plain, public

__all__ = ["BEFORE_EDGES", "BEFORE_RESETS", "add", "first"]


def add(module: Any, cell: Any, suffix: str) -> Any:
    """Add wires that are to hold the output of a register, with its first value; return them.

    The user's wires lose their first value: they are no registers any more.
    """
    bits = list(cell.getPort(public("Q")).to_sigbit_vector())
    found = ys.SigSpec()
    while bits:
        wire, low = bits[0].wire, bits[0].offset
        size = 1
        while size < len(bits) and bit_key(bits[size]) == (plain(wire.name), low + size):
            size += 1
        own = plain(wire.name)
        ending = suffix + (f"_{low}" if size < wire.width else "")
        name = f"{own}{ending}"
        made = module.addWire(ys.IdString(name) if own.startswith("$") else public(name), size)
        made.attributes = {public("init"): _taken(wire, low, size)}
        made.set_string_attribute(public(SUFFIX), ending)
        found.append(ys.SigSpec(made))
        bits = bits[size:]
    return found


def first(bits: Any) -> Any:
    """Return the first value of the bits of registers, 0 where none is said."""
    found = []
    for bit in bits.to_sigbit_vector():
        known = dict(bit.wire.attributes).get(public("init"))
        text = known.as_string()[::-1] if known is not None else ""
        found.append("1" if text[bit.offset : bit.offset + 1] == "1" else "0")
    return ys.Const.from_string("".join(reversed(found)))


def _taken(wire: Any, low: int, size: int) -> Any:
    """Take the first value of some bits away from a wire; return it."""
    attributes, name = dict(wire.attributes), public("init")
    known = attributes.get(name)
    text = known.as_string()[::-1] if known is not None else ""
    text = text.ljust(wire.width, "x")
    left = f"{text[:low]}{'x' * size}{text[low + size :]}"
    attributes.pop(name, None)
    if left.strip("x"):
        attributes[name] = ys.Const.from_string(left[::-1])
    wire.attributes = attributes
    return ys.Const.from_string(text[low : low + size][::-1].replace("x", "0"))
