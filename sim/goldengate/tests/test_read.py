# SPDX-License-Identifier: BSD-3-Clause
"""Pass `read`: what is read, and what is refused with which words."""

from pathlib import Path

import pytest

from goldengate.tests.designs import PORTS, lower, names, refusal, top, verilog

UART = (
    "logic r, v; logic [7:0] b;\n"
    "FireSimUARTBridge uart(.clock, .reset, .out_valid(x[0]), .out_bits(x), .in_ready(1'b1),\n"
    "  .out_ready(r), .in_valid(v), .in_bits(b));\nassign y = b;"
)


def test_systemverilog_structs_and_interfaces(tmp_path: Path) -> None:
    text = (
        "interface Bus; logic [7:0] data; modport source(output data); endinterface\n"
        "module Source(Bus.source bus, input logic [7:0] x); assign bus.data = x; endmodule\n"
        + top(
            "typedef struct packed { logic [3:0] a, b; } pair_t; pair_t p; Bus bus();\n"
            "Source s(.bus(bus), .x); assign p = bus.data; assign y = {p.b, p.a};"
        )
    )
    assert names(lower(tmp_path, text)["ports"]) == ["reset", "y", "x"]


def test_synthesis_is_defined_and_so_is_what_the_caller_defines(tmp_path: Path) -> None:
    body = "`ifdef SYNTHESIS\nassign y = `VALUE;\n`else\nbroken\n`endif"
    lower(tmp_path, top(body), defines={"VALUE": "8'd7"})
    assert "assign y = 8'h07;" in (tmp_path / "out/target.v").read_text()


def test_without_synthesis_what_is_meant_for_simulators_is_read(tmp_path: Path) -> None:
    body = (
        "assign y = x;\n`ifndef SYNTHESIS\nalways @(posedge clock) begin\n"
        '  if (x == 3) begin $error("Assertion failed\\n    at A.scala:3\\n"); $fatal; end\n'
        '  if (x == 5) $fwrite(32\'h80000002, "%c", x);\nend\n`endif'
    )
    for synthesis, messages in ((True, []), (False, ["Assertion failed at A.scala:3", "$fatal"])):
        manifest = lower(tmp_path, top(body), synthesis=synthesis)
        found = [" ".join(one["message"].split()) for one in manifest["asserts"]]
        assert found == messages
        assert len(manifest["prints"]) == (0 if synthesis else 1)


def test_a_design_may_declare_a_bridge_itself(tmp_path: Path) -> None:
    declaration = (
        "module FireSimTerminationBridge(input clock, input reset, input valid,"
        " input [31:0] value);\nendmodule\n"
    )
    body = "FireSimTerminationBridge t(.clock, .reset, .valid(x[0]), .value(32'd0)); assign y = x;"
    manifest = lower(tmp_path, declaration + top(body))
    assert names(manifest["bridges"], "path") == ["t"]


def test_errors_syntax(tmp_path: Path) -> None:
    assert refusal(tmp_path, top("assign y = x +;")) == "top.sv:2: expected expression."


def test_errors_missing_module(tmp_path: Path) -> None:
    text = "module Adder(input a); endmodule\n" + top("Addder u(.a(x[0])); assign y = x;")
    assert refusal(tmp_path, text) == (
        "top.sv:3: module 'Addder' is instantiated here but no source file declares it "
        "(nearest: Adder)."
    )


def test_errors_missing_top(tmp_path: Path) -> None:
    assert refusal(tmp_path, "module Topp(); endmodule\n") == (
        "Top: no source file declares this module (nearest: Topp)."
    )


BODY = "(input clock, input reset, input [7:0] x, output [7:0] y);\nassign y = x;\nendmodule\n"


@pytest.mark.parametrize(
    "begin",
    [
        "/* a */ module Top",
        "module /* a */ Top",
        "module // a\n  Top",
        "module automatic Top",
        "module static Top",
        "macromodule Top",
        "\ufeffmodule Top",
        "`timescale 1ns/1ps module Top",
        "`define NAME Top\nmodule `NAME",
        "`define HEAD module Top\n`HEAD",
        "module Sub(input a); endmodule module Top",
        "package p; endpackage module Top import p::*;",
    ],
)
def test_a_top_is_found_however_it_begins(tmp_path: Path, begin: str) -> None:
    assert sorted(names(lower(tmp_path, begin + BODY)["ports"])) == ["reset", "x", "y"]


def test_a_top_in_an_included_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "top.vh").write_text("module Top" + BODY)
    ports = lower(tmp_path, '`include "top.vh"\n')["ports"]
    assert sorted(names(ports)) == ["reset", "x", "y"]


@pytest.mark.parametrize(
    ("head", "value", "expected"),
    [
        ("#(int W = 8)", {"W": "4"}, "8'h04"),
        ("#(parameter bit [7:0] W = 8)", {"W": "4"}, "8'h04"),
        ('#(parameter W = "MIN")', {"W": "A"}, "8'h41"),
        ('#(parameter W = "MIN")', {"W": '"A"'}, "8'h41"),
        ('#(parameter string S = "MIN", int W = S == "B" ? 7 : 1)', {"S": "B"}, "8'h07"),
    ],
)
def test_parameters(tmp_path: Path, head: str, value: dict[str, str], expected: str) -> None:
    ports = "(input clock, input reset, input [7:0] x, output [7:0] y)"
    lower(tmp_path, f"module Top {head} {ports};\nassign y = W;\nendmodule\n", parameters=value)
    assert f"assign y = {expected};" in verilog(tmp_path)


def test_errors_parameters(tmp_path: Path) -> None:
    text = f"module Top #(int WIDTH = 8, parameter NAME = 1) {BODY}"
    assert refusal(tmp_path, text, parameters={"WITH": "4"}) == (
        "top.sv:1: module Top has no parameter 'WITH' (nearest: WIDTH); its parameters are: NAME, "
        "WIDTH."
    )
    assert refusal(tmp_path, text, parameters={"WIDTH": "FOUR"}) == (
        "parameter 'WIDTH': found FOUR, expected a number; a text has quotes: '\"FOUR\"'."
    )


def test_errors_unknown_bridge(tmp_path: Path) -> None:
    assert refusal(tmp_path, top(UART.replace("FireSimUARTBridge", "FireSimUartBridge"))) == (
        "top.sv:3: unknown bridge 'FireSimUartBridge' (nearest: FireSimUARTBridge)."
    )


def test_errors_unknown_bridge_port(tmp_path: Path) -> None:
    assert refusal(tmp_path, top(UART.replace(".in_bits", ".in_bit"))) == (
        "top.sv:4: port 'in_bit' does not exist in 'FireSimUARTBridge'."
    )


def test_errors_bridge_port_width(tmp_path: Path) -> None:
    assert refusal(tmp_path, top(UART.replace(".out_bits(x)", ".out_bits(x[3:0])"))) == (
        "top.sv:3: implicit conversion of port connection expands from 4 to 8 bits; a port of "
        "FireSimUARTBridge must have exactly the width of its table in "
        "docs/reference/interfaces.md."
    )


def test_errors_declared_bridge_with_other_ports(tmp_path: Path) -> None:
    declaration = (
        "module FireSimTerminationBridge(input clock, input reset, input valid,"
        " input [15:0] value);\nendmodule\n"
    )
    body = "FireSimTerminationBridge t(.clock, .reset, .valid(x[0]), .value(16'd0)); assign y = x;"
    assert refusal(tmp_path, declaration + top(body, PORTS)) == (
        "top.sv:4: port 'value' of bridge t is 16 bits wide; FireSimTerminationBridge has 32."
    )
