# SPDX-License-Identifier: BSD-3-Clause
"""The drawing of a plan, as the report will have it, in a file of its own."""

from __future__ import annotations

from pathlib import Path

from firesim.report.drawing import topology_svg
from firesim.report.network import Network
from firesim.topology.plan import Plan


def write_svg(plan: Plan, path: Path) -> None:
    """Write the drawing of the report as an SVG file that stands alone."""
    network = Network(
        {
            "nodes": [
                {"name": node.name, "kind": "traffic" if node.traffic else node.engine}
                for node in plan.nodes
            ],
            "switches": [
                {
                    "name": switch.name,
                    "switching_latency_cycles": switch.switching_latency_cycles,
                }
                for switch in plan.switches
            ],
            "links": [
                {
                    "name": link.name,
                    "a": {"model": link.a, "port": link.a_port},
                    "b": {"model": link.b, "port": link.b_port},
                    "latency_cycles": link.latency_cycles,
                }
                for link in plan.links
            ],
        }
    )
    style = (Path(__file__).parent / "style.css").read_text()
    svg = str(topology_svg(network, plan.clock_hz))
    head, close, rest = svg.partition(">")
    path.write_text(f"{head}{close}<style>{style}</style>{rest}\n")
