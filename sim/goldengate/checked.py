# SPDX-License-Identifier: BSD-3-Clause
"""Yosys' `check` of the flat design, in time and memory that grow with its text.

To find loops, `check` draws an edge from every input bit of a wide cell to every bit of its output:
the product of two widths, millions for a selection out of a large vector. While it runs, such a
cell has a net of one bit between the two, which has an edge for each bit: their sum. What depends
on what is the same.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.state import State, plain, public

_WIDE = frozenset(
    f"${kind}" for kind in "add sub mul shl shr sshl sshr shift shiftx pmux bmux".split()
)
"""Kinds of cells of which `check` draws all edges, or does from `_MOST_EDGES` on."""
_MOST_EDGES = 1024
_INPUTS, _OUTPUT = ("A", "B", "S"), public("Y")
_READER = "firesim_reader_of_"
"""Of a kind: a black box that has the inputs alone."""


def _inputs(cell: Any) -> Any:
    found = ys.SigSpec()
    for port in map(public, _INPUTS):
        if cell.hasPort(port):
            found.append(cell.getPort(port))
    return found


def _is_wide(cell: Any) -> bool:
    if plain(cell.type) not in _WIDE:
        return False
    edges: int = _inputs(cell).size() * cell.getPort(_OUTPUT).size()
    return edges >= _MOST_EDGES


class _Narrow:
    """The flat module while its wide cells have a net between their inputs and their output."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.module = state.module
        self._outputs: list[tuple[Any, Any]] = []
        self._added: list[Any] = []
        self._nets = ys.WirePtrPool()

    def __enter__(self) -> None:
        for kind in _WIDE:
            box = self.state.design.addModule(public(_READER + kind[1:]))
            box.set_bool_attribute(public("blackbox"), True)
            for name in _INPUTS:
                box.addWire(public(name), 1).port_input = True
            box.fixup_ports()
        for cell in [one for one in self.module.cells_.values() if _is_wide(one)]:
            self._part(cell)

    def _part(self, cell: Any) -> None:
        name, output = f"$firesim$check${len(self._outputs)}$", cell.getPort(_OUTPUT)
        wire = self.module.addWire(ys.IdString(f"{name}net"), 1)
        self._nets.add(wire)
        net, source = ys.SigSpec(wire), cell.get_src_attribute()
        reads, none = ys.IdString(f"{name}reads"), ys.SigSpec(ys.Const(0, output.size()))
        self._added.append(self.module.addReduceOr(reads, _inputs(cell), net, False, source))
        drives = ys.IdString(f"{name}drives")
        self._added.append(self.module.addMux(drives, none, none, net, output, source))
        self._outputs.append((cell, output))
        cell.unsetPort(_OUTPUT)
        cell.type = public(_READER + plain(cell.type)[1:])

    def __exit__(self, *_: object) -> None:
        for cell in reversed(self._added):
            self.module.remove(cell)
        for cell, output in self._outputs:
            cell.type = ys.IdString("$" + plain(cell.type).removeprefix(_READER))
            cell.setPort(_OUTPUT, output)
        self.module.remove(self._nets)
        for kind in _WIDE:
            self.state.design.remove(self.state.design.module(public(_READER + kind[1:])))


def check(state: State, name: str, options: str = "") -> str:
    """Run Yosys' check; return its log, which is the file `name` of the output folder, too."""
    log = state.out / name
    with _Narrow(state):
        state.run(f"tee -q -o {log} check {options}")
    return log.read_text()
