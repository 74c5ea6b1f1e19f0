# SPDX-License-Identifier: BSD-3-Clause
"""A functional network: how long its links are, what it carries, and that every result says so."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.report.console import round_trips
from firesim.report.page import write_report
from firesim.results.outcome import Outcome
from firesim.results.summary import print_runs, print_summary
from firesim.run.again import listed_runs
from rich.console import Console

FUNCTIONAL = "simulation.network=functional"
RACK = """\
name: bring_up
system: {topology: two_nodes, node: {memory: {size_mib: 16}}}
workload: quickstart
simulation: {engine: functional, max_cycles: 100000000, status_interval_s: 0.05}
"""
SAYS = (
    "functional network: parts up to 100 µs of target time apart, times on it are not exact, "
    "no token hash"
)
Load = Callable[..., Loaded]


def latencies(loaded: Loaded) -> set[int]:
    """Return the latencies of all links of a plan, in cycles of 3.2 GHz."""
    return {link.latency_cycles for link in resolve(loaded).links}


def same_in_any_run(outcome: Outcome) -> dict[str, Any]:
    """Return what does not depend on the host: cycles, instructions, traffic, consoles."""
    result = outcome.result
    nodes = [(n["name"], n["ended_at_cycle"], n["statistics"]) for n in result["nodes"]]
    switches = [switch["statistics"] for switch in result["switches"]]
    consoles = [(outcome.folder / name / "uart.log").read_text() for name, _, _ in nodes]
    end = (result["reason"], result["end_cycle"], result["network"])
    return {"end": end, "nodes": nodes, "on": [switches, result["links"]], "said": consoles}


@pytest.mark.parametrize(
    ("topology", "cycles"),
    [("rack_8", 160_000), ("clos_2_8_2", 80_000), ("tree_4_4_8", 53_333)],
)
def test_the_links_of_the_longest_way_share_the_drift(
    load: Load, topology: str, cycles: int
) -> None:
    assert latencies(load(topology, FUNCTIONAL)) == {cycles}


def test_the_drift_is_chosen_and_longer_links_stay(load: Load) -> None:
    wide = ["simulation.network={mode: functional, max_drift_us: 20}"]
    assert latencies(load("rack_8", *wide)) == {32_000}
    assert latencies(load("rack_8", *wide, "system.link.latency_cycles=50000")) == {50_000}
    assert latencies(load("rack_8", *wide, "system.gateway={}")) == {32_000}
    assert latencies(load("rack_8", "simulation.network=exact")) == {100}


def test_what_it_carries_is_whole_and_the_same_in_every_run(results_root: Path) -> None:
    exact = run(load_text(RACK))
    outcome = run(load_text(RACK, [FUNCTIONAL, "simulation.threads=1"]))
    assert outcome.exit_status == 0
    said = (outcome.folder / "node0" / "uart.log").read_text()
    times = round_trips(said)
    assert len(times) == 10
    assert min(cycles for _, cycles in times) > 4 * 160_000
    for one, like in zip(outcome.result["links"], exact.result["links"], strict=True):
        for way in ("a_to_b", "b_to_a"):
            assert (one[way]["packets"], one[way]["hash"]) == (like[way]["packets"], None)
    for key in ("threads=2", "batch_cycles=1000", "random_batch_seed=5"):
        again = run(load_text(RACK, [FUNCTIONAL, f"simulation.{key}"]))
        assert same_in_any_run(again) == same_in_any_run(outcome), key


@pytest.mark.parametrize(
    "engines",
    [
        ["simulation.engine=rtl"],
        ["simulation.engine=rtl", "simulation.rtl_engine=verilator"],
        ["simulation.engine=functional", "simulation.engines={node1: rtl}"],
    ],
)
def test_nodes_of_every_engine_take_it(results_root: Path, engines: list[str]) -> None:
    near = "simulation.network={mode: functional, max_drift_us: 8}"
    outcome = run(load_text(RACK, [near, *engines]))
    assert outcome.exit_status == 0
    assert outcome.result["token_hash"] is None
    said = (outcome.folder / "node0" / "uart.log").read_text()
    assert min(cycles for _, cycles in round_trips(said)) > 4 * 12_800
    again = run(load_text(RACK, [near, *engines, "simulation.random_batch_seed=5"]))
    assert same_in_any_run(again) == same_in_any_run(outcome)


def test_it_is_the_same_on_many_hosts(results_root: Path, tmp_path: Path) -> None:
    farm = tmp_path / "farm.yaml"
    farm.write_text(f"kind: local\nprocesses: 3\nfolder: {tmp_path / 'hosts'}\n")
    here = run(load_text(RACK, [FUNCTIONAL]))
    there = run(load_text(RACK, [FUNCTIONAL, f'placement.run_farm="{farm}"']))
    assert same_in_any_run(there) == same_in_any_run(here)


def test_every_result_says_so(results_root: Path) -> None:
    outcome = run(load_text(RACK, [FUNCTIONAL]))
    assert outcome.result["token_hash"] is None
    assert outcome.result["network"] == {"mode": "functional", "max_drift_cycles": 320_000}
    text = io.StringIO()
    console = Console(file=text, width=200)
    print_summary(outcome, console)
    print_runs({"one": outcome}, console)
    assert SAYS in text.getvalue()
    assert "none: functional network" in text.getvalue()
    assert SAYS in write_report(outcome.folder).read_text()
    assert [listed.is_functional for listed in listed_runs()] == [True]
