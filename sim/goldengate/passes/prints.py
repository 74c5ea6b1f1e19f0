# SPDX-License-Identifier: BSD-3-Clause
"""Pass `prints`: what the target prints becomes ports, from which the host writes the text.

In: calls of `$display` and the like (pass `rewrite`) at the rising edge of the request's clock.
Out: a port `firesim_prints` with a 1 for each one that prints at the end of this cycle, and for
each one with arguments a port `firesim_print_<i>` of these. Calls on other clocks and in
combinational processes are left out, with a warning.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.state import Print, State, plain, public
from goldengate.tasks.calls import PRINT, Call
from goldengate.tasks.cells import call_of, text_of

PRINTS_PORT = "firesim_prints"


def _on_the_clock(state: State, cell: Any) -> bool:
    if not cell.getParam(public("TRG_ENABLE")).as_bool():
        return False
    if cell.getParam(public("TRG_WIDTH")).as_int() != 1:
        return False
    clock = ys.SigSpec(state.module.wire(public(state.request.clock)))
    rising = cell.getParam(public("TRG_POLARITY")).as_bool()
    return bool(rising and cell.getPort(public("TRG")) == clock)


def _cells(state: State) -> list[tuple[Any, Call]]:
    """Return the cells in the order in which they print in one cycle."""
    found, left = [], []
    for cell in list(state.module.cells_.values()):
        call = call_of(state, cell)
        if call is None and plain(cell.type) == "$print":
            left.append(state.place(cell.get_src_attribute()))
        if call is None or call.kind != PRINT:
            continue
        if _on_the_clock(state, cell):
            found.append((cell, call))
        else:
            left.append(call.place)
    if left:
        state.warnings.append(
            f"{', '.join(dict.fromkeys(left))}: prints at no rising edge of "
            f"'{state.request.clock}' are left out."
        )

    def order(one: tuple[Any, Call]) -> tuple[str, int, int, str]:
        cell, call = one
        file, _, line = call.place.rpartition(":")
        priority = cell.getParam(public("PRIORITY")).as_int(True)
        return file, int(line) if line.isdigit() else 0, -priority, plain(cell.name)

    return sorted(found, key=order)


def run(state: State) -> None:
    """Fill `state.prints`."""
    cells = _cells(state)
    if not cells:
        return
    module, enables = state.module, ys.SigSpec()
    for bit, (cell, call) in enumerate(cells):
        pieces, arguments = text_of(state, cell, call)
        port = f"firesim_print_{bit}" if arguments.size() else None
        if port is not None:
            module.connect(ys.SigSpec(state.add_output(port, arguments.size())), arguments)
        enables.append(cell.getPort(public("EN")))
        state.prints.append(Print(bit, port, pieces, call.place))
        module.remove(cell)
    module.connect(ys.SigSpec(state.add_output(PRINTS_PORT, len(cells))), enables)
    state.prints_port = PRINTS_PORT
    module.fixup_ports()
