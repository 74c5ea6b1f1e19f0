# SPDX-License-Identifier: BSD-3-Clause
"""Puts a report together: reads the results folder, fills the template, writes one HTML file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from firesim_common.whole_file import write_whole
from markupsafe import Markup

from firesim.report import about, counters, metrics, percentiles, sections, tables
from firesim.report.drawing import topology_svg
from firesim.report.link_faults import fault_table
from firesim.report.network import Network
from firesim.report.results import NodeFiles, Results, read_results
from firesim.report.templates import page_template
from firesim.units import byte_size

_HERE = Path(__file__).resolve().parent
STYLE = _HERE / "style.css"
"""The look of pages of a run, in light and in dark."""
FLAME = Path(__file__).with_name("flame.js")
SCRIPTS = ("script.js", "flame.js")
MOST_CONSOLES, LEAST_CONSOLE = 4 << 20, 4 << 10
"""Characters of all consoles together in a page, and of each at least."""


def _files(results: Results) -> list[dict[str, str]]:
    """List captures, traces and the raw files, with links relative to the report."""
    wanted = "*.pcapng *.folded *.csv *.json *.jsonl *.log *.yaml *.perfetto-trace".split()
    found = sorted({path for pattern in wanted for path in results.folder.rglob(pattern)})
    return [
        {
            "href": os.path.relpath(path, results.folder),
            "size": byte_size(path.lstat().st_size),
            "capture": "yes" if path.suffix == ".pcapng" else "",
            "timeline": "yes" if path.suffix == ".perfetto-trace" else "",
        }
        for path in found[:500]
    ]


def _consoles(nodes: list[NodeFiles]) -> list[dict[str, str]]:
    """Return each console with the file it is in; of long ones the end, which says how it went."""
    shown = [(node.name, node.console) for node in nodes if node.console is not None]
    room = max(LEAST_CONSOLE, MOST_CONSOLES // max(1, len(shown)))
    return [
        {
            "name": name,
            "text": text[-room:],
            "left_out": f"{len(text) - room:,}" if len(text) > room else "",
            "href": f"{name}/uart.log",
        }
        for name, text in shown
    ]


def _context(results: Results) -> dict[str, Any]:
    network = Network(results.description, results.peers)
    latencies = sorted({link.latency_cycles for link in network.links})
    return {
        "title": results.folder.name,
        "head": about.head(results),
        "tiles": tables.summary_tiles(results, beside_published=about.is_rocket_rtl(results)),
        "missing": results.missing,
        "topology": topology_svg(network, results.clock_hz),
        "counts": (
            (len(network.nodes), "node", "nodes"),
            (len(network.switching_cycles), "switch", "switches"),
            (len(network.links), "link", "links"),
        ),
        "many": sections.MANY,
        "latencies": latencies,
        "clock_hz": results.clock_hz,
        "nodes": tables.node_table(results, network),
        "ports": tables.port_table(results, network),
        "memory": tables.memory_table(results),
        "round_trips": tables.round_trip_table(results, network),
        "bandwidth": tables.bandwidth_table(results, network),
        "links": sections.link_plots(results, network),
        "faults": fault_table(results, network),
        "flames": sections.flames(results),
        "percentiles": percentiles.percentile_table(results, network),
        "metrics": metrics.metric_table(results),
        "counters": counters.counter_sections(results),
        "consoles": _consoles(results.nodes),
        "files": _files(results),
        "config_text": results.config_text,
        "description_text": json.dumps(results.description, indent=1)[:200_000],
        "versions": about.versions_table(results),
        "run_log": results.run_log,
        "style": Markup(STYLE.read_text(encoding="utf-8")),
        "scripts": [Markup((_HERE / name).read_text(encoding="utf-8")) for name in SCRIPTS],
    }


def write_report(results: Path) -> Path:
    """Write `report.html` into a results folder and return its path.

    The page needs no network and no other file. Results of a run that was killed or is still
    going give a report too, which says what is missing.

    Raises:
        FileNotFoundError: `results` is not a folder.
        InputError: its files are none that a run leaves.
    """
    folder = results.resolve()
    html = _page(folder)
    path = folder / "report.html"
    write_whole(path, html)
    return path


def _page(folder: Path) -> str:
    read = read_results(folder)
    return page_template(_HERE, "report.html.j2").render(_context(read))
