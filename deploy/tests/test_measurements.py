# SPDX-License-Identifier: BSD-3-Clause
"""What guests print as measurements: terminal and report say the same, and text stays text."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.pipeline.run import run
from firesim.report.console import records, round_trips
from firesim.report.page import write_report
from firesim.report.results import LARGEST_TEXT_BYTES, read_text
from firesim.results.measurements import print_measurements
from firesim.results.outcome import Outcome
from firesim.results.outputs import collect_outputs, missing_outputs
from firesim.results.summary import print_summary
from firesim.run.shown import run_shown
from firesim.topology.peers import peers
from firesim_software.linux import description
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
GUEST = """\
system: {topology: two_nodes}
workload: {node: {linux: linux-hello}}
simulation: {engine: functional, max_cycles: 1000000000}
"""
TO_THE_RACK, ACROSS = 2 * (2 * 6400 + 10), 2 * (4 * 6400 + 3 * 10)
NO_NUMBERS = ["inf", "-inf", "nan", "1e999", "1" * 400, "0x" + "f" * 400, "1_0", "٣", "-1", "[/x]"]


def terminal(outcome: Outcome) -> str:
    """Return what the end of a run says of its measurements."""
    out = io.StringIO()
    print_measurements(outcome, Console(file=out, width=200))
    return out.getvalue()


def rows(folder: Path) -> list[list[str]]:
    """Return the round trips in the report of a run."""
    table = write_report(folder).read_text().split('<table id="round-trips"')[1]
    body = table.split("<tbody>")[1].split("</table>")[0]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>")[:-1]]


def test_pings_are_beside_the_ideal_of_the_node_pinged(results_root: Path) -> None:
    outcome = run(load_text(ACROSS_THE_ROOT))
    assert outcome.exit_status == 0, outcome.message
    said = terminal(outcome)
    assert said.count(f"4 x latency + 2 x switching = {ACROSS:,} cycles") == 2
    trips = round_trips((outcome.folder / "node0/uart.log").read_text())
    reported = [row for row in rows(outcome.folder) if row[0] == "node0"]
    assert len(trips) == 3
    for (number, cycles), row in zip(trips, reported, strict=False):
        above = f"{cycles - ACROSS:+,.0f} cycles"
        assert re.search(rf"\b{number}\b.*{re.escape(above)}", said)
        assert row[4:6] == [f"{ACROSS:,}", f"{cycles - ACROSS:,.0f}"]


def test_no_difference_is_said_where_nothing_names_the_node_pinged(results_root: Path) -> None:
    text = ACROSS_THE_ROOT.replace("${node3.mac}", "FF:FF:FF:FF:FF:FF")
    loaded = load_text(
        text.replace("${node2.mac}", "FF:FF:FF:FF:FF:FF"), ["simulation.max_cycles=1"]
    )
    outcome = run(loaded)
    (outcome.folder / "node0/uart.log").write_text("ping seq=1 rtt_cycles=60000\n")
    assert f"{TO_THE_RACK:,} or {ACROSS:,} cycles" in terminal(outcome)
    assert rows(outcome.folder)[0][4:] == [f"{TO_THE_RACK:,} or {ACROSS:,}", "–", "–"]


def test_a_node_talks_to_those_it_is_told_of_and_a_server_to_those_told_of_it() -> None:
    plan = resolve(load_text(ACROSS_THE_ROOT))
    told = (f"server={plan.node('node2').ip}:7", "not=172.16.0.44")
    nodes = [replace(one, args=told) if one.name == "node1" else one for one in plan.nodes]
    plan = replace(plan, nodes=tuple(nodes))
    assert peers(plan) == {
        "node0": ["node3"],
        "node1": ["node2"],
        "node2": ["node1"],
        "node3": ["node0"],
    }


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


def test_a_guest_that_prints_anything_leaves_a_report(results_root: Path) -> None:
    command = (
        "echo ping seq=inf rtt_cycles=5; echo 'stream bytes=1e999 cycles=3 errors=[/x]'; "
        "printf 'ping seq=1 rtt_cycles=%0400d\\n' 7; echo ping seq=2 rtt_cycles=77777; "
        "echo 'firesim-output: x'; echo abcde; echo firesim-output-end"
    )
    loaded = load_text(GUEST, [f"workload.node.command={json.dumps(command)}"])
    outcome = run_shown(loaded, None, Console(file=io.StringIO()))
    assert outcome.exit_status == 0, outcome.message
    assert [row[1:3] for row in rows(outcome.folder)] == [["2", "77,777"]] * 2


def test_a_name_that_cannot_be_keeps_no_other_file_away(tmp_path: Path) -> None:
    plan = resolve(load_text(GUEST))
    sent = "firesim-output: {}\nYQ==\nfiresim-output-end\n"
    for node, names in {"node0": ["/a", "/a/b", "/" + "n" * 300], "node1": ["/../c"]}.items():
        (tmp_path / node).mkdir()
        (tmp_path / node / "uart.log").write_text("".join(sent.format(name) for name in names))
    found = collect_outputs(plan, tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in found] == [
        "node0/outputs/a",
        "node1/outputs/c",
    ]


def test_an_output_that_did_not_come_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = ["/tmp/a b", "/tmp/dir", "/tmp/*.txt", "/tmp/nothing", "/tmp/x*"]
    found = description.describe("linux-hello").model_copy(update={"outputs": listed})
    monkeypatch.setattr(description, "describe", lambda name: found)
    plan = resolve(load_text(GUEST))
    sent = "firesim-output: {}\nYQ==\nfiresim-output-end\n"
    for node, names in {"node0": ["/tmp/a b", "/tmp/dir/c", "/tmp/ü.txt"], "node1": ["/"]}.items():
        (tmp_path / node).mkdir()
        text = "".join(sent.format(name) for name in names)
        (tmp_path / node / "uart.log").write_text(text, encoding="utf-8")
    written = [str(path.relative_to(tmp_path)) for path in collect_outputs(plan, tmp_path)]
    assert written == [f"node0/outputs/tmp/{name}" for name in ("a b", "dir/c", "ü.txt")]
    missing = [
        *(f"node0: {name}: no such file was sent" for name in ("/tmp/nothing", "/tmp/x*")),
        "node1: /: it cannot be a file here",
        *(f"node1: {name}: no such file was sent" for name in listed),
    ]
    assert missing_outputs(tmp_path) == missing
    out = io.StringIO()
    print_summary(Outcome(tmp_path, plan, 0), Console(file=out, width=200))
    assert "missing output of node0: /tmp/nothing: no such file" in out.getvalue()
    assert "output of node0: /tmp/nothing: no such" in write_report(tmp_path).read_text()


def test_half_a_line_of_a_long_log_is_no_measurement(tmp_path: Path) -> None:
    line = "ping seq=7 rtt_cycles=123456\n"
    log = tmp_path / "uart.log"
    log.write_text(line * (LARGEST_TEXT_BYTES // 10))
    text = read_text(log)
    assert LARGEST_TEXT_BYTES - 3 * len(line) < len(text) < LARGEST_TEXT_BYTES + 100
    assert set(round_trips(text)) == {(7, 123456)}
