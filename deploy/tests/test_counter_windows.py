# SPDX-License-Identifier: BSD-3-Clause
"""Counters within a window, and what follows them: the same on both engines of RTL and in a
metasimulation."""

from __future__ import annotations

from pathlib import Path

import firesim
import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.one_board import simulated

CLOCK = """\
module Ticker (input logic clock, input logic reset);
  logic [31:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 1;
  wire tick = !reset && count[4:0] == 5;
  wire odd = !reset && count[0];
  always_ff @(posedge clock) if (odd) $display("%0d", count);
  FireSimTraceRVBridge trace (
    .clock, .reset, .valid(odd), .pc({32'd0, count}), .instruction(32'h13), .privilege(3'd3),
    .exception(1'b0), .interrupt(1'b0), .cause(64'd2), .tval(64'd0)
  );
  FireSimTerminationBridge over (
    .clock, .reset, .valid(count == 1000), .value(32'h5555)
  );
endmodule
"""
RECIPE = """\
name: tick
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades:
    ticker:
      sources: [ticker.sv]
      top: Ticker
      events: [{name: tick, signal: tick}, {name: odd, signal: odd}]
  node: {blade: ticker}
simulation:
  threads: 1
  status_interval_s: 0.05
  autocounter: {enabled: true, interval_cycles: 300, metrics: {odds: odd / cycles}}
"""
RESET = 16
TICKS = [RESET + count for count in range(1001) if count % 32 == 5]
ENGINES = ("simulation.engine=rtl", "simulation.rtl_engine=verilator", "simulation.engine=metasim")
BY_EVENT = "{kind: event, start: {event: tick, count: 4}, end: {event: tick, count: 2}}"


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipe."""
    (elsewhere / "ticker.sv").write_text(CLOCK)
    (elsewhere / "tick.yaml").write_text(RECIPE)
    return elsewhere


def rows_of(*overrides: str) -> tuple[Path, list[list[int]]]:
    """Return the results of a run, and its rows of counters."""
    outcome = run(load_file(Path("tick.yaml"), overrides), console=Console(quiet=True))
    names, *lines = (outcome.folder / "soc/counters.csv").read_text().splitlines()
    assert names == "cycle,active_cycles,tick,odd"
    return outcome.folder, [[int(word) for word in line.split(",")] for line in lines]


def counted(windows: list[tuple[int, int]], cycle: int) -> list[int]:
    """Return the row of a cycle: what was so in the cycles of these windows before it."""
    active = [at for first, end in windows for at in range(first, min(end, cycle))]
    ticks = [at for at in active if at in TICKS]
    odd = [at for at in active if at >= RESET and (at - RESET) % 2]
    return [cycle, len(active), len(ticks), len(odd)]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_window_by_cycle(folder: Path, engine: str) -> None:
    _, rows = rows_of(engine, "simulation.autocounter.trigger={kind: cycle, start: 100, end: 700}")
    assert rows == [counted([(100, 700)], cycle) for cycle in (100, 300, 600, 700, 1016)]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_window_by_events(folder: Path, engine: str) -> None:
    results, rows = rows_of(engine, f"simulation.autocounter.trigger={BY_EVENT}")
    # It opens behind every fourth tick, and closes behind the second one from then on.
    windows = windows_by_events()
    edges = {edge for window in windows for edge in window}
    open_at = {at for first, end in windows for at in range(first, end)}
    expected = sorted({*edges, *(at for at in (300, 600, 900) if at in open_at), 1016})
    assert len(windows) == 5 and rows == [counted(windows, cycle) for cycle in expected]
    metrics = firesim.Results(results).metrics
    whole = metrics[metrics["whole_run"] & (metrics["metric"] == "odds")]
    assert list(whole["value"]) == [rows[-1][3] / rows[-1][1]] == [0.5]


def windows_by_events() -> list[tuple[int, int]]:
    """Return first and end of each window: behind four ticks, to behind two more."""
    return [(TICKS[at + 3] + 1, TICKS[at + 5] + 1) for at in range(0, len(TICKS) - 5, 6)]


FOLLOW = (
    f"simulation.autocounter.trigger={BY_EVENT}",
    "simulation.tracing={enabled: true, outputs: [text], trigger: {kind: counters}}",
    "simulation.prints={kind: counters}",
)


def followed(results: Path) -> list[list[int]]:
    """Return the cycles of what was traced, and of what was printed."""
    trace = (results / "soc/trace/hart0.log").read_text().splitlines()
    prints = (results / "soc/prints.log").read_text().splitlines()
    return [
        [int(line.rpartition(" ")[2]) for line in trace],
        [int(line.partition(":")[0]) for line in prints],
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_traces_and_prints_within_the_window_of_events(folder: Path, engine: str) -> None:
    results, _ = rows_of(engine, *FOLLOW)
    open_at = [at for first, end in windows_by_events() for at in range(first, end)]
    odd = [at for at in open_at if (at - RESET) % 2]
    assert len(odd) > 100 and followed(results) == [odd, odd]


def test_what_follows_a_window_goes_on_in_it_from_a_snapshot(folder: Path) -> None:
    (first, end), *_ = windows_by_events()
    saved_at = (first + end) // 2
    whole, _ = rows_of(*FOLLOW, f"simulation.snapshots.at_cycles=[{saved_at}]")
    snapshot = whole / f"snapshots/cycle-{saved_at}"
    on = simulated(folder, folder / "on", *FOLLOW, start=snapshot, recipe="tick.yaml")
    later = [[at for at in cycles if at >= saved_at] for cycles in followed(whole)]
    assert followed(on.folder) == later and later[0] == later[1] != []


@pytest.mark.parametrize("key", ["tracing.trigger", "asserts", "prints"])
def test_counters_without_a_window_cannot_be_followed(folder: Path, key: str) -> None:
    with pytest.raises(InputError, match=f"found {key} of kind counters and no window of coun"):
        load_file(Path("tick.yaml"), (f"simulation.{key}={{kind: counters}}",))


def test_it_changes_no_cycle(folder: Path) -> None:
    results, _ = rows_of(f"simulation.autocounter.trigger={BY_EVENT}")
    plain = run(load_file(Path("tick.yaml")), console=Console(quiet=True))
    assert plain.result["end_cycle"] == firesim.Results(results).end_cycle
    assert plain.result["token_hash"] == firesim.Results(results).token_hash


def test_an_event_that_is_not_counted_is_refused(folder: Path) -> None:
    wrong = "simulation.autocounter.trigger={kind: event, start: {event: tock}}"
    with pytest.raises(InputError) as refused:
        rows_of(wrong)
    assert str(refused.value) == (
        f'-x {wrong}: simulation.autocounter.trigger.start.event: found "tock", expected one of '
        'the counters of "soc" "tick" or "odd", did you mean "tick"?'
    )
