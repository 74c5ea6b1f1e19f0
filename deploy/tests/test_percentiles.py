# SPDX-License-Identifier: BSD-3-Clause
"""Percentiles: of bins and single values, of what models wrote, and of a run beside its pings."""

from __future__ import annotations

import json
import random
from pathlib import Path

import firesim
import pytest
from firesim.metrics.histograms import of_values, read_histograms
from firesim.metrics.percentiles import SHARES, Bin, Bounds, percentile_of
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.report.page import write_report
from firesim.results.compare import compare
from rich.console import Console

PINGS = """\
system: {topology: two_nodes, link: {latency_cycles: 1000}, node: {memory: {size_mib: 16}}}
workload: ping
simulation: {engine: functional}
"""
READ = {"what": "read latency", "unit": "cycles", "count": 20, "sum": 1000, "largest": 301}


def written(folder: Path, *entries: dict[str, object]) -> Path:
    """Write a file of histograms for node0; return the folder of the run."""
    (folder / "node0").mkdir(exist_ok=True)
    (folder / "node0/histograms.json").write_text(json.dumps({"histograms": entries}))
    return folder


def test_they_are_nearest_ranks() -> None:
    bins = [Bin(1, 1, 50), Bin(2, 2, 45), Bin(200, 201, 4), Bin(300, 303, 1)]
    assert [percentile_of(bins, share) for share in SHARES.values()] == [
        Bounds(1, 1),
        Bounds(2, 2),
        Bounds(200, 201),
    ]
    with pytest.raises(ValueError, match="found no counts"):
        percentile_of([Bin(1, 1, 0)], SHARES["p50"])


def test_nothing_lies_above_the_largest(tmp_path: Path) -> None:
    bins = [[40, 40, 18], [300, 303, 2]]
    (found,) = read_histograms(written(tmp_path, {**READ, "bins": bins}), "node0")
    assert (found.count, found.mean, found.largest) == (20, 50.0, 301)
    assert found.at == {"p50": Bounds(40, 40), "p95": Bounds(300, 301), "p99": Bounds(300, 301)}


def test_values_are_those_of_a_sorted_list() -> None:
    seed = 20261127
    values = [float(random.Random(seed + n).randrange(1000)) for n in range(777)]
    found = of_values("node0", "round trip", "cycles", values)
    assert found is not None and found.largest == max(values)
    for name, rank in (("p50", 389), ("p95", 739), ("p99", 770)):  # of 777, rounded up
        assert found.at[name].low == found.at[name].high == sorted(values)[rank - 1]


@pytest.mark.parametrize(
    "bins",
    [[[1, 1, -1]], [[2, 2, 1], [1, 1, 1]], [[2, 1, 1]], [[1, 1]], [[1, 1, "a"]], [1], [[1, 1, 0]]],
)
def test_what_no_model_writes_is_nothing(tmp_path: Path, bins: object) -> None:
    assert list(read_histograms(written(tmp_path, {**READ, "bins": bins}), "node0")) == []
    assert list(read_histograms(tmp_path, "../node0")) == []


def test_a_run_has_them(results_root: Path) -> None:
    results = firesim.parse(PINGS).run()
    found = results.percentiles.set_index(["part", "what"])
    trips = found.loc[("node0", "round trip")]
    cycles = sorted(results.pings["cycles"])
    assert trips["count"] == len(cycles) == 10
    assert [trips[f"p{n}_low"] for n in (50, 95, 99)] == [cycles[4], cycles[9], cycles[9]]
    assert trips["p99_low"] == trips["p99_high"] == trips["largest"] == max(cycles)
    for port, peer in ((0, "node0"), (1, "node1")):
        wait, queue = (
            found.loc[("tor0", f"port {port} wait")],
            found.loc[("tor0", f"port {port} queue")],
        )
        sent = results.ports.set_index("linked_to").loc[peer, "packets_out"]
        assert wait["count"] == sent > 0 and wait["largest"] == 0  # Nobody else sends.
        assert queue["count"] == results.end_cycle and queue["largest"] == 1
    page = write_report(results.folder).read_text(encoding="utf-8")
    assert "port 0 wait, to node0" in page
    assert compare(results.folder, results.folder) == []


def test_memory_latency_of_rtl_is_that_of_its_timing(results_root: Path) -> None:
    text = """\
system: {topology: rack_1, link: {latency_cycles: 2000}, node: {memory: {size_mib: 16}}}
workload: {node: {program: hello}}
simulation: {max_cycles: 4500}
"""
    outcome = run(load_text(text), console=Console(quiet=True))
    memory = json.loads((outcome.folder / "node0/memory.json").read_text())
    reads = next(read_histograms(outcome.folder, "node0"))
    assert reads.count == memory["reads"]["bursts"] > 0
    assert reads.mean == pytest.approx(memory["reads"]["mean_latency_cycles"])
    assert reads.at["p50"] == Bounds(40, 40)  # The fixed timing; some wait for beats of others.
