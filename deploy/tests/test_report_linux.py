# SPDX-License-Identifier: BSD-3-Clause
"""Reports of runs with functional nodes, snapshots, long consoles and outside input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firesim.report.page import write_report


def results(folder: Path, result: dict[str, Any], versions: dict[str, Any], log: str) -> str:
    """Write the results of a functional node beside an RTL one; return the report."""
    bridges = {"uart": {"log": "NAME/uart.log"}, "memory": {"size_bytes": 64 << 20}}
    nodes = [
        {
            "name": name,
            "kind": kind,
            "bridges": json.loads(json.dumps(bridges).replace("NAME", name)),
        }
        for name, kind in (("node0", "functional"), ("node1", "rtl"))
    ]
    value = {"version": 1, "clock_hz": 3_200_000_000, "nodes": nodes}
    (folder / "description.json").write_text(json.dumps(value))
    whole = {"reason": "ended", "end_cycle": 3_000_000, "wall_s": 2.0, "token_hash": "00ff"}
    (folder / "result.json").write_text(json.dumps({**whole, **result}))
    (folder / "versions.json").write_text(json.dumps(versions))
    for name in ("node0", "node1"):
        (folder / name).mkdir()
        (folder / name / "uart.log").write_text(log)
    return write_report(folder).read_text()


def test_the_engine_and_console_of_each_node_are_shown(tmp_path: Path) -> None:
    html = results(tmp_path, {}, {}, "Linux version 6.1\nfiresim: done\n")
    assert '<td class="text">functional</td>' in html and '<td class="text">rtl</td>' in html
    assert html.count("firesim: done") == 2
    assert "memory.json was not written" not in html


def test_of_a_long_console_the_end_is_shown(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("firesim.report.page.MOST_CONSOLES", 8192)
    html = results(tmp_path, {}, {}, "first words\n" + "x" * 5000 + "\nreboot: Power down\n")
    assert html.count("reboot: Power down") == 2 and "first words" not in html
    assert '936 characters before it are in <a href="node0/uart.log">' in html


def test_outside_input_is_marked(tmp_path: Path) -> None:
    assert "not deterministic" in results(tmp_path, {"deterministic": False}, {}, "")


def test_an_exact_run_has_no_mark(tmp_path: Path) -> None:
    assert "not deterministic" not in results(tmp_path, {"deterministic": True}, {}, "")


def test_a_run_from_a_snapshot_counts_its_own_cycles(tmp_path: Path) -> None:
    html = results(tmp_path, {}, {"snapshot": {"path": "/s/booted", "cycle": 1_000_000}}, "")
    assert "2,000,000 since the snapshot" in html
    assert "1,000 kHz" in html


def test_published_tcp_stands_beside_rtl_only(tmp_path: Path) -> None:
    html = results(tmp_path, {}, {}, "tcp bytes=131072 cycles=2400000 errors=0\n")
    table = html.split('<table id="bandwidth"')[1].split("</table>")[0]
    assert table.count('<td class="text">tcp</td>') == 2
    assert table.count("1.4 (iperf3 on Linux)") == 1
