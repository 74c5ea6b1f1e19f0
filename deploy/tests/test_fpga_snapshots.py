# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of the engine fpga, on a simulated F2: taken there and continued in rtl, and back.

The state of one on a U200 is larger than any queue on the way to a board. What a
bitstream without a scan chain is asked for is refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from firesim_common.errors import InputError

from regression.support.one_board import FPGA, left, made_board, simulated, write_recipe
from regression.support.simulated_boards import started

BLADE = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic [15:0] sums [0:31], last;
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (!reset) sums[count[6:2]] <= last + count[15:0];
    last <= sums[count[4:0] ^ 5'd9];
    if (count[9:0] == 77) $display("sum %h", last);
    eights: cover (last[2:0] == 0);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {4'd0, last[3:0]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 6000), .value(32'h5555));
endmodule
"""
HOARDER = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic [63:0] hoard [0:255];
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    hoard[0] <= reset ? 64'd1 : {hoard[255][62:0], hoard[255][63]} + {32'd0, count};
    for (int i = 1; i < 256; i++) hoard[i] <= reset ? 64'd0 : hoard[i - 1];
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[7:0] == 3 && ready), .out_bits(hoard[count[13:8]][7:0]),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
"""256 registers of 64 bits."""
HOARDER_BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: u200, scan_chain: true}
"""
BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: f2, scan_chain: true}
  plain: {verilog: {sources: [teller.sv], top: Teller}, board: f2}
"""
ENGINES = {"fpga": "rtl", "rtl": "fpga"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the recipes and two simulated boards, of which one has no chain."""
    folder = tmp_path_factory.mktemp("scan")
    write_recipe(folder, BLADE, BUILDS)
    with ExitStack() as boards:
        for name, farm in (("mine", "farm.yaml"), ("plain", "plain.yaml")):
            device = folder / f"{name}.socket"
            boards.enter_context(started(made_board(folder, name, device, farm), device))
        yield folder


def test_a_snapshot_goes_on_in_the_other_engine(folder: Path, tmp_path: Path) -> None:
    cycles = sorted(random.Random(1).sample(range(16, 6000), 2))
    asked = f"simulation.snapshots.at_cycles={cycles}"
    whole = simulated(folder, tmp_path / "whole")
    assert whole.exit_status == 0
    said = (whole.folder / "soc/uart.log").read_bytes()
    assert len(said) == 12
    for engine, other in ENGINES.items():
        saved = simulated(folder, tmp_path / engine, f"simulation.engine={engine}", asked)
        assert left(saved) == left(whole), engine
        for cycle in cycles:
            again = simulated(folder, tmp_path / f"{engine}-{cycle}", f"simulation.engine={other}",
                              start=saved.folder / f"snapshots/cycle-{cycle}")  # fmt: skip
            assert left(again, ()) == left(whole, ()), f"{engine} to {other} at {cycle}"
            assert again.result["token_hash"] == whole.result["token_hash"]
            text = (again.folder / "soc/uart.log").read_bytes()
            assert said.endswith(text) and text


def test_a_bitstream_without_a_chain_is_refused(folder: Path, tmp_path: Path) -> None:
    other = ("simulation.fpga.entries={teller: plain}",
             f"placement.run_farm={folder}/plain.yaml")  # fmt: skip
    asked = "simulation.snapshots.at_cycles=[100]"
    outcome = simulated(folder, tmp_path / "saving", FPGA, asked, *other)
    assert outcome.exit_status != 0
    assert "this board cannot save its state: its form has no scan chain" in str(outcome.message)
    saved = simulated(folder, tmp_path / "saved", asked)
    with pytest.raises(InputError) as refused:
        simulated(folder, tmp_path / "again", FPGA, *other,
                  start=saved.folder / "snapshots/cycle-100")  # fmt: skip
    assert str(refused.value) == (
        '--from: found the engine fpga for "soc", whose bitstream has no scan chain, expected a '
        "build with scan_chain: true."
    )


def test_a_state_larger_than_any_queue_goes_both_ways(tmp_path: Path) -> None:
    write_recipe(tmp_path, HOARDER, HOARDER_BUILDS)
    device = tmp_path / "u200.socket"
    made = made_board(tmp_path, "mine", device)
    asked = "simulation.snapshots.at_cycles=[1500]"
    whole = simulated(tmp_path, tmp_path / "whole")
    said = (whole.folder / "soc/uart.log").read_bytes()
    assert whole.exit_status == 0 and len(said) == 12 and len(set(said)) > 6
    with started(made, device):
        for engine, other in ENGINES.items():
            saved = simulated(tmp_path, tmp_path / engine, f"simulation.engine={engine}", asked)
            assert left(saved, ("uart.log",)) == left(whole, ("uart.log",)), saved.message
            again = simulated(tmp_path, tmp_path / f"from-{engine}", f"simulation.engine={other}",
                              start=saved.folder / "snapshots/cycle-1500")  # fmt: skip
            assert left(again, ()) == left(whole, ()), again.message
            assert said.endswith((again.folder / "soc/uart.log").read_bytes())
