# SPDX-License-Identifier: BSD-3-Clause
"""A small SoC in Chipyard's form, simulated behind the parts that take the place of its harness's.

Its core plays a list of words to the host by TSI, a word at a time: what is checked here is what
reaches the host, and in which cycle. Engines, threads and snapshots are those of the experiment
`chipyard`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regression.support.chipyard_soc import END_CYCLE, PRINTED, assembled, small_recipe
from regression.support.one_board import simulated

# What a simulator has in C: Chipyard's folders have it, and a blade must not.
C_MODEL = """\
import "DPI-C" function int tsi_tick(input int chip);
module SimTSI #(parameter CHIPID = 0) (input clock);
  always @(posedge clock) tsi_tick(CHIPID);
endmodule
"""


INNER_MEMORY = """\
module InnerMemory #(
    parameter ADDR_BITS = 32, DATA_BITS = 64, ID_BITS = 4, LINE_SIZE = 64, MEM_BASE = 0,
    parameter MEM_SIZE = 0
) (
    input clock, input reset,
    output axi_aw_ready, input axi_aw_valid, input [31:0] axi_aw_bits_addr,
    input [7:0] axi_aw_bits_len, input [2:0] axi_aw_bits_size, input [1:0] axi_aw_bits_burst,
    input axi_aw_bits_lock, input [3:0] axi_aw_bits_cache, input [2:0] axi_aw_bits_prot,
    input [3:0] axi_aw_bits_qos, input [3:0] axi_aw_bits_id,
    output axi_w_ready, input axi_w_valid, input [63:0] axi_w_bits_data, input axi_w_bits_last,
    input [7:0] axi_w_bits_strb,
    input axi_b_ready, output axi_b_valid, output [1:0] axi_b_bits_resp, output [3:0] axi_b_bits_id,
    output axi_ar_ready, input axi_ar_valid, input [31:0] axi_ar_bits_addr,
    input [7:0] axi_ar_bits_len, input [2:0] axi_ar_bits_size, input [1:0] axi_ar_bits_burst,
    input axi_ar_bits_lock, input [3:0] axi_ar_bits_cache, input [2:0] axi_ar_bits_prot,
    input [3:0] axi_ar_bits_qos, input [3:0] axi_ar_bits_id,
    input axi_r_ready, output axi_r_valid, output [1:0] axi_r_bits_resp,
    output [63:0] axi_r_bits_data, output axi_r_bits_last, output [3:0] axi_r_bits_id
);
  logic [63:0] words[0:1023], answer;
  logic read, wrote;
  assign axi_aw_ready = axi_aw_valid && axi_w_valid && !wrote;
  assign axi_w_ready = axi_aw_ready;
  assign axi_ar_ready = axi_ar_valid && !read;
  assign axi_b_valid = wrote;
  assign axi_r_valid = read;
  assign axi_r_bits_data = answer;
  assign {axi_b_bits_resp, axi_r_bits_resp, axi_b_bits_id, axi_r_bits_id} = 0;
  assign axi_r_bits_last = 1'b1;
  always_ff @(posedge clock) begin
    if (reset) {read, wrote} <= 2'd0;
    else begin
      wrote <= axi_aw_ready || (wrote && !axi_b_ready);
      read  <= axi_ar_ready || (read && !axi_r_ready);
    end
    if (axi_ar_ready) answer <= words[axi_ar_bits_addr[12:3]];
    for (int i = 0; i < 8; i++)
      if (axi_aw_ready && axi_w_bits_strb[i])
        words[axi_aw_bits_addr[12:3]][8*i+:8] <= axi_w_bits_data[8*i+:8];
  end
endmodule
"""
"""8 KiB, in place of SimDRAM."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recipe beside a generated-src/NAME with the SoC, and the models in C of a real one."""
    small_recipe(tmp_path)
    collateral = tmp_path / "generated" / "gen-collateral"
    (collateral / "SimTSI.v").write_text(C_MODEL)
    with (collateral / "filelist.f").open("a") as names:
        names.write("/far/away/SimTSI.v\n")
    return tmp_path


def ended(folder: Path, name: str, *settings: str) -> list[Any]:
    """Run; return of each node its last cycle, exit code, message and console."""
    outcome = simulated(folder, folder / name, *settings, recipe="soc.yaml")
    return [
        (
            node["ended_at_cycle"],
            node["exit_code"],
            node["message"],
            (outcome.folder / node["name"] / "uart.log").read_text(),
        )
        for node in outcome.result["nodes"]
    ]


def test_models_in_c_are_left_out_and_it_ends(folder: Path) -> None:
    assembled(folder, 0)
    found = ended(folder, "passed", "simulation.random_batch_seed=1")
    assert found == [(END_CYCLE, 0, "passed", PRINTED)]


def test_a_failing_exit_code_fails_the_node(folder: Path) -> None:
    assembled(folder, 3)
    assert ended(folder, "failed") == [(END_CYCLE, 3, "failed with code 3", PRINTED)]


def test_an_option_of_the_recipe_ends_the_list_earlier(folder: Path) -> None:
    # Its core plays at most so many words; the recipe gives it fewer than the list has.
    assembled(folder, 0)
    recipe = folder / "soc.yaml"
    blade = "{mine: {chipyard: generated, plusargs: {most_words: 3}}}"
    recipe.write_text(recipe.read_text().replace("{mine: {chipyard: generated}}", blade))
    (found,) = ended(folder, "short", "simulation.max_cycles=5000")
    assert found[3] == "all good\nok"


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_a_program_for_memory_inside_the_chip_is_written_there_by_the_host(
    folder: Path, engine: str
) -> None:
    collateral = folder / "generated" / "gen-collateral"
    harness = collateral / "TestHarness.sv"
    harness.write_text(harness.read_text().replace("SimDRAM", "InnerMemory"))
    (collateral / "InnerMemory.sv").write_text(INNER_MEMORY)
    assembled(folder, 0)
    # The program is there before the first look at tohost, in cycle 500; the fifth finds its end.
    end_cycle = 2541
    found = ended(folder, "loaded", f"simulation.rtl_engine={engine}")
    assert found == [(end_cycle, 0, "passed", PRINTED)]
