# SPDX-License-Identifier: BSD-3-Clause
"""A supernode on a simulated F2: both nodes are as each is alone, also when one of them has ended.

What does not go with a supernode is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.forms import check_board
from firesim.config.bitstream import LoadedBuilds
from firesim.results.outcome import Outcome
from firesim_common.errors import InputError

from regression.support.one_board import FILES, FPGA, simulated
from regression.support.simulated_boards import board_farm, boards

NODES = ("one", "two")
BLADE = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic [63:0] heard;
  logic [47:0] mac;
  logic ready, in_valid, in_last, first;
  logic [63:0] in_data;
  wire [7:0] own = mac[47:40];  // 2 and 3
  wire send = count[5:0] == own[5:0], last = count[8:6] == 0;
  always_ff @(posedge clock) begin
    first <= reset || (send ? last : first);
    count <= reset ? 0 : count + 1;
    heard <= reset ? 0 : in_valid ? heard * 3 + in_data + {63'd0, in_last} : heard;
    if (count[9:0] == 77) $display("count %0d, heard %h", count, heard);
    odd: cover (heard[0]);
  end
  FireSimNICBridge nic (
    .clock, .reset, .out_valid(send), .out_last(last),
    .out_data(first ? 64'hffff_ffff_ffff_0000 : {32'd0, count}), .in_valid, .in_data, .in_last,
    .mac_address(mac), .rate_increment(), .rate_period()
  );
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {3'd0, heard[4:0]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (
    .clock, .reset, .valid(count == 32'd4000 * own - 32'd2000), .value(32'h5555)
  );
endmodule
"""
BUILDS = """\
builds:
  pair: {verilog: {sources: [teller.sv], top: Teller}, board: f2, blades: 2, supernode: true}
  one: {verilog: {sources: [teller.sv], top: Teller}, board: f2, supernode: true}
  scanned: {verilog: {sources: [teller.sv], top: Teller}, board: f2, blades: 2, supernode: true,
            scan_chain: true}
"""
RECIPE = """\
name: pair
system:
  topology: {tree: {tor0: [one, two]}}
  link: {latency_cycles: 500}
  blades: {teller: {sources: [teller.sv], top: Teller}}
  node: {blade: teller}
placement: {run_farm: farm.yaml}
simulation:
  fpga: {hwdb: hwdb.yaml, entries: {teller: pair}}
  autocounter: {enabled: true, interval_cycles: 1000}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the recipes and a simulated board."""
    folder = tmp_path_factory.mktemp("supernode")
    (folder / "teller.sv").write_text(BLADE)
    (folder / "builds.yaml").write_text(BUILDS)
    (folder / "recipe.yaml").write_text(RECIPE)
    device = str(folder / "pair.socket")
    (folder / "farm.yaml").write_text(board_farm(folder, "f2", device))
    with boards(folder / "builds.yaml", {device: "pair"}, folder / "hwdb.yaml"):
        yield folder


def _run(folder: Path, results: Path, *overrides: str) -> Outcome:
    return simulated(folder, results, *overrides, recipe="recipe.yaml")


def _left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine."""
    ends = [(node["ended_at_cycle"], node["exit_code"]) for node in outcome.result["nodes"]]
    files = {
        f"{node}/{name}": (outcome.folder / node / name).read_bytes()
        for node in NODES
        for name in FILES
    }
    return {"hash": outcome.result["token_hash"], "ends": ends, **files}


def test_a_node_goes_on_when_the_other_has_ended(folder: Path, tmp_path: Path) -> None:
    rtl = _run(folder, tmp_path / "rtl")
    fpga = _run(folder, tmp_path / "fpga", FPGA)
    expected = _left(rtl)
    first, second = (cycle for cycle, _ in expected["ends"])
    assert second - first == 4000
    assert _left(fpga) == expected


@pytest.mark.parametrize(
    ("override", "refusal"),
    [
        ("simulation.threads=1", "-x simulation.threads=1: simulation.threads: found 1, expected 2 "
         "at least (or 0), one for each node of a supernode."),
        ("simulation.engines={one: rtl}", "recipe.yaml:9: simulation.fpga.entries.teller: found 1 "
         "of 2 nodes on FPGA 0 of local0 with the bitstream \"pair\", expected all: it is a "
         "supernode, whose blades take their cycles together."),
    ],
)  # fmt: skip
def test_a_run_that_a_supernode_cannot_have_is_refused(
    folder: Path, tmp_path: Path, override: str, refusal: str
) -> None:
    with pytest.raises(InputError) as found:
        _run(folder, tmp_path / "refused", FPGA, override)
    assert refusal in str(found.value)


@pytest.mark.parametrize(
    ("build", "refusal"),
    [
        ("one", "builds.one.supernode: found it with one blade, expected blades: 2 at least."),
        (
            "scanned",
            "builds.scanned.supernode: it cannot be combined with scan_chain: the state "
            "of such a form is not that of a CPU model. Remove one.",
        ),
    ],
)
def test_a_build_that_a_supernode_cannot_be_is_refused(
    folder: Path, build: str, refusal: str
) -> None:
    with pytest.raises(InputError) as found:
        check_board(LoadedBuilds(folder / "builds.yaml"), build)
    assert refusal in str(found.value)
