# SPDX-License-Identifier: BSD-3-Clause
"""What the text itself says about the end: $finish, $stop, and asserts with arguments."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from rich.console import Console

BLADE = """\
module Part (input logic clock, input logic [15:0] count);
  always_ff @(posedge clock) begin
    if (count[5:0] == 7) $display("[%s] %m: %4h|%-6d|%p", "lit", count, count, count);
    if (count == 300) $finish;
    if (count == STOP) $stop;
    fine: assert (count != WRONG) else $error("count is %0d (%h) in %m", count, ~count[7:0]);
  end
endmodule
module Ender (input logic clock, input logic reset);
  logic [15:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 1;
  if (1) begin : inner Part part (.clock, .count); end
endmodule
"""
RECIPE = """\
name: ends
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {ender: {sources: [ender.sv], top: Ender}}
  node: {blade: ender}
simulation: {threads: 1}
"""
RESET_CYCLES = 16
ENGINES = (("rtl", "generated"), ("rtl", "verilator"), ("metasim", "generated"))
Told = tuple[str, int, int, str, str]


def simulated(folder: Path, stop: int, wrong: int, *overrides: str) -> Outcome:
    text = BLADE.replace("STOP", str(stop)).replace("WRONG", str(wrong))
    (folder / "ender.sv").write_text(text)
    (folder / "ends.yaml").write_text(RECIPE)
    return run(load_file(folder / "ends.yaml", overrides), console=Console(quiet=True))


def told(outcome: Outcome) -> Told:
    """Return how the run ended, when, and what was printed."""
    (node,) = outcome.result["nodes"]
    printed = (outcome.folder / "soc/prints.log").read_text()
    return (
        outcome.reason,
        node["ended_at_cycle"],
        outcome.exit_status,
        str(node["message"]),
        printed,
    )


@pytest.mark.parametrize(("engine", "made_by"), ENGINES)
def test_the_end_is_that_of_the_text(
    engine: str, made_by: str, tmp_path: Path, results_root: Path
) -> None:
    options = (f"simulation.engine={engine}", f"simulation.rtl_engine={made_by}")
    at = RESET_CYCLES + 300
    reason, cycle, status, message, printed = told(simulated(tmp_path, 0xFFFF, 0xFFFF, *options))
    assert (reason, cycle, status, message) == ("ended", at, 0, "$finish at ender.sv:4")
    counts = range(7, 300, 64)
    assert printed == "".join(
        f"{RESET_CYCLES + n}: [lit] Ender.inner.part: {n:04x}|{n:<6d}|{n}\n" for n in counts
    )
    silent = simulated(tmp_path, 0xFFFF, 0xFFFF, *options, "simulation.prints=false")
    assert silent.result["end_cycle"] == at
    reason, cycle, status, message, _ = told(simulated(tmp_path, 41, 0xFFFF, *options))
    assert (reason, cycle, status, message) == (
        "ended",
        41 + RESET_CYCLES,
        1,
        "$stop at ender.sv:5",
    )
    reason, cycle, status, message, _ = told(simulated(tmp_path, 0xFFFF, 77, *options))
    assert (reason, cycle, status) == ("assert", 77 + RESET_CYCLES, 1)
    assert "'inner.part: count is 77 (b2) in Ender.inner.part' at ender.sv:6" in message
