# SPDX-License-Identifier: BSD-3-Clause
"""What guests print as measurements: terminal and report say the same, and text stays text."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from firesim.config.load import load_text
from firesim.report import write_report
from firesim.report.console import records, round_trips
from firesim.run.measurements import print_measurements
from firesim.run.runner import Outcome
from firesim.topology.resolve import resolve
from rich.console import Console

ACROSS_THE_ROOT = """\
system:
  topology: tree_2_2
  link: {latency_cycles: 6400}
  node: {memory: {size_mib: 16}}
workload:
  node: {program: ping, args: [role=server]}
  nodes:
    node0: {args: [role=client, "peer=${node3.mac}", count=3]}
    node1: {args: [role=client, "peer=${node2.mac}", count=1]}
simulation: {engine: functional, throughput_interval_cycles: 0, max_cycles: 100000000}
"""
NO_NUMBERS = ["inf", "-inf", "nan", "1e999", "1" * 400, "0x" + "f" * 400, "1_0", "٣", "-1", "[/x]"]


def terminal(outcome: Outcome) -> str:
    """Return what the end of a run says of its measurements."""
    out = io.StringIO()
    print_measurements(outcome, Console(file=out, width=200))
    return out.getvalue()


@pytest.mark.parametrize("word", NO_NUMBERS)
def test_what_is_no_number_is_text(word: str, tmp_path: Path) -> None:
    lines = [f"ping seq={word} rtt_cycles=5", f"ping seq=1 rtt_cycles={word}"]
    lines += [f"{kind} bytes={word} cycles=10 errors=0" for kind in ("stream", "tcp")]
    lines += [f"stream bytes=10 cycles={word}", f"tcp gbps_x1000={word}"]
    text = "\n".join([*lines, f"stream bytes=8 cycles=16 errors={word}", ""])
    plan = resolve(load_text(ACROSS_THE_ROOT))
    (tmp_path / "node0").mkdir()
    (tmp_path / "node0/uart.log").write_text(text)
    node = {"name": "node0", "kind": "functional", "bridges": {"uart": {"log": "node0/uart.log"}}}
    (tmp_path / "description.json").write_text(json.dumps({"nodes": [node]}))
    assert round_trips(text) == []
    found = [record.number("bytes") for record in records(text) if record.number("bytes")]
    assert found == [10, 8]
    said = terminal(Outcome(tmp_path, plan, 0))
    assert said == "stream of node0: 8 bytes in 16 cycles, 12.8 Gb/s\n"
    html = write_report(tmp_path).read_text()
    assert 'id="round-trips"' not in html and html.count("12.8") == 1
