# SPDX-License-Identifier: BSD-3-Clause
"""The engine metasim from a recipe: as RTL to the cycle, whatever stalls; what it refuses."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from firesim.build.simulator import simulator
from firesim.build.state_map import VERSION
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from goldengate.errors import GoldenGateError
from rich.console import Console

from regression.support.one_board import left as left_by

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
def folder(elsewhere: Path) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipe."""
    (elsewhere / "talker.sv").write_text(BLADE)
    (elsewhere / "talk.yaml").write_text(RECIPE)
    return elsewhere


def seed_of_test() -> int:
    seed = int(os.environ.get("FIRESIM_TEST_SEED", "1"))
    print(f"replay with FIRESIM_TEST_SEED={seed}")
    return seed


def simulated(*overrides: str) -> Outcome:
    return run(load_file(Path("talk.yaml"), overrides), console=Console(quiet=True))


def left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine."""
    found = left_by(outcome, FILES)
    # A model that an earlier session compiled names the folder that its text was in.
    return found | {"message": re.sub(r"/\S*/", "", str(found["message"]))}


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
    del node["twin"]
    assert f"soc: found a metasimulation in {model / 'model.json'}, expected a model" in refusal()


def test_a_design_that_fame1_does_not_take_is_refused(folder: Path) -> None:
    late = (
        "logic [11:0] d; always @(posedge clock) d[0] <= ~d[0]; for (genvar i = 0; i < 11; i++) "
        "always @(posedge d[i]) d[i + 1] <= ~d[i + 1];"
    )
    text = BLADE.replace("logic [31:0] count;", f"logic [31:0] count; {late}")
    (folder / "talker.sv").write_text(text.replace("sum * 3", "sum * 3 + d[11]"))
    with pytest.raises(GoldenGateError) as refusal:
        simulated(METASIM)
    assert str(refusal.value) == (
        f"{folder / 'talker.sv'}:4: FAME-1 needs every register on the rising edge of 'clock'; "
        "this one is clocked by something else."
    )


def went_on(snapshot: Path, *overrides: str) -> Outcome:
    return run(
        load_file(Path("talk.yaml"), overrides),
        console=Console(quiet=True),
        restart=lambda plan: restart_from(str(snapshot), plan, None),
    )


def test_a_snapshot_goes_on_in_the_other_engine(folder: Path) -> None:
    stalled = "simulation.metasim={stall_rate: 90, stall_seed: 3}"
    whole = left(simulated())
    cycles = sorted(random.Random(seed_of_test()).sample(range(1, 3900), 3))
    snapshots = f"simulation.snapshots.at_cycles={cycles}"
    for engine in ("rtl", "metasim"):
        saved = simulated(f"simulation.engine={engine}", snapshots, stalled)
        assert left(saved) == whole
        for cycle in cycles:
            for other in ("rtl", "metasim"):
                snapshot = saved.folder / f"snapshots/cycle-{cycle}"
                again = left(went_on(snapshot, f"simulation.engine={other}", stalled))
                for name in ("uart.log", "prints.log"):  # What was there before is not again.
                    assert whole[name].endswith(again.pop(name))
                assert again.pop("counters.csv").splitlines()[-1] in whole["counters.csv"]
                assert again == {key: whole[key] for key in again}


SEEN = (
    "simulation.waves=[{node: soc, start_cycle: 10, end_cycle: 900}]",
    "simulation.peeks=[{node: soc, cycles: [0, 16, 700, 3001], signals: [count, sum, is_late]}]",
    "simulation.pokes=[{node: soc, cycle: 650, signal: sum, value: 0x123456789}]",
)


def test_waves_peeks_and_pokes_are_those_of_rtl(folder: Path) -> None:
    stalls = "simulation.metasim={stall_rate: 90, stall_seed: 3}"
    (folder / "talker.sv").write_text(
        BLADE.replace("  logic [31:0] count;", "  logic [31:0] count; wire is_late = count[6];")
    )
    rtl, metasim = simulated(*SEEN), simulated(METASIM, stalls, *SEEN)
    assert left(metasim) == left(rtl) != left(simulated())
    for name in ("waves.fst", "peeks.csv"):
        seen = (rtl.folder / "soc" / name).read_bytes()
        assert len(seen) > 100 and (metasim.folder / "soc" / name).read_bytes() == seen


def test_a_register_that_nothing_changes_is_poked_as_in_rtl(folder: Path) -> None:
    never = "  logic [31:0] count; logic never, never_either;"
    blade = BLADE.replace("  logic [31:0] count;", never).replace(
        "    count <= reset", "    never_either <= 1'b0; never <= never_either; count <= reset"
    )
    (folder / "talker.sv").write_text(blade.replace("count == LIMIT", "count == LIMIT || never"))
    poke = "simulation.pokes=[{node: soc, cycle: 300, signal: never, value: 1}]"
    assert simulated(poke).result["nodes"][0]["ended_at_cycle"] == 300
    assert simulated(METASIM, poke).result["nodes"][0]["ended_at_cycle"] == 300


def test_what_is_not_known_inside_is_not_shown(folder: Path) -> None:
    outcome = simulated(METASIM)
    description = json.loads((outcome.folder / "description.json").read_text())
    (node,) = description["nodes"]
    own = folder / "map.json"
    node["twin"]["map"] = str(own)
    description["snapshots"]["at_cycles"] = [100]

    def refusal(content: dict[str, Any]) -> str:
        own.write_text(json.dumps(content))
        (folder / "description.json").write_text(json.dumps(description))
        command = [str(simulator()), str(folder / "description.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr

    unknown = {"version": VERSION, "refused": "the engine Verilator shows no registers"}
    assert (
        "soc: this metasimulation cannot save its state: the engine Verilator shows no registers, "
        "so there can be no snapshots of this system"
    ) in refusal(unknown)
    foreign = {"version": VERSION, "registers": [[0, 0, 9999, 0, 1]], "memories": [], "fixed": []}
    assert f"soc: {own}: not a map of these models: no signal 9999 of 1 bits" in refusal(foreign)
    node["bridges"]["waves"] = {"file": "soc/waves.fst", "end_cycle": 9}
    assert (
        "expected none: this metasimulation does not show its signals: the engine Verilator shows "
        "no registers"
    ) in refusal(unknown)
