# SPDX-License-Identifier: BSD-3-Clause
"""Windows of prints and asserts: what the RTL says outside of them is not heard, in any engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim_common.errors import InputError
from rich.console import Console

BLADE = """\
module Talker (input logic clock, input logic reset);
  logic [15:0] count;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[6:0] == 0) $display("count %0d", count);
    fine: assert (reset || count % 400 != 399) else $error("a round number");
  end
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 1500), .value(32'h5555));
endmodule
"""
RECIPE = """\
name: windows
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {talker: {sources: [talker.sv], top: Talker}}
  node: {blade: talker}
simulation: {threads: 1, asserts: false}
"""
RESET_CYCLES = 16
"""The count is 0 in that cycle."""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe with a blade that prints every 128 cycles and asserts once in 400."""
    (tmp_path / "talker.sv").write_text(BLADE)
    path = tmp_path / "windows.yaml"
    path.write_text(RECIPE)
    return path


def simulated(recipe: Path, *overrides: str) -> Outcome:
    return run(load_file(recipe, overrides), console=Console(quiet=True))


def printed(outcome: Outcome) -> list[int]:
    """Return the counts that were printed after reset."""
    lines = (outcome.folder / "soc/prints.log").read_text().splitlines()
    told = [(int(line.split(":")[0]), int(line.split()[-1])) for line in lines]
    assert all(cycle == count + RESET_CYCLES for cycle, count in told if cycle >= RESET_CYCLES)
    return [count for cycle, count in told if cycle >= RESET_CYCLES]


def told(outcome: Outcome) -> int:
    """Return in how many cycles a metasimulated target said something."""
    return int(outcome.result["nodes"][0]["statistics"]["host_traffic"]["rows"])


@pytest.mark.parametrize("engine", ["rtl", "metasim"])
def test_what_is_printed_outside_is_not_kept(recipe: Path, engine: str, results_root: Path) -> None:
    window = f"simulation.prints={{kind: cycle, start: {RESET_CYCLES + 256}, end: 1040}}"
    with_window = simulated(recipe, window, f"simulation.engine={engine}")
    without = simulated(recipe, f"simulation.engine={engine}")
    assert printed(with_window) == list(range(256, 1040 - RESET_CYCLES, 128))
    assert printed(without) == list(range(0, 1500, 128))
    assert with_window.result["token_hash"] == without.result["token_hash"]
    assert with_window.result["end_cycle"] == without.result["end_cycle"]
    if engine == "metasim":  # Its target tells of no print and no assert outside.
        rows = [told(one) for one in (with_window, without)]
        assert rows[0] < rows[1] - 2
    silent = simulated(recipe, "simulation.prints=false", f"simulation.engine={engine}")
    assert not (silent.folder / "soc/prints.log").exists()


@pytest.mark.parametrize("engine", ["rtl", "metasim"])
def test_an_assert_outside_does_not_end_the_run(
    recipe: Path, engine: str, results_root: Path
) -> None:
    for start, ends in ((415, 415), (416, 815), (1216, None)):
        window = f"simulation.asserts={{kind: cycle, start: {start}, end: 100000}}"
        outcome = simulated(recipe, window, f"simulation.engine={engine}")
        (node,) = outcome.result["nodes"]
        wanted = ("assert", ends) if ends else ("ended", 1500 + RESET_CYCLES)
        assert (outcome.reason, node["ended_at_cycle"]) == wanted


def test_what_is_no_window_is_said(recipe: Path) -> None:
    with pytest.raises(InputError, match="expected true, false or a trigger, as in"):
        load_file(recipe, ["simulation.prints=often"])


def test_commits_cannot_open_it_without_a_trace(recipe: Path, results_root: Path) -> None:
    outcome = simulated(recipe, "simulation.prints={kind: pc, start: 16, end: 32}")
    assert outcome.exit_status != 0
    assert "expected one that needs no TraceRV bridge" in outcome.message
