# SPDX-License-Identifier: BSD-3-Clause
"""Blades of the user's own: any Verilog in a recipe, outside the checkout, run to exact cycles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas
import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.topology.draw import text_drawing
from firesim.topology.plan_blades import PlannedTraining
from firesim_common.errors import InputError
from rich.console import Console

WordElf = Callable[[int, bytes], bytes]
COUNTER = """\
module Counter #(parameter int LIMIT = 10, parameter logic [7:0] STEP = 2) (
  input logic clock, input logic reset
);
  logic [31:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 32'(STEP);
  wire is_over = count == LIMIT;
  wire [2:0] low = count[2:0];
  odd: cover property (@(posedge clock) count[0]);
  FireSimTerminationBridge over (.clock, .reset, .valid(is_over), .value(32'h5555));
endmodule
"""
ALONE = """\
name: alone
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades:
    counter:
      sources: [counter.sv]
      top: Counter
      parameters: {LIMIT: 5000, STEP: "8'h1"}
      events:
        - {name: fours, signal: "count[2]"}
        - {name: low, signal: low, histogram: true}
        - {name: late, expression: "count >= 32'd4000 && low == 0"}
  node: {blade: counter}
simulation: {threads: 1, status_interval_s: 0.05}
"""
READER = """\
module Reader (input logic clock, input logic reset);
  logic asked, r_valid;
  logic [63:0] r_data;
  FireSimMemoryBridge memory (
    .clock, .reset,
    .aw_valid(1'b0), .aw_id('0), .aw_addr('0), .aw_len('0), .aw_size('0), .aw_burst('0),
    .w_valid(1'b0), .w_data('0), .w_strb('0), .w_last(1'b0), .b_ready(1'b1),
    .ar_valid(!asked && !reset), .ar_id('0), .ar_addr(32'h10000), .ar_len('0), .ar_size(3'd3),
    .ar_burst(2'd1), .r_ready(1'b1), .r_valid, .r_data,
    .aw_ready(), .w_ready(), .b_valid(), .b_id(), .b_resp(), .ar_ready(), .r_id(), .r_resp(),
    .r_last()
  );
  always_ff @(posedge clock) asked <= !reset;
  FireSimTerminationBridge over (
    .clock, .reset, .valid(r_valid), .value({r_data[15:0], 16'h3333})
  );
endmodule
"""
MEMORY = """\
name: memory
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {reader: {sources: [reader.sv], top: Reader, memory_base: 0x10000}}
  node: {blade: reader, memory: {size_mib: 4}}
workload: {nodes: {soc: {elf: word.elf}}}
simulation: {threads: 1, status_interval_s: 0.05}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user's, in which they are, with the recipe `alone.yaml`."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "counter.sv").write_text(COUNTER)
    (folder / "alone.yaml").write_text(ALONE)
    return folder


def simulated(recipe: Path, *overrides: str) -> Outcome:
    return run(load_file(recipe, overrides), console=Console(quiet=True))


def test_a_blade_alone_runs_to_its_cycle(mine: Path, results_root: Path) -> None:
    """Reset lasts to cycle 15, so the count is 0 in cycle 16 and 5,000 in cycle 5,016."""
    for wanted in (
        "simulation.rtl_engine=generated",
        "simulation.rtl_engine=verilator",
        "simulation.engine=metasim",
    ):
        counters = 'simulation.autocounter={"enabled": true}'
        outcome = simulated(mine / "alone.yaml", wanted, counters)
        assert (outcome.exit_status, outcome.reason) == (0, "ended")
        (node,) = outcome.result["nodes"]
        assert (node["exit_code"], node["ended_at_cycle"]) == (0, 5016)
        counted = pandas.read_csv(outcome.folder / "soc/counters.csv")  # As it is.
        assert {str(kind) for kind in counted.dtypes} == {"int64"}
        assert (counted["fours"].iloc[-1], counted["odd"].iloc[-1]) == (2500, 2500)
        assert counted["late"].iloc[-1] == 125
        values = [counted[f"low[{value}]"].iloc[-1] for value in range(8)]
        assert values == [625] * 8  # Of 0 to 4,999.


def test_a_saved_configuration_runs_from_anywhere(
    mine: Path, results_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = simulated(mine / "alone.yaml")
    monkeypatch.chdir("/")
    again = simulated(first.folder / "config.yaml")
    assert again.result["token_hash"] == first.result["token_hash"] != ""
    assert again.result["end_cycle"] == first.result["end_cycle"]


def test_a_link_to_a_blade_without_a_nic_carries_nothing(mine: Path, results_root: Path) -> None:
    (mine / "noise.traffic").write_text("100 00:12:6D:00:00:02 64 repeat 5 10\n")
    outcome = simulated(
        mine / "alone.yaml",
        "system.topology=two_nodes",
        "system.node={}",
        'system.nodes={"node0": {"blade": "counter"}, '
        '"node1": {"blade": "traffic", "traffic": "noise.traffic"}}',
    )
    assert outcome.exit_status == 0
    links = {link["name"]: link for link in outcome.result["links"]}
    assert links["node0--tor0"]["a_to_b"]["packets"] == 0
    assert links["node0--tor0"]["b_to_a"]["packets"] == 5


def test_a_blade_that_cannot_end_runs_to_the_last_cycle(mine: Path, results_root: Path) -> None:
    endless = COUNTER.replace("FireSimTerminationBridge", "//")
    (mine / "counter.sv").write_text(endless)
    with pytest.raises(InputError) as refusal:
        simulated(mine / "alone.yaml")
    assert str(refusal.value) == (
        f"{mine / 'alone.yaml'}:14: simulation.max_cycles: found 0 and no node whose blade has a "
        "termination bridge, expected a last cycle: nothing else would end the run."
    )
    outcome = simulated(mine / "alone.yaml", "simulation.max_cycles=1234")
    assert (outcome.exit_status, outcome.reason) == (0, "ended")
    assert outcome.result["end_cycle"] == 1234


def test_a_program_of_another_processor_is_loaded(
    mine: Path, results_root: Path, word_elf: WordElf
) -> None:
    (mine / "reader.sv").write_text(READER)
    (mine / "memory.yaml").write_text(MEMORY)
    (mine / "word.elf").write_bytes(word_elf(0x10000, b"\x2a\0\0\0"))
    outcome = simulated(mine / "memory.yaml")
    (node,) = outcome.result["nodes"]
    assert node["exit_code"] == 42


def test_what_has_no_bridge_is_refused_before_the_start(
    mine: Path, results_root: Path, word_elf: WordElf
) -> None:
    (mine / "word.elf").write_bytes(word_elf(0x80000000, b"word"))
    with pytest.raises(InputError) as refusal:
        simulated(mine / "alone.yaml", 'workload.nodes={"soc": {"elf": "word.elf"}}')
    assert str(refusal.value) == (
        '-x workload.nodes={"soc": {"elf": "word.elf"}}: workload.nodes.soc.elf: found something '
        'for the memory bridge of "soc", expected nothing: its blade "counter" has termination '
        "and no memory."
    )
    assert not results_root.exists()


def test_a_parameter_that_the_top_does_not_have_is_refused(mine: Path, results_root: Path) -> None:
    from goldengate.errors import GoldenGateError

    with pytest.raises(GoldenGateError) as refusal:
        simulated(mine / "alone.yaml", 'system.blades.counter.parameters={"LIMITS": 3}')
    assert str(refusal.value) == (
        f"{mine / 'counter.sv'}:1: module Counter has no parameter 'LIMITS' (nearest: LIMIT); its "
        "parameters are: LIMIT, STEP."
    )


def test_a_data_file_counts_for_the_cache(mine: Path, results_root: Path) -> None:
    rom = COUNTER.replace("wire is_over = count == LIMIT", "wire is_over = count == rom[1]")
    rom = rom.replace(
        "  logic [31:0] count;",
        '  logic [31:0] count, rom[2];\n  initial $readmemh("rom.hex", rom);',
    )
    (mine / "counter.sv").write_text(rom)
    data = 'system.blades.counter.data_files=["rom.hex"]'
    for limit in (0x20, 0x30):
        (mine / "rom.hex").write_text(f"0 {limit:x}\n")
        (node,) = simulated(mine / "alone.yaml", data).result["nodes"]
        assert node["ended_at_cycle"] == 16 + limit


def test_a_training_changes_no_cycle(mine: Path, results_root: Path) -> None:
    plain = simulated(mine / "alone.yaml")
    trained = simulated(mine / "alone.yaml", 'system.blades.counter.training={"max_cycles": 2000}')
    assert trained.result["token_hash"] == plain.result["token_hash"]
    models = [
        json.loads((outcome.folder / "description.json").read_text())["nodes"][0]["model"]
        for outcome in (plain, trained)
    ]
    assert models[0] != models[1]


def test_a_training_by_a_node_has_what_that_node_runs(mine: Path, word_elf: WordElf) -> None:
    (mine / "memory.yaml").write_text(MEMORY)
    (mine / "word.elf").write_bytes(word_elf(0x10000, b"\x2a\0\0\0"))
    key = "system.blades.reader.training="

    def training(text: str) -> PlannedTraining | None:
        plan = resolve(load_file(mine / "memory.yaml", [key + text]))
        return plan.own_blades["reader"].training

    found = training('{"node": "soc"}')
    assert found is not None and found.elf == mine / "word.elf" and found.device_tree is None
    own = training('{"node": "soc", "elf": "other.elf"}')
    assert own is not None and own.elf == mine / "other.elf"
    alone = training('{"max_cycles": 2000}')
    assert alone is not None and alone.elf is None
    with pytest.raises(InputError, match='found "sock", expected one of the nodes with the blade'):
        training('{"node": "sock"}')


def test_an_unlinked_node_is_drawn(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=80).print(text_drawing(resolve(load_file(mine / "alone.yaml"))))
    assert capsys.readouterr().out == "alone\n└── soc (counter) without a link\n"
