# SPDX-License-Identifier: BSD-3-Clause
"""Pass `prints`: what the target prints becomes ports, from which the host writes the text.

In: `$print` cells (`$display`, `$write`, `$fwrite`) at the rising edge of the request's clock. Out:
a port `firesim_prints` with a 1 for each one that prints at the end of this cycle, and for each one
with arguments a port `firesim_print_<i>` of these. Prints in combinational and initial blocks or on
other clocks are left to the pass `instrument`, which removes them.
"""

from __future__ import annotations

import re
from typing import Any

from pyosys import libyosys as ys

from goldengate.errors import GoldenGateError
from goldengate.state import Print, State, plain, public

PRINTS_PORT = "firesim_prints"
_ITEM = re.compile(
    r"\{(?P<bits>\d+):(?P<justify>[<>=])(?P<pad>.)(?P<width>\d*)(?P<base>[bodhHctr])"
    r"(?P<sign>[+ -]?)(?P<show>#?)(?P<group>_?)(?P<signed>[us]?)\}",
    re.DOTALL,
)
_TIME = ("t", "r")


def _literal(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def pieces(text: str, place: str) -> list[dict[str, Any] | str]:
    """Return a Yosys format string as literal texts and arguments, lowest bits first.

    Raises:
        GoldenGateError: an argument is printed in a way that is not supported.
    """
    found: list[dict[str, Any] | str] = []
    position = low = 0
    for match in re.finditer(r"\{\{|\}\}|\{[^{}][^}]*\}", text, re.DOTALL):
        if match[0] in ("{{", "}}"):
            continue
        item = _ITEM.fullmatch(match[0])
        if item is None or item["show"] or item["group"]:
            raise GoldenGateError(
                f"{place}: found an argument printed as '{match[0]}', expected %d, %h, %o, %b, %c, "
                "%s or %t."
            )
        if match.start() > position:
            found.append(_literal(text[position : match.start()]))
        position = match.end()
        bits = 0 if item["base"] in _TIME else int(item["bits"])
        found.append(
            {
                "low_bit": low,
                "width_bits": bits,
                "base": "t" if item["base"] in _TIME else item["base"],
                "signed": item["signed"] == "s",
                "plus": item["sign"] if item["sign"] in ("+", " ") else "",
                "justify": item["justify"],
                "pad": item["pad"],
                "least_width": int(item["width"] or 0),
            }
        )
        low += bits
    if position < len(text):
        found.append(_literal(text[position:]))
    return found


def _on_the_clock(state: State, cell: Any) -> bool:
    if not cell.getParam(public("TRG_ENABLE")).as_bool():
        return False
    if cell.getParam(public("TRG_WIDTH")).as_int() != 1:
        return False
    clock = ys.SigSpec(state.module.wire(public(state.request.clock)))
    rising = cell.getParam(public("TRG_POLARITY")).as_bool()
    return bool(rising and cell.getPort(public("TRG")) == clock)


def _cells(state: State) -> list[Any]:
    """Return the cells in the order in which they print in one cycle."""
    found = [
        cell
        for cell in state.module.cells_.values()
        if plain(cell.type) == "$print" and _on_the_clock(state, cell)
    ]

    def order(cell: Any) -> tuple[str, int, int, str]:
        file, _, line = state.place(cell.get_src_attribute()).rpartition(":")
        priority = cell.getParam(public("PRIORITY")).as_int(True)
        return file, int(line) if line.isdigit() else 0, -priority, plain(cell.name)

    return sorted(found, key=order)


def run(state: State) -> None:
    """Fill `state.prints`."""
    cells = _cells(state)
    if not cells:
        return
    module, enables = state.module, ys.SigSpec()
    for bit, cell in enumerate(cells):
        source = state.place(cell.get_src_attribute())
        text = str(cell.getParam(public("FORMAT")).decode_string())
        arguments = cell.getPort(public("ARGS"))
        port = f"firesim_print_{bit}" if arguments.size() else None
        if port is not None:
            module.connect(ys.SigSpec(state.add_output(port, arguments.size())), arguments)
        enables.append(cell.getPort(public("EN")))
        state.prints.append(Print(bit, port, pieces(text, source), source))
        module.remove(cell)
    module.connect(ys.SigSpec(state.add_output(PRINTS_PORT, len(cells))), enables)
    state.prints_port = PRINTS_PORT
    module.fixup_ports()
