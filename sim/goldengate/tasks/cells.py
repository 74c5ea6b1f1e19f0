# SPDX-License-Identifier: BSD-3-Clause
"""Calls of system tasks in the netlist: the cells they became, with arguments and texts."""

from __future__ import annotations

import re
from typing import Any

from goldengate.state import State, plain, public
from goldengate.tasks.calls import MARK, Call
from goldengate.tasks.formats import Item, constant, piece

_FORMAT = re.compile(rf"{MARK}(\d+):(.*)", re.DOTALL)
_NUMBER = re.compile(r"\{(\d+):[^}]*?([us])\}")
Pieces = list[dict[str, Any] | str]


def call_of(state: State, cell: Any) -> Call | None:
    """Return the call that a cell comes from; None of another cell."""
    if plain(cell.type) != "$print":
        return None
    found = _FORMAT.fullmatch(str(cell.getParam(public("FORMAT")).decode_string()))
    return state.calls[int(found[1])] if found else None


def path_of(cell: Any) -> str:
    """Return the path of the instance, below the top module, that a cell without a name is in."""
    match = re.match(r"\$flatten\\(.*)\.\$", plain(cell.name))
    return match[1].replace("\\", "") if match else ""


def text_of(state: State, cell: Any, call: Call) -> tuple[Pieces, Any]:
    """Return what a call prints as the manifest has it, and the bits of its arguments."""
    format_ = str(cell.getParam(public("FORMAT")).decode_string())
    passed = [(int(bits), sign == "s") for bits, sign in _NUMBER.findall(format_)]
    bits = cell.getPort(public("ARGS"))
    sizes = [size for size, _ in passed]
    values = []
    for number in range(len(passed) - len(call.loops), len(passed)):
        low = sum(sizes[:number])
        values.append(bits.extract(low, sizes[number]).as_int())
    top = state.request.top
    below = path_of(cell)
    path = f"{top}.{below}" if below else top
    variant = call.variant(path, tuple(values))
    found: Pieces = []
    low = taken = 0
    for each in call.plan(variant):
        if not isinstance(each, Item):
            _add(found, each)
        elif each.argument < 0:
            _add(found, f"{path}.{variant.scope}" if variant.scope else path)
        else:
            argument = variant.arguments[each.argument]
            if (known := constant(argument, each.spec)) is not None:
                _add(found, known)
            elif argument.kind == "time":
                found.append(piece(each.spec, argument, 0, 0, False))
            else:
                width, signed = passed[taken]
                fixed = bits.extract(low, width).is_fully_const()
                found.append(piece(each.spec, argument, low, width, signed, fixed))
                low, taken = low + width, taken + 1
    return found, bits.extract(0, low)


def _add(pieces: Pieces, text: str) -> None:
    """Add a text, to the one before it if there is one."""
    if not text:
        return
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] += text
    else:
        pieces.append(text)
