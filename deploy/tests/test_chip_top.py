# SPDX-License-Identifier: BSD-3-Clause
"""`top: ChipTop`: a chip without its harness, whose pins are served by their names in Chipyard."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.chipyard_pins import Pin, PinError, around, pins_of

from regression.support.chipyard_soc import SOC, assembled
from regression.support.one_board import simulated

# As firtool writes it: a port without direction has that of the one before it.
CHIP = """\
module ChipTop(
  output        axi4_mem_0_clock,
  input         axi4_mem_0_bits_aw_ready,
  output        axi4_mem_0_bits_aw_valid,
  output [3:0]  axi4_mem_0_bits_aw_bits_id,
  output [31:0] axi4_mem_0_bits_aw_bits_addr,
  output [7:0]  axi4_mem_0_bits_aw_bits_len,
  output [2:0]  axi4_mem_0_bits_aw_bits_size,
  output [1:0]  axi4_mem_0_bits_aw_bits_burst,
  input         axi4_mem_0_bits_w_ready,
  output        axi4_mem_0_bits_w_valid,
  output [63:0] axi4_mem_0_bits_w_bits_data,
  output [7:0]  axi4_mem_0_bits_w_bits_strb,
  output        axi4_mem_0_bits_w_bits_last,
                axi4_mem_0_bits_b_ready,
  input         axi4_mem_0_bits_b_valid,
  input  [3:0]  axi4_mem_0_bits_b_bits_id,
  input  [1:0]  axi4_mem_0_bits_b_bits_resp,
  input         axi4_mem_0_bits_ar_ready,
  output        axi4_mem_0_bits_ar_valid,
  output [3:0]  axi4_mem_0_bits_ar_bits_id,
  output [31:0] axi4_mem_0_bits_ar_bits_addr,
  output [7:0]  axi4_mem_0_bits_ar_bits_len,
  output [2:0]  axi4_mem_0_bits_ar_bits_size,
  output [1:0]  axi4_mem_0_bits_ar_bits_burst,
  output        axi4_mem_0_bits_r_ready,
  input         axi4_mem_0_bits_r_valid,
  input  [3:0]  axi4_mem_0_bits_r_bits_id,
  input  [63:0] axi4_mem_0_bits_r_bits_data,
  input  [1:0]  axi4_mem_0_bits_r_bits_resp,
  input         axi4_mem_0_bits_r_bits_last,
                custom_boot,
                jtag_TCK,
                jtag_TMS,
                jtag_TDI,
  output        jtag_TDO,
  input         reset_io,
                clock_uncore,
  output        clock_tap,
                serial_tl_0_in_ready,
  input         serial_tl_0_in_valid,
  input  [31:0] serial_tl_0_in_bits,
  input         serial_tl_0_out_ready,
  output        serial_tl_0_out_valid,
  output [31:0] serial_tl_0_out_bits,
  input         serial_tl_0_clock_in,
  output        uart_0_txd,
  input         uart_0_rxd
);
  wire asks, writes, done, other;
  wire [31:0] address;
  wire [63:0] data, answer;
  ListCore core (.clock(clock_uncore), .reset(reset_io), .awake(custom_boot),
                 .most_words(32'd4096), .asks, .writes, .address, .data, .done, .answer);
  MemoryPort port (
      .clock(clock_uncore), .reset(reset_io), .asks({asks, 1'b0}), .writes({writes, 1'b0}),
      .address({address, 32'd0}), .data({data, 64'd0}), .strobe(16'hff00), .done({done, other}),
      .answer, .aw_valid(axi4_mem_0_bits_aw_valid), .aw_ready(axi4_mem_0_bits_aw_ready),
      .aw_addr(axi4_mem_0_bits_aw_bits_addr), .w_valid(axi4_mem_0_bits_w_valid),
      .w_ready(axi4_mem_0_bits_w_ready), .w_data(axi4_mem_0_bits_w_bits_data),
      .w_strb(axi4_mem_0_bits_w_bits_strb), .b_valid(axi4_mem_0_bits_b_valid),
      .b_ready(axi4_mem_0_bits_b_ready), .b_resp(axi4_mem_0_bits_b_bits_resp),
      .ar_valid(axi4_mem_0_bits_ar_valid), .ar_ready(axi4_mem_0_bits_ar_ready),
      .ar_addr(axi4_mem_0_bits_ar_bits_addr), .r_valid(axi4_mem_0_bits_r_valid),
      .r_ready(axi4_mem_0_bits_r_ready), .r_data(axi4_mem_0_bits_r_bits_data),
      .r_resp(axi4_mem_0_bits_r_bits_resp)
  );
  assign axi4_mem_0_clock = clock_uncore;
  assign clock_tap = clock_uncore;
  assign axi4_mem_0_bits_aw_bits_id = 4'd0;
  assign axi4_mem_0_bits_aw_bits_len = 8'd0;
  assign axi4_mem_0_bits_aw_bits_size = 3'd3;
  assign axi4_mem_0_bits_aw_bits_burst = 2'd1;
  assign axi4_mem_0_bits_w_bits_last = 1'b1;
  assign axi4_mem_0_bits_ar_bits_id = 4'd0;
  assign axi4_mem_0_bits_ar_bits_len = 8'd0;
  assign axi4_mem_0_bits_ar_bits_size = 3'd3;
  assign axi4_mem_0_bits_ar_bits_burst = 2'd1;

  // It says "A" by its UART, four cycles a bit, once the pins of JTAG are at rest.
  logic [9:0] frame;
  logic [1:0] ticks;
  always_ff @(posedge clock_uncore) begin
    ticks <= ticks + 2'd1;
    if (reset_io) {frame, ticks} <= {1'b1, 8'h41, 1'b0, 2'd0};
    else if (ticks == 2'd3) frame <= {1'b1, frame[9:1]};
  end
  assign uart_0_txd = frame[0] || !jtag_TMS || !serial_tl_0_out_ready;
endmodule
"""
RECIPE = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  clock_hz: 500_000_000
  blades: {mine: {chipyard: generated, top: ChipTop, parameters: {UART_DIV: 4}}}
  node: {blade: mine, memory: {size_mib: 16}}
workload: {nodes: {soc: {elf: list.elf}}}
simulation: {max_cycles: 100_000, threads: 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recipe beside the chip and the files that it takes from the small SoC."""
    collateral = tmp_path / "generated/gen-collateral"
    collateral.mkdir(parents=True)
    for name in ("ListCore.sv", "MemoryPort.sv"):
        shutil.copy(SOC / "gen-collateral" / name, collateral)
    (collateral / "ChipTop.sv").write_text(CHIP)
    (collateral / "filelist.f").write_text("/x/ChipTop.sv\n/x/ListCore.sv\n/x/MemoryPort.sv\n")
    (tmp_path / "soc.yaml").write_text(RECIPE)
    return tmp_path


def test_pins_are_served_by_their_names(folder: Path) -> None:
    assembled(folder, 0)
    plan = resolve(load_file(folder / "soc.yaml"))
    blade = plan.own_blades["mine"]
    assert (blade.top, blade.memory_base) == ("FireSimChipTop", 0x8000_0000)
    said = [line.removeprefix("mine: ") for line in blade.decided]
    assert said[1:5] == [
        "FireSim's parts in place of SimDRAM",
        "pins of ChipTop: clock clock_uncore, serial_tl_0_clock_in; reset reset_io",
        "hart 0 is started by the pin custom_boot; the host looks for tohost in memory",
        "inputs that are held still: jtag_TCK, jtag_TMS, jtag_TDI, serial_tl_0_in_valid, "
        "serial_tl_0_in_bits, serial_tl_0_out_ready",
    ]


def test_a_program_runs_on_a_chip_alone(folder: Path) -> None:
    assembled(folder, 0)
    ends = []
    for engine in ("generated", "verilator"):
        setting = f"simulation.rtl_engine={engine}"
        outcome = simulated(folder, folder / f"by-{engine}", setting, recipe="soc.yaml")
        (node,) = outcome.result["nodes"]
        assert (node["exit_code"], node["message"]) == (0, "passed")
        assert (outcome.folder / "soc/uart.log").read_text() == "Aall good\nok\n"
        ends.append((node["ended_at_cycle"], outcome.result["token_hash"]))
    # Five looks at memory, every 1,024 cycles, and what the core has stored by then.
    assert ends[0] == ends[1] == (5120, ends[0][1])


def test_ports_have_what_stands_before_them() -> None:
    text = "module ChipTop(input clock, output [3:0] a, b, output c, input wire [7:0] d);"
    assert pins_of(text) == [
        Pin("clock", False, 1),
        Pin("a", True, 4),
        Pin("b", True, 4),
        Pin("c", True, 1),
        Pin("d", False, 8),
    ]


def test_a_host_by_tsi_starts_hart_0() -> None:
    ends = "input tsi_in_valid, input [31:0] tsi_in_bits, output tsi_in_ready, "
    ends += "output tsi_out_valid, output [31:0] tsi_out_bits, input tsi_out_ready"
    made = around(f"module ChipTop(input clock, custom_boot, {ends});", 10**9)
    assert "firesim_tsi tsi (.clock(clock), .reset(reset), .in_bits(tsi_in_bits)" in made.verilog
    assert "assign custom_boot = 1'b0;" in made.verilog


def test_errors_no_clock() -> None:
    with pytest.raises(PinError, match="found no input with a clock at ChipTop, expected one such"):
        around("module ChipTop(input a, output b);", 10**9)
