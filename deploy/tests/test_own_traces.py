# SPDX-License-Identifier: BSD-3-Clause
"""Traces of a core without a trace port: what its wires say comes out as its commits.

The core is that of the small SoC in Chipyard's form, whose loads and stores stand for instructions.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.config.own_trace import OwnTrace
from firesim.topology.trace_ports import trace_ports
from firesim_common.errors import InputError

from regression.support.chipyard_soc import END_CYCLE, assembled, small_recipe
from regression.support.one_board import simulated

TRACES = """\
    traces:
      - {within: chiptop.core, hart: 1, valid: "done && !writes", pc: "{32'd0, at}",
         instruction: answer, privilege: "3'd1"}
      - {within: chiptop.core, hart: 1, valid: done, pc: address, instruction: data,
         exception: "done && state == LOOK", interrupt: calls, cause: "{1'b1, words[6:0]}",
         tval: tohost}
"""
TRACED = "simulation.tracing={enabled: true, outputs: [text]}"
BEGINNING = """\
core   1: 1 0x0000000080000000 (0x1000) cycle 89
core   1: 3 0xffffffff80000000 (0x0000) cycle 89
core   1: 1 0x0000000080000008 (0x1008) cycle 131
core   1: 3 0xffffffff80000008 (0x0000) cycle 131
core   1: 1 0x0000000080000010 (0x0800) cycle 173
core   1: 3 0xffffffff80000010 (0x0000) cycle 173
core   1: 3 0xffffffff80001000 (0x0800) cycle 215
core   1: 1 0x0000000080000018 (0x0000) cycle 257
core   1: interrupt 1, epc 0xffffffff80001008, tval 0x0000000080001000 cycle 257
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe of one node with two commits a cycle."""
    file = small_recipe(tmp_path)
    assembled(tmp_path, 0)
    blade = "{mine: {chipyard: generated}}"
    lines = f"\n   mine:\n    chipyard: generated\n{TRACES}"
    file.write_text(file.read_text().replace(blade, lines))
    return file


def test_commits_and_traps_of_one_cycle_are_in_program_order(recipe: Path) -> None:
    folder = recipe.parent
    plain = simulated(folder, folder / "plain", recipe=recipe.name)
    traced = simulated(folder, folder / "traced", TRACED, recipe=recipe.name)
    log = (traced.folder / "soc/trace/hart1.log").read_text()
    assert log.startswith(BEGINNING)
    found = [
        (run.result["token_hash"], run.result["nodes"][0]["ended_at_cycle"])
        for run in (plain, traced)
    ]
    assert found[0] == found[1]
    assert found[0][1] == END_CYCLE


def test_a_name_that_the_core_does_not_have_is_refused(recipe: Path) -> None:
    recipe.write_text(recipe.read_text().replace("tval: tohost", "tval: tohots"))
    with pytest.raises(InputError) as error:
        simulated(recipe.parent, recipe.parent / "refused", recipe=recipe.name)
    assert str(error.value).endswith(
        "system.blades.mine.traces: found 'chiptop.core.tohots', expected a signal of the design."
    )


RVFI = """\
module Top(input clk, input reset);
  logic [7:0] count;
  always_ff @(posedge clk) count <= reset ? 8'd0 : count + 8'd1;
  Core core(.clk, .count);
  FireSimTerminationBridge finish(.clock(clk), .reset, .valid(count == 8'd40), .value(32'h5555));
endmodule
module Core(input clk, input [7:0] count);
  wire [1:0] rvfi_valid = {count[3:0] == 4'd9, count[2:0] == 3'd1};
  wire [1:0] rvfi_trap = {2{count == 8'd17}};
  wire [63:0] rvfi_pc_rdata = {32'h80000004 + count, 32'h80000000 + count};
  wire [63:0] rvfi_insn = {32'h13, 24'd0, count};
  wire [3:0] rvfi_mode = 4'b1101;
endmodule
"""
RVFI_RECIPE = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {mine: {sources: [top.sv], top: Top, clock: clk,
    traces: [{within: core, rvfi: 2, clock: clk}]}}
  node: {blade: mine}
simulation: {tracing: {enabled: true, outputs: [text]}}
"""
RVFI_LOG = """\
core   0: 1 0xffffffff80000001 (0x0001) cycle 17
core   0: 1 0xffffffff80000009 (0x0009) cycle 25
core   0: 3 0xffffffff8000000d (0x00000013) cycle 25
core   0: 1 0xffffffff80000019 (0x0019) cycle 41
core   0: 3 0xffffffff8000001d (0x00000013) cycle 41
core   0: 1 0xffffffff80000021 (0x0021) cycle 49
"""
"""Cycle 16 is the first without reset, in which the count is 0; in cycle 33 both trap."""


def test_a_core_with_the_formal_interface_is_traced(tmp_path: Path) -> None:
    (tmp_path / "top.sv").write_text(RVFI)
    (tmp_path / "rvfi.yaml").write_text(RVFI_RECIPE)
    outcome = simulated(tmp_path, tmp_path / "run", recipe="rvfi.yaml")
    assert (outcome.folder / "soc/trace/hart0.log").read_text() == RVFI_LOG


def test_the_formal_interface_of_one_commit_is_no_vector() -> None:
    (port,) = {
        line.strip()
        for line in trace_ports("Top", [OwnTrace(within="a", rvfi=1)]).splitlines()
        if ".pc(" in line
    }
    assert port == ".pc(64'($signed(rvfi_pc_rdata))),"


def test_traces_of_one_hart_are_its_lanes() -> None:
    traces = [OwnTrace(within="a.b[1]", valid="v", pc="p", hart=hart) for hart in (3, 0, 3)]
    text = trace_ports("Top", traces)
    found = [line.strip() for line in text.splitlines() if "HART" in line]
    assert found == [
        "#(.HART(3), .LANE(0), .LANES(2))",
        "#(.HART(0), .LANE(0), .LANES(1))",
        "#(.HART(3), .LANE(1), .LANES(2))",
    ]
    assert text.count("bind Top.a.b[1] FireSimTraceRVBridge\n") == 3
    assert trace_ports("Top", []) == ""
