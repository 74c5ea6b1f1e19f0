# SPDX-License-Identifier: BSD-3-Clause
"""The end of a run, as it is printed: which nodes failed, and what each node did."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.results.node_summary import node_summaries, percentile, print_node_summary
from firesim.results.outcome import Outcome
from firesim.results.summary import print_summary
from rich.console import Console

MANY = """\
system: {topology: rack_70, node: {memory: {size_mib: 16}}}
workload:
  node: {program: hello}
  nodes: {node66: {program: ping, args: ["role=nonsense"]}}
simulation: {engine: functional, throughput_interval_cycles: 0}
"""
COUNTED = """\
system: {topology: two_nodes, link: {latency_cycles: 1000, bandwidth_gbps: 100}}
workload: {node: {program: hello}}
simulation: {autocounter: {enabled: true}}
"""


def printed(outcome: Outcome) -> str:
    """Return what is printed at the end of a run, in a terminal of 80 columns."""
    out = io.StringIO()
    print_summary(outcome, Console(file=out, width=80))
    return out.getvalue()


def test_of_many_nodes_those_that_failed_come_first(results_root: Path) -> None:
    outcome = run(load_text(MANY))
    assert outcome.exit_status == 1
    text = printed(outcome)
    rows = [line for line in text.splitlines() if line.startswith("│ node")]
    assert len(rows) == 64
    assert rows[0].startswith("│ node66 ")
    assert rows[1].startswith("│ node0 ")
    assert "6 more nodes in result.json" in text
    assert "end: a node failed\nfailed: node66 (exit 2)\n" in text


LONG = "rack{}-a-rather-long-server-name-{}"


def test_long_names_cut_nothing(results_root: Path) -> None:
    names = [LONG.format(rack, server) for rack in range(2) for server in range(2)]
    text = (
        f"system: {{topology: {{tree: {{spine: {{tor0: {names[:2]}, tor1: {names[2:]}}}}}}}}}\n"
        f"workload: {{node: {{program: hello}}, nodes: {{{names[3]}: {{args: [exit=3]}}}}}}\n"
        "simulation: {engine: functional, throughput_interval_cycles: 0}\n"
    )
    lines = printed(run(load_text(text.replace("'", "")))).splitlines()
    assert max(map(len, [line for line in lines if line.startswith(("┃", "│"))])) <= 80
    rows = [line.replace("│", " ").split() for line in lines if line.startswith("│")]
    assert [row[0] for row in rows] == names
    assert [row[2] for row in rows] == ["0", "0", "0", "3"]
    assert "…" not in "".join(lines)


def test_sentences_break_between_words_in_a_terminal(results_root: Path) -> None:
    outcome = run(load_text(MANY))
    out = io.StringIO()
    print_summary(outcome, Console(file=out, width=80, force_terminal=True, color_system=None))
    said = next(line for line in out.getvalue().splitlines() if line.startswith("simulated"))
    assert len(said) <= 80
    assert "than real time" in printed(outcome)  # In one line where programs read it.


@pytest.fixture
def counted(tmp_path: Path) -> Outcome:
    """A run of two nodes with counters of the test's own."""
    plan = resolve(load_text(COUNTED))
    (tmp_path / "node0").mkdir()
    names = "cycle,hart0_icache_miss,hart0_dcache_miss,hart0_branch_mispredict,hart0_instructions"
    (tmp_path / "node0/counters.csv").write_text(f"{names}\n500,9,9,9,9\n1000,2,4,6,2000\n")
    link = {"name": "node0--tor0", "flits": 250, "packets": 1, "hash": "0"}
    result = {
        "end_cycle": 1000,
        "nodes": [{"name": "node0", "cycles": 1000}, {"name": "node1", "cycles": 1000}],
        "links": [{"name": link["name"], "a_to_b": link, "b_to_a": {**link, "flits": 0}}],
    }
    return Outcome(tmp_path, plan, 0, result)


def test_a_node_is_summed_up(counted: Outcome) -> None:
    first = node_summaries(counted)["node0"]
    assert first.ipc == 2.0
    assert first.mpki == {"icache": 1.0, "dcache": 2.0, "branch": 3.0}
    # 250 flits of 64 bits in 1,000 cycles of 3.2 GHz are 51.2 Gb/s.
    assert first.sent_share == pytest.approx(0.512)
    assert first.received_share == 0
    assert "node1" not in node_summaries(counted)


def test_percentiles_lie_between_values() -> None:
    values = [30.0, 10.0, 20.0]
    assert [percentile(values, share) for share in (0, 0.25, 0.5, 1)] == [10, 15, 20, 30]


def test_the_summary_fits_a_terminal(counted: Outcome) -> None:
    out = io.StringIO()
    print_node_summary(counted, Console(file=out, width=80))
    text = out.getvalue()
    assert max(len(line) for line in text.splitlines()) <= 80
    row = next(line for line in text.splitlines() if "node0" in line)
    assert row.replace("│", " ").split() == "node0 2.00 1.0 2.0 3.0 51.2 % 0.0 %".split()
