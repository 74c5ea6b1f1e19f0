# SPDX-License-Identifier: BSD-3-Clause
"""Pass `hoist`: bridges anywhere become ports of the top, directions turned."""

from pathlib import Path

from goldengate.tests.designs import lower, refusal, top

NODE = (
    "module Node(input clock, input reset, input [7:0] x, output [7:0] y);\n"
    "  FireSimUARTBridge uart(.clock, .reset, .out_valid(x[0]), .out_bits(x), .in_ready(1'b1),\n"
    "    .out_ready(), .in_valid(), .in_bits(y));\nendmodule\n"
)


def test_two_instances_of_one_module(tmp_path: Path) -> None:
    manifest = lower(
        tmp_path,
        NODE
        + top(
            "wire [7:0] a, b; Node one(.clock, .reset, .x, .y(a));\n"
            "Node two(.clock, .reset, .x(a), .y(b)); assign y = b;"
        ),
    )
    assert [bridge["path"] for bridge in manifest["bridges"]] == ["one.uart", "two.uart"]
    assert manifest["bridges"][1]["ports"]["out_bits"] == "two__uart__out_bits"
    ports = {port["name"]: port for port in manifest["ports"]}
    assert ports["one__uart__out_bits"] == {
        "name": "one__uart__out_bits",
        "width_bits": 8,
        "direction": "out",
    }
    assert ports["one__uart__in_bits"]["direction"] == "in"
    assert len([name for name in ports if "__uart__" in name]) == 12


def test_parameters_set_widths(tmp_path: Path) -> None:
    body = (
        "logic [31:0] rdata; FireSimMemoryBridge #(.ID_BITS(5), .DATA_BITS(32)) memory(\n"
        ".clock, .reset, .aw_valid(0), .aw_id(5'd0), .aw_addr(32'd0), .aw_len(8'd0),\n"
        ".aw_size(3'd0), .aw_burst(2'd0), .w_valid(1'b0), .w_data(32'd0), .w_strb(4'd0),\n"
        ".w_last(1'b0), .b_ready(1'b1), .ar_valid(1'b0), .ar_id(5'd0), .ar_addr(32'd0),\n"
        ".ar_len(8'd0), .ar_size(3'd0), .ar_burst(2'd0), .r_ready(1'b1), .r_data(rdata));\n"
        "assign y = rdata[7:0];"
    ).replace(".aw_valid(0)", ".aw_valid(1'b0)")
    manifest = lower(tmp_path, top(body))
    assert manifest["bridges"][0]["parameters"] == {
        "ID_BITS": 5,
        "ADDRESS_BITS": 32,
        "DATA_BITS": 32,
    }
    widths = {port["name"]: port["width_bits"] for port in manifest["ports"]}
    assert widths["memory__w_strb"] == 4
    assert widths["memory__r_id"] == 5


def test_a_bridge_that_only_listens_stays(tmp_path: Path) -> None:
    body = "FireSimTerminationBridge t(.clock, .reset, .valid(x[0]), .value(32'd3)); assign y = x;"
    assert lower(tmp_path, top(body))["bridges"][0]["kind"] == "termination"


def test_errors_name_clash(tmp_path: Path) -> None:
    body = (
        "logic t__valid; assign t__valid = x[1];\n"
        "FireSimTerminationBridge t(.clock, .reset, .valid(x[0]), .value(32'd3)); "
        "assign y = {7'd0, t__valid};"
    )
    assert refusal(tmp_path, top(body)) == (
        "top.sv:3: port 't__valid' of bridge t would clash with a signal of that name; rename the "
        "bridge instance or the signal."
    )
