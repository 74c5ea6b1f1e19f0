# SPDX-License-Identifier: BSD-3-Clause
"""A user's Verilog that cannot become hardware, each with what to write instead."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.own_blades import MINE

_PORTS = "input clock, input reset, input [7:0] a, output [7:0] y, output t"
_CLOCKED = "reg r; assign t = r; always @(posedge clock) "

_REFUSED = {
    "a process that delays drive": (
        "reg r; always #5 r = ~r;",
        "a process that only delays drive, expected a clock as an input",
    ),
    "a wait inside a process": (
        f"{_CLOCKED} begin @(posedge clock); r <= a[0]; end",
        "a wait inside a process, expected '@' after 'always' only",
    ),
    "a condition that a process waits for": (
        f"{_CLOCKED} begin wait(a[0]); r <= 1; end",
        "'wait', expected a condition under a clock's edge",
    ),
    "a pull": ("tri1 w; assign t = w;", "'tri1', a net with a pull, expected 'wire'"),
    "a charge": (
        "trireg w; assign t = w;",
        "'trireg', a net that keeps its charge, expected a register under a clock",
    ),
    "a wired and of three states": (
        "triand w; assign w = a[0]; assign t = w;",
        "'triand', a wired and, expected 'wire' and '&'",
    ),
    "a switch": ("tran s(t, a[0]);", "'tran', a switch, expected gates or 'assign'"),
    "a gate that lets go": (
        "bufif1 b(t, a[0], a[1]);",
        "a gate that drives its output at times only, expected a multiplexer: '?:'",
    ),
    "a function in C": (
        'import "DPI-C" function int twice(input int x); assign y = twice(a);',
        "a call of a function in C (DPI), expected one in Verilog",
    ),
    "processes side by side": (
        f"{_CLOCKED} fork r <= a[0]; join_none",
        "'fork', expected 'begin' and 'end'",
    ),
    "streams on both sides": (
        "assign {<<4{y}} = {<<{a}};",
        "a streaming concatenation that is no value of a known width here, expected a variable in "
        "between: 'tmp = {<<{a}};' and then '{<<8{o}} = tmp;'",
    ),
    "a forced value": (
        f"{_CLOCKED} force r = a[0];",
        "'force', which is no hardware, expected '=' or '<='",
    ),
    "the time": (
        "assign y = $time;",
        "'$time', which only a simulator knows, expected it inside '`ifndef SYNTHESIS'",
    ),
    "a real number": (
        "real x; always @(posedge clock) x <= 1.5;",
        "'real', a real number, expected an integer",
    ),
    "an initial value of a signal": (
        "wire w = a[0]; reg r; assign t = r; initial r = w;",
        "an initial value that depends on a signal, expected a constant: signals have no value "
        "before cycle 0; assign it under the reset, or from 'always_comb'",
    ),
}

VERILOG_CASES = [
    Case(
        f"Verilog with {name}",
        f"a.sv:2: found {found}.",
        MINE + "{sources: [a.sv], top: A}\n",
        {"a.sv": f"module A({_PORTS});\n{body}\nendmodule\n".encode()},
        verilog=True,
    )
    for name, (body, found) in _REFUSED.items()
]
