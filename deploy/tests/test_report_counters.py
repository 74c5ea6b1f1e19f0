# SPDX-License-Identifier: BSD-3-Clause
"""Counters of a report that are the values of one vector."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from firesim.report.page import write_report

HEADER = "cycle,queue.fill[0],queue.fill[1],queue.fill[2],queue.fill[3],sent\n"


def page(folder: Path, rows: str) -> str:
    """Return the report of a node that counted so."""
    counted = {"file": "node0/counters.csv", "trigger": {"kind": "always"}}
    node = {"name": "node0", "kind": "rtl", "bridges": {"autocounter": counted}}
    value = {"version": 1, "clock_hz": 3_200_000_000, "nodes": [node]}
    (folder / "description.json").write_text(json.dumps(value))
    (folder / "result.json").write_text(json.dumps({"reason": "ended", "end_cycle": 800}))
    (folder / "node0").mkdir()
    (folder / "node0/counters.csv").write_text(HEADER + rows)
    return write_report(folder).read_text(encoding="utf-8")


def test_they_are_one_histogram(tmp_path: Path) -> None:
    rows = "".join(f"{c},{c // 2},{c // 4},{c // 4},0,{c // 8}\n" for c in (0, 400, 800))
    html = page(tmp_path, rows)
    assert "fill: mean 0.75, median 0, 95 % 2, largest 2" in html
    assert html.count('class="chart"') == 2  # The histogram, and what was sent.


@pytest.mark.parametrize("values", ["1,-1,0,0", "0,0,0,0", "1e308,1e308,0,0", "-1,0,0,0"])
def test_counts_that_cannot_be_are_no_histogram(tmp_path: Path, values: str) -> None:
    html = page(tmp_path, f"0,0,0,0,0,0\n8,{values},1\n")
    assert "fill: mean" not in html
