# SPDX-License-Identifier: BSD-3-Clause
"""Part of pass `elaborate`: calls in instances that the reader has put into the top module.

In: the flat module of a design with names across instances, in which each call has a wire of its
own as last argument, whose name tells where the call is. Out: such cells named as if the module had
been made flat here, `$flatten\\a.\\b.$...`, without that argument.
"""

from __future__ import annotations

import re
from typing import Any

from pyosys import libyosys as ys

from goldengate.state import State, plain, public
from goldengate.tasks.calls import HERE
from goldengate.tasks.cells import call_of

_LAST = re.compile(r"\{1:[^}]*\}$")


def _instance(state: State, wire: str) -> str:
    """Return the path, below the top, of the innermost instance in which a wire is."""
    path = f"{state.request.top}.{wire}"
    while path not in state.instances:
        path, dot, _ = path.rpartition(".")
        if not dot:
            return ""
    return path.partition(".")[2]


def _name(module: Any, cell: Any, path: str) -> None:
    """Name a cell by the path of its instance."""
    if path:
        inside = "".join(f"\\{part}." for part in path.split("."))
        module.rename(cell, ys.IdString(f"$flatten{inside}{plain(cell.name)}"))


def run(state: State) -> None:
    """Take the wire that shows the instance from each call, and name its cell by that."""
    for cell in list(state.module.cells_.values()):
        call = call_of(state, cell)
        if call is None or not call.shows_instance:
            continue
        arguments, size = cell.getPort(public("ARGS")), cell.getPort(public("ARGS")).size() - 1
        shown = arguments.extract(size, 1).as_bit()
        assert shown.is_wire() and plain(shown.wire.name).endswith(f".{HERE}")
        cell.setPort(public("ARGS"), arguments.extract(0, size))
        cell.setParam(public("ARGS_WIDTH"), ys.Const(size, 32))
        format_ = str(cell.getParam(public("FORMAT")).decode_string())
        cell.setParam(public("FORMAT"), ys.Const(_LAST.sub("", format_)))
        _name(state.module, cell, _instance(state, plain(shown.wire.name)))
