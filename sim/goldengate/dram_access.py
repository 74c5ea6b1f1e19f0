# SPDX-License-Identifier: BSD-3-Clause
"""The text by which a host reaches the DRAM of its parts: between them and the ports of the top.

`firesim_dram_access.v` stands at each port. Three control registers choose one, its rows and what
becomes of them; the words are those of both streams, while the target stands.
"""

from __future__ import annotations

from collections.abc import Sequence

PART = "firesim_dram_access.v"
OPERATION, ROW, ROWS = 0x60, 0x64, 0x68
"""Addresses of the registers, as sim/hostlib/registers.h has them."""
PORT = {
    "request_valid": ("output", 1), "request_ready": ("input", 1), "request_write": ("output", 1),
    "request_address": ("output", 40), "request_data": ("output", 64),
    "request_strobe": ("output", 8), "response_valid": ("input", 1), "response_data": ("input", 64),
}  # fmt: skip
"""What a part asks of its DRAM, as the part sees it."""
TOP_PORT = {**PORT, "request_row": ("output", 1)}
"""What the top asks of it: also to write a word into all places of a row."""


def port_declarations(ports: Sequence[int]) -> str:
    """Return the further ports of the top, each after a comma."""
    lines = [
        f",\n  {way} wire [{width - 1}:0] mem{port}_{name}"
        for port in ports
        for name, (way, width) in TOP_PORT.items()
    ]
    return "".join(lines)


def stream_names(count: int) -> list[str]:
    """Return the streams of commands and rows: those of the host, but while it accesses."""
    bits = f"[{count - 1}:0]"
    return [
        f"  wire {bits} dram_accessing, dram_down_ready, dram_up_valid;",
        f"  wire [{64 * count - 1}:0] dram_up_data;",
        "  wire accessing = |dram_accessing;",
        "  wire commands_ready, rows_valid;",
        "  wire commands_valid = down_valid & ~accessing, rows_ready = up_ready & ~accessing;",
        "  wire [63:0] rows_data;",
        "  reg [63:0] dram_word;",
        "  integer dram_index;",
        "  always @* begin",
        "    dram_word = 64'd0;",
        f"    for (dram_index = 0; dram_index < {count}; dram_index = dram_index + 1)",
        "      if (dram_accessing[dram_index])",
        "        dram_word = dram_word | dram_up_data[64*dram_index +: 64];",
        "  end",
        "  assign down_ready = accessing ? |dram_down_ready : commands_ready;",
        "  assign up_valid = accessing ? |dram_up_valid : rows_valid;",
        "  assign up_data = accessing ? dram_word : rows_data;",
        "  wire scan_load, scan_row_load;",
        "  wire [31:0] scan_words = 32'd0;",
    ]


def instances(ports: Sequence[int]) -> list[str]:
    """Return what stands between the parts, whose wires are part_mem<N>, and the top's ports."""
    lines = ["  wire dram_write = axil_awvalid & axil_awready;"] if ports else []
    for index, port in enumerate(ports):
        lines += [
            f"  wire [{width - 1}:0] part_mem{port}_{name};" for name, (_, width) in PORT.items()
        ]
        given = [f".part_{name}(part_mem{port}_{name})" for name in PORT]
        given += [f".mem_{name}(mem{port}_{name})" for name in TOP_PORT]
        chosen = f"dram_write & axil_awaddr == 8'h{OPERATION:02x} & axil_wdata[15:8] == 8'd{port}"
        lines += [
            f"  firesim_dram_access dram_access_{port} (",
            "    .host_clock(host_clock), .host_reset(host_reset), .running(running),",
            f"    .start({chosen}),",
            f"    .row_load(dram_write & axil_awaddr == 8'h{ROW:02x}),",
            f"    .rows_load(dram_write & axil_awaddr == 8'h{ROWS:02x}), .value(axil_wdata),",
            f"    .down_valid(down_valid), .down_ready(dram_down_ready[{index}]),",
            f"    .down_data(down_data), .up_valid(dram_up_valid[{index}]), .up_ready(up_ready),",
            f"    .up_data(dram_up_data[{64 * index} +: 64]), .accessing(dram_accessing[{index}]),",
            *(f"    {one}," for one in given[:-1]),
            f"    {given[-1]});",
        ]
    return lines
