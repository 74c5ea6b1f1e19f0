# SPDX-License-Identifier: BSD-3-Clause
"""The engine metasim from a recipe: as RTL to the cycle, whatever stalls; what it refuses."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from firesim.build.simulator import simulator
from firesim.config.load import load_file
from firesim.run.restart import restart_from
from firesim.run.runner import Outcome, run
from firesim.topology.resolve import resolve
from firesim_common.errors import InputError
from goldengate.errors import GoldenGateError
from rich.console import Console

BLADE = """\
module Talker #(parameter int LIMIT = 10, parameter int BROKEN = 1) (
  input logic clock, input logic reset
);
  logic [31:0] count;
  logic ready, ar_ready;
  logic asked, answered, r_valid, r_last;
  logic [63:0] r_data, sum;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (reset) begin asked <= 0; answered <= 1; sum <= 0; end
    else begin
      if (answered) begin asked <= 1; answered <= 0; end
      else if (asked && ar_ready) asked <= 0;
      if (r_valid) begin sum <= sum * 3 + r_data; if (r_last) answered <= 1; end
    end
    if (count[8:0] == 77) $display("sum %h at %0d", sum, count);
    whole: assert (count != BROKEN) else $error("the count is broken");
    reads: cover (r_valid);
  end
  FireSimMemoryBridge memory (
    .clock, .reset,
    .aw_valid(1'b0), .aw_id('0), .aw_addr('0), .aw_len('0), .aw_size('0), .aw_burst('0),
    .w_valid(1'b0), .w_data('0), .w_strb('0), .w_last(1'b0), .b_ready(1'b1),
    .ar_valid(asked), .ar_id('0), .ar_addr({19'd8, sum[9:0], 3'd0}), .ar_len(8'd3),
    .ar_size(3'd3), .ar_burst(2'd1), .r_ready(count[0]), .r_valid, .r_data,
    .aw_ready(), .w_ready(), .b_valid(), .b_id(), .b_resp(), .ar_ready, .r_id(), .r_resp(),
    .r_last
  );
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[5:0] == 3 && ready), .out_bits(8'h41 + {4'd0, sum[3:0]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (
    .clock, .reset, .valid(count == LIMIT), .value(32'h5555)
  );
endmodule
"""
RECIPE = """\
name: talk
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades:
    talker:
      sources: [talker.sv]
      top: Talker
      parameters: {LIMIT: 4000, BROKEN: 9999}
      memory_base: 0x10000
  node: {blade: talker, memory: {size_mib: 4}}
workload: {nodes: {soc: {elf: words.elf}}}
simulation:
  threads: 1
  status_interval_s: 0.05
  autocounter: {enabled: true, interval_cycles: 700}
"""
FILES = ("uart.log", "counters.csv", "prints.log", "memory.json")
METASIM = "simulation.engine=metasim"


@pytest.fixture
def folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    results_root: Path,
    word_elf: Callable[[int, bytes], bytes],
) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipe."""
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "talker.sv").write_text(BLADE)
    (folder / "talk.yaml").write_text(RECIPE)
    (folder / "words.elf").write_bytes(word_elf(0x10000, bytes(range(256)) * 32))
    return folder


def simulated(*overrides: str) -> Outcome:
    return run(load_file(Path("talk.yaml"), overrides), console=Console(quiet=True))


def left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine."""
    (node,) = outcome.result["nodes"]
    kept = {key: node[key] for key in ("ended_at_cycle", "exit_code", "message", "cycles")}
    return kept | {name: (outcome.folder / "soc" / name).read_bytes() for name in FILES}


def test_a_metasimulated_node_is_as_in_rtl(folder: Path) -> None:
    rtl = simulated()
    assert len(left(rtl)["uart.log"]) > 40 and b"sum" in left(rtl)["prints.log"]
    for stalls in ("{}", "{stall_rate: 100, stall_seed: 5}"):
        metasim = simulated(METASIM, f"simulation.metasim={stalls}")
        assert left(metasim) == left(rtl)
        facts = metasim.result["nodes"][0]["statistics"]
        assert facts["engine"].startswith("metasim, generated")
        assert facts["host_cycles"] > 2 * facts["cycles_evaluated"]
    cut = simulated(METASIM, "simulation.random_batch_seed=3")
    assert left(cut) == left(rtl)


def test_a_failed_assert_ends_it_in_the_same_cycle(folder: Path) -> None:
    broken = "system.blades.talker.parameters={LIMIT: 4000, BROKEN: 3210}"
    rtl, metasim = simulated(broken), simulated(broken, METASIM)
    assert (rtl.exit_status, rtl.reason) == (metasim.exit_status, metasim.reason) == (1, "assert")
    assert left(metasim) == left(rtl)


def test_another_design_on_the_platform_is_refused(folder: Path) -> None:
    outcome = simulated(METASIM)
    description = json.loads((outcome.folder / "description.json").read_text())
    model = shutil.copytree(Path(description["nodes"][0]["model"]).parent, folder / "model")
    manifest = json.loads((model / "model.json").read_text())
    found, manifest["design_hash"] = manifest["design_hash"], "0123456789abcdef"
    (model / "model.json").write_text(json.dumps(manifest))
    node = description["nodes"][0]
    node |= {"model": str(model / "model.so"), "manifest": str(model / "model.json")}

    def refusal() -> str:
        (folder / "description.json").write_text(json.dumps(description))
        command = [str(simulator()), str(folder / "description.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr

    assert (
        f"soc: found the design {found} on the platform, expected 0123456789abcdef, that of the "
        "manifest"
    ) in refusal()
    node["kind"] = "rtl"
    assert f"soc: found a metasimulation in {model / 'model.json'}, expected a model" in refusal()


def test_a_design_that_fame1_does_not_take_is_refused(folder: Path) -> None:
    (folder / "talker.sv").write_text(
        BLADE.replace("@(posedge clock) begin", "@(negedge clock) begin")
    )
    with pytest.raises(GoldenGateError) as refusal:
        simulated(METASIM)
    assert str(refusal.value) == (
        f"{folder / 'talker.sv'}:8: FAME-1 needs every register on the rising edge of 'clock'; "
        "this one is clocked by something else."
    )


def test_snapshots_are_refused_before_the_start(folder: Path) -> None:
    outcome = simulated(METASIM, "simulation.snapshots.at_cycles=[100]")
    assert outcome.exit_status == 2
    assert 'the engine "metasim, generated" cannot save its state' in outcome.message


def test_waves_are_refused(folder: Path) -> None:
    with pytest.raises(InputError) as refusal:
        simulated(METASIM, "simulation.waves=[{node: soc, end_cycle: 5}]")
    assert str(refusal.value) == (
        "-x simulation.waves=[{node: soc, end_cycle: 5}]: simulation.waves[0].node: found "
        '"soc", whose engine is metasim, expected a node of engine rtl.'
    )


def test_it_does_not_go_on_from_a_snapshot(folder: Path) -> None:
    saved = simulated("simulation.snapshots.at_cycles=[100]")
    snapshot = saved.folder / "snapshots/cycle-100"
    plan = resolve(load_file(Path("talk.yaml"), [METASIM]))
    with pytest.raises(InputError) as refusal:
        restart_from(str(snapshot), plan, None)
    assert str(refusal.value) == (
        '--from: found the engine metasim for "soc", expected rtl: a metasimulation cannot go on '
        "from a snapshot."
    )
