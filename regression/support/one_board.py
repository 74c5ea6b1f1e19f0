# SPDX-License-Identifier: BSD-3-Clause
"""One node whose blade may be on one simulated board: its recipe, its farm, and what a run leaves.

The blade is `Teller`, the text of the caller. In the folder are teller.sv, tell.yaml and, for the
engine fpga, farm.yaml, builds.yaml and hwdb.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import Simulated, simulated_board
from firesim.config.bitstream import LoadedBuilds
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from rich.console import Console

from regression.support.simulated_boards import board_farm, started

FPGA = "simulation.engine=fpga"
TELLER = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic ready;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[9:0] == 77) $display("count %0d", count);
    eights: cover (count[2:0] == 0);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {3'd0, count[13:9]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 6000), .value(32'h5555));
endmodule
"""
"""A blade with a print, a counter, a console and an end, for callers that need no other."""
FILES = ("uart.log", "counters.csv", "prints.log")
_RECIPE = """\
name: tell
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {teller: {sources: [teller.sv], top: Teller}}
  node: {blade: teller}
placement: {run_farm: farm.yaml}
simulation:
  threads: 1
  fpga: {hwdb: hwdb.yaml, entries: {teller: mine}}
  autocounter: {enabled: true, interval_cycles: 1000}
"""


def write_recipe(folder: Path, blade: str, builds: str) -> None:
    """Write the blade, its recipe and a build recipe."""
    (folder / "teller.sv").write_text(blade)
    (folder / "tell.yaml").write_text(_RECIPE)
    (folder / "builds.yaml").write_text(builds)


def made_board(folder: Path, build: str, device: Path, farm: str = "farm.yaml") -> Simulated:
    """Make the board of a build; write its entry, and the farm of one host with it at `device`."""
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), build)
    set_entries(folder / "hwdb.yaml", {build: made.entry})
    (folder / farm).write_text(board_farm(folder, made.board, device))
    return made


def simulated(
    folder: Path,
    results: Path,
    *overrides: str,
    start: Path | None = None,
    recipe: str = "tell.yaml",
) -> Outcome:
    """Run a recipe of the folder, from a snapshot where one is given."""
    loaded = load_file(folder / recipe, overrides)
    restart = None if start is None else lambda plan: restart_from(str(start), plan, None)
    return run(loaded, results=results, console=Console(quiet=True), restart=restart)


@contextmanager
def other_board(
    folder: Path, build: str, device: Path, where: Path, *options: str
) -> Iterator[str]:
    """Start a further board of a build at `device`, with options of its program.

    Yield the override by which a run takes it; `where` is a folder for its farm's file.
    """
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), build)
    (where / "other.yaml").write_text(board_farm(where, made.board, device))
    with started(made.with_options(*options), device):
        yield f"placement.run_farm={where}/other.yaml"


def check_it_is_used_once(folder: Path, device: Path, where: Path) -> None:
    """Run twice on a board whose bitstream is loaded once: the second run is refused.

    Between them is a reset, as by a host that starts again, which clears the host's side alone.
    """
    rtl = simulated(folder, where / "rtl")
    with other_board(folder, "mine", device, where, "--loaded-once") as farm:
        first = simulated(folder, where / "first", FPGA, farm)
        second = simulated(folder, where / "second", FPGA, farm)
    assert left(first) == left(rtl)
    assert second.exit_status != 0
    assert str(second.message).endswith(
        f"soc: fpga at {device}: its target has run since the bitstream was loaded, and a reset "
        "does not clear its registers and memories: load the bitstream again"
    )


def check_a_reset_ends_it(folder: Path, device: Path, where: Path, after: int, text: str) -> None:
    """Run on a board that is reset after `accesses` accesses: the run ends with `text`."""
    with other_board(folder, "mine", device, where, f"--reset-after={after}") as farm:
        outcome = simulated(folder, where / "reset", FPGA, farm)
    assert outcome.reason == "error" and outcome.exit_status != 0
    assert text in str(outcome.message), outcome.message


def left(outcome: Outcome, files: Sequence[str] = FILES) -> dict[str, Any]:
    """Return what a run of the node `soc` left that must not depend on the engine."""
    (node,) = outcome.result["nodes"]
    kept = {key: node[key] for key in ("ended_at_cycle", "exit_code", "message", "cycles")}
    return kept | {name: (outcome.folder / "soc" / name).read_bytes() for name in files}
