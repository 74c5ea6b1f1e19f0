# SPDX-License-Identifier: BSD-3-Clause
"""`reset_cycles` of a blade: how long it is in reset, in each engine and over a snapshot."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from rich.console import Console

# It counts from the end of reset on, tells each 64th cycle, and sends two bytes.
BLADE = """\
module Counter (input logic clock, input logic reset);
  logic [15:0] count;
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (!reset && count[5:0] == 0) $display("count %0d", count);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(ready && count[6:0] == 10), .out_bits("x"), .in_ready(1'b1),
    .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 200), .value(32'h5555));
endmodule
"""
RECIPE = """\
name: held
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {counter: {sources: [counter.sv], top: Counter, reset_cycles: RESET}}
  node: {blade: counter}
simulation: {threads: 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "counter.sv").write_text(BLADE)
    return tmp_path


def simulated(folder: Path, cycles: int, *settings: str, start: Path | None = None) -> Outcome:
    recipe = folder / f"held{cycles}.yaml"
    recipe.write_text(RECIPE.replace("RESET", str(cycles)))
    restart = None if start is None else lambda plan: restart_from(str(start), plan, None)
    return run(load_file(recipe, settings), console=Console(quiet=True), restart=restart)


def told(outcome: Outcome) -> tuple[int, str, list[int]]:
    """Return the cycle of the end, the console, and the cycles of the prints."""
    (node,) = outcome.result["nodes"]
    prints = (outcome.folder / "soc/prints.log").read_text().splitlines()
    console = (outcome.folder / "soc/uart.log").read_text()
    return node["ended_at_cycle"], console, [int(line.split(":")[0]) for line in prints]


@pytest.mark.parametrize("engine", ["rtl", "metasim"])
@pytest.mark.parametrize("cycles", [16, 50])
def test_it_begins_when_reset_ends(
    folder: Path, engine: str, cycles: int, results_root: Path
) -> None:
    outcome = simulated(folder, cycles, f"simulation.engine={engine}", "simulation.prints=true")
    prints = [cycles + count for count in range(0, 201, 64)]
    assert told(outcome) == (cycles + 200, "xx", prints)


def test_a_snapshot_in_reset_goes_on_in_reset(folder: Path, results_root: Path) -> None:
    saved = simulated(folder, 50, "simulation.snapshots.at_cycles=[20]", "simulation.prints=true")
    snapshot = saved.folder / "snapshots/cycle-20"
    again = simulated(folder, 50, "simulation.prints=true", start=snapshot)
    assert told(again) == told(saved)
    assert again.result["token_hash"] == saved.result["token_hash"]
    refused = simulated(folder, 16, start=snapshot)
    assert refused.exit_status != 0
    assert "found the blade in reset before cycle 20, expected the contrary for 16" in (
        refused.message
    )
