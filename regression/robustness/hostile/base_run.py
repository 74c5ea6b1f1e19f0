# SPDX-License-Identifier: BSD-3-Clause
"""The real run whose files are broken: two functional nodes, a traffic generator, a gateway."""

from __future__ import annotations

from pathlib import Path

from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim_common.errors import InputError

SAVED_AT, CYCLES = 300_000, 320_000
RECIPE = """\
system:
  topology:
    nodes: [node0, node1, node2]
    switches: [switch0]
    links: [[node0, switch0], [node1, switch0], [node2, switch0]]
  link: {{latency_cycles: 2000}}
  node: {{memory: {{size_mib: 16}}}}
  nodes: {{node2: {{blade: traffic, traffic: {traffic}}}}}
  gateway: {{latency_cycles: 2000}}
workload:
  node: {{program: quickstart, args: [role=server]}}
  nodes:
    node0: {{args: [role=client, "peer=${{node1.mac}}", count=20, bytes=1048576]}}
simulation:
  engine: functional
  threads: 1
  max_cycles: {cycles}
  snapshots: {{at_cycles: [{saved}]}}
"""
TRAFFIC = "0 00:12:6D:00:00:02 1500 repeat 40000 100\n"


def recipe(folder: Path) -> str:
    """Return the recipe, with its traffic file in a folder."""
    traffic = folder / "node2.traffic"
    traffic.write_text(TRAFFIC)
    return RECIPE.format(traffic=traffic, cycles=CYCLES, saved=SAVED_AT)


def base_run(folder: Path) -> Path:
    """Run it in a folder; return its results, with a snapshot in the middle of a transfer.

    Raises:
        InputError: it did not run as it always does.
    """
    folder.mkdir(parents=True)
    outcome = run(load_text(recipe(folder)), results=folder / "base")
    if outcome.reason != "max_cycles":
        raise InputError(f"{outcome.folder}: found the end {outcome.reason}: {outcome.message}")
    return outcome.folder
