# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a supernode: that of a plain form once for each target, around one form.

Each target has registers and streams of its own, so that a driver cannot tell it from a target that
is alone, except for its status. None is said to stand still while the host of one has something to
do. The top has the ports of the plain one, each as wide as those of all targets together,
target 0 lowest; clock and reset are common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goldengate.channels import HOST_CLOCK, HOST_RESET, STEP, node_name
from goldengate.host_pins import Pin

_DECLARED = re.compile(r"(input|output) wire (?:\[(\d+):0\] )?(\w+)")
_COMMON = (HOST_CLOCK, HOST_RESET)
_NODE, _FORM = "side", "form__"
ANY_TURN, _TURN = "any_host_turn", "host_turn"
"""In a side: the host of some target has something to do; output: its own has."""


def side_name(top: str) -> str:
    """Return the module with the host's side of one target."""
    return f"{top}_{_NODE}"


def side_declarations(pins: Iterable[Pin]) -> str:
    """Return the further ports of that module, each after a comma: those to the form."""
    turned = {"input": "output", "output": "input"}
    declared = [
        f",\n  {turned[pin.way]} wire [{pin.width_bits - 1}:0] \\{_FORM}{pin.port} " for pin in pins
    ]
    return "".join([*declared, f",\n  input wire {ANY_TURN}, output wire {_TURN}"])


def side_connections(pins: Iterable[Pin]) -> list[str]:
    """Return what joins these ports and the signals of the side."""
    joined = [
        f"  assign \\{_FORM}{pin.port} = {pin.signal};"
        if pin.way == "input"
        else f"  assign {pin.signal} = \\{_FORM}{pin.port} ;"
        for pin in pins
    ]
    return [*joined, f"  assign {_TURN} = ~running | up_valid;"]


def top_verilog(
    top: str, form: str, threads: int, declarations: str, pins: Sequence[Pin]
) -> list[str]:
    """Return the module around the sides and the form; `declarations` are the ports of a side."""
    ports = [(way, int(high or 0) + 1, name) for way, high, name in _DECLARED.findall(declarations)]
    own = [(way, width, name) for way, width, name in ports if name not in _COMMON]
    declared = [f"  input wire {name}" for name in _COMMON]
    declared += [f"  {way} wire [{width * threads - 1}:0] {name}" for way, width, name in own]
    lines = [f"module \\{top}_host (", ",\n".join(declared), ");", f"  wire {STEP};"]
    lines.append(f"  wire [{threads - 1}:0] {_TURN};")
    common = [f".{name}({name})" for name in _COMMON]
    to_form = [*common, f".{STEP}({STEP})"]
    for thread in range(threads):
        to_side = list(common)
        to_side += [f".{ANY_TURN}(|{_TURN})", f".{_TURN}({_TURN}[{thread}])"]
        to_side += [f".{name}({name}[{width * thread} +: {width}])" for _, width, name in own]
        for pin in pins:
            wire = node_name(thread, pin.port) if pin.port != STEP else STEP
            to_side.append(f".\\{_FORM}{pin.port} (\\{wire} )")
            if pin.port != STEP:
                lines.append(f"  wire [{pin.width_bits - 1}:0] \\{wire} ;")
                to_form.append(f".\\{wire} (\\{wire} )")
        lines += [f"  \\{side_name(top)} {node_name(thread, _NODE)} (", _listed(to_side), "  );"]
    return [*lines, f"  \\{form} form (", _listed(to_form), "  );", "endmodule"]


def _listed(connections: Iterable[str]) -> str:
    return ",\n".join(f"    {one}" for one in connections)
