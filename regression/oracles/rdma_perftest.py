# SPDX-License-Identifier: BSD-3-Clause
"""Debian's perftest over the RDMA NIC by its Linux driver, unchanged, and between it and Soft-RoCE.

`ib_{send,write,read}_{lat,bw}` run between two functional nodes with the driver, and between such a
node and one with Soft-RoCE, which is client or server (links of 1 Gb/s), at MTU 1,024 and 4,096.
Each must print its line of results; every packet must be counted alike by both ends and by the
capture between them, and tshark, where it is installed, must have nothing to complain of. One hash
for any threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.rdma_linux import (
    BLADE,
    DRIVER,
    LINUX,
    SOFT_ROCE,
    Captured,
    Device,
    between_ends,
    hashes,
    slowed_for_software,
    verdict,
)
from regression.support.simulate import Run

TOOLS = (
    "ib_send_lat",
    "ib_write_lat",
    "ib_read_lat",
    "ib_send_bw",
    "ib_write_bw",
    "ib_read_bw",
)
QUICK_TOOLS = ("ib_send_lat", "ib_read_bw")
"""Those that the quick form runs with Soft-RoCE."""
ENDS = ((DRIVER, DRIVER), (DRIVER, SOFT_ROCE), (SOFT_ROCE, DRIVER))
"""Server and client."""
_TYPICAL_US, _AVERAGE_MIB = 4, 3
"""Columns of perftest's line of results: typical microseconds, average MiB/s."""


@dataclass
class _Rows:
    """What the runs showed."""

    tools: list[list[object]] = field(default_factory=list)
    captured: Captured = field(default_factory=Captured)


def _config(server: Device, client: Device, mtu: int, count: int, tools: tuple[str, ...]) -> Config:
    words = f"{mtu} {count} {' '.join(tools)}"
    config = between_ends(
        server,
        client,
        f"sh /etc/firesim/perftest server {words}",
        f"sh /etc/firesim/perftest ${{{BLADE}.ip}} {words}",
    )
    return slowed_for_software(config, (server, client))


def _figures(run: Run, count: int, tools: tuple[str, ...]) -> dict[str, str]:
    """Return the figure of each tool with its unit.

    Raises:
        ExperimentError: a tool did not end well on both nodes.
    """
    for node in (BLADE, LINUX):
        text = run.console(node)
        if wrong := re.search(r"(?i)^.*(?:completion with error|fail|error|BUG:).*$", text, re.M):
            raise ExperimentError(f"{run.folder}: {node} says: {wrong[0].strip()}")
    parts = re.split(r"^perftest (\S+)\s*$", run.console(LINUX), flags=re.M)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    figures = {}
    for tool in tools:
        found = re.search(rf"^ *\d+ +{count} .*$", texts.get(tool, ""), re.M)
        if found is None:
            raise ExperimentError(f"{run.folder}: {tool} printed no line of results.")
        columns = found[0].split()
        latency = tool.endswith("_lat")
        figures[tool] = (
            f"{columns[_TYPICAL_US]} us" if latency else f"{columns[_AVERAGE_MIB]} MiB/s"
        )
    return figures


def _run(experiment: Experiment, rows: _Rows, mtu: int, ends: tuple[Device, Device]) -> None:
    count = 20 if experiment.quick else 500
    tools = QUICK_TOOLS if experiment.quick and SOFT_ROCE in ends else TOOLS
    server, client = ends
    run = run_cluster(
        experiment,
        f"perftest-{mtu}-{server.name}-{client.name}",
        _config(server, client, mtu, count, tools),
    )
    for tool, figure in _figures(run, count, tools).items():
        rows.tools.append([tool, mtu, server.what, client.what, count, figure])
    rows.captured.note(run, lossy=False)


@experiment_named("rdma-perftest", add_kernel_argument)
def run(experiment: Experiment) -> Verdict:
    """Hold when every tool prints its results, and packets are counted alike."""
    check_kernel(experiment)
    rows = _Rows()
    for mtu in (1_024,) if experiment.quick else (1_024, 4_096):
        for ends in ENDS:
            _run(experiment, rows, mtu, ends)
    experiment.table(
        "Debian's perftest: typical latencies of 64 bytes, average bandwidths of 65,536 bytes",
        ["tool", "MTU (bytes)", "server", "client", "iterations", "it says"],
        rows.tools,
    )
    return verdict(
        experiment,
        rows.captured,
        hashes(experiment, _config(DRIVER, DRIVER, 1_024, 10, ("ib_write_bw",))),
        f"{len(rows.tools)} runs of perftest ended well",
        runs=len(rows.tools),
    )
