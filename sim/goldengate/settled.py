# SPDX-License-Identifier: BSD-3-Clause
"""An assert that what is computed in rounds has settled, and how its signals are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyosys import libyosys as ys

from goldengate.state import public

MESSAGE = "firesim_message"
"""Attribute of an assert that has a text of its own."""
_MOST_NAMES = 4


def listed(names: Sequence[str]) -> str:
    """Return some names as a text, the first few of many."""
    text = ", ".join(f"'{name}'" for name in names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        text += f" and {len(names) - _MOST_NAMES} more"
    return text or "what has no name"


def add_check(module: Any, name: Any, same: Any, source: str, message: str) -> None:
    """Add an assert that `same` is 1 in every cycle; it says `message`."""
    cell = module.addCell(name, ys.IdString("$check"))
    cell.setParam(public("FLAVOR"), ys.Const("assert"))
    cell.setParam(public("FORMAT"), ys.Const(""))
    for parameter in ("PRIORITY", "TRG_WIDTH", "ARGS_WIDTH"):
        cell.setParam(public(parameter), ys.Const(0, 32))
    cell.setParam(public("TRG_POLARITY"), ys.Const(0, 0))
    cell.setParam(public("TRG_ENABLE"), ys.Const(0, 1))
    for port in ("TRG", "ARGS"):
        cell.setPort(public(port), ys.SigSpec())
    cell.setPort(public("A"), same)
    cell.setPort(public("EN"), ys.SigSpec(ys.Const(1, 1)))
    cell.set_src_attribute(source)
    cell.set_string_attribute(public(MESSAGE), message)
