# SPDX-License-Identifier: BSD-3-Clause
"""Clusters that chase pointers: recipes, runs, and what nodes printed, checked by the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from regression.published.chase.reference import Chase, Counts, expected
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.rdma_traffic import RDMA_NODE
from regression.support.simulate import Run

CLOCK_HZ = 3.2e9
TICK_CYCLES = 100
"""Of the time base of 32 MHz, by which the program measures."""
TICK_US = TICK_CYCLES / CLOCK_HZ * 1e6
RACK_NODES = 33
"""Nodes of a switch, the most that a cluster of one switch has here."""
_CHASE = re.compile(r"^chase depth=(\d+) starts=(\d+) xor=(0x[0-9a-f]+) ticks=(\d+)$", re.MULTILINE)
_INCREMENT = re.compile(r"^increment count=(\d+) ticks=(\d+)$", re.MULTILINE)
_WORD = re.compile(r"(\w+)=(\d+)")


def names(servers: int) -> list[str]:
    """Return the client and the servers."""
    return ["client", *(f"s{index}" for index in range(servers))]


def topology(nodes: Sequence[str]) -> Config:
    """Return one switch, or racks of 32 under a root."""
    if len(nodes) <= RACK_NODES:
        return {"tree": {"tor": list(nodes)}}
    size = RACK_NODES - 1
    racks = {f"rack{at // size}": list(nodes[at : at + size]) for at in range(0, len(nodes), size)}
    return {"tree": {"root": racks}}


def cluster(nodes: Sequence[str], args: Sequence[str], link_cycles: int, engine: str) -> Config:
    """Return the client and servers `nodes` with the same arguments."""
    simulation = {"engine": engine, "throughput_interval_cycles": 0}
    return {
        "system": {
            "topology": topology(nodes),
            "link": {"latency_cycles": link_cycles},
            "node": {"memory": {"size_mib": 16}},
        },
        "workload": {
            "node": {"program": "chase", "args": list(args)},
            "nodes": {"client": {"args": ["role=client", *args]}},
        },
        "simulation": simulation,
    }


def recipe(chase: Chase, link_cycles: int, engine: str) -> Config:
    """Return the cluster of a chase."""
    args = [f"servers={chase.servers}", f"mode={chase.mode}", f"entries={chase.entries}"]
    args += [f"starts={chase.starts}", f"depth={chase.depths[-1]}"]
    args.append(f"sweep={int(len(chase.depths) > 1)}")
    config = cluster(names(chase.servers), args, link_cycles, engine)
    if chase.mode == "read":
        config["system"]["node"] = RDMA_NODE
    for server, calls in chase.restarts.items():
        config["workload"]["nodes"][f"s{server}"] = {"args": [*args, f"restart_after={calls}"]}
    return config


def printed(run: Run, node: str) -> dict[str, int]:
    """Return the counts that a node printed at its end.

    Raises:
        ExperimentError: it did not, or its NIC dropped a frame.
    """
    text = run.console(node)
    lines = [line for line in text.splitlines() if line.startswith(("sent ", "ran ", "refused "))]
    found = {key: int(value) for line in lines for key, value in _WORD.findall(line)}
    if found.get("dropped") != 0:
        raise ExperimentError(f"{run.folder}: {node}: found no counts, or a frame dropped: {text}")
    return found


@dataclass(frozen=True)
class Measured:
    """A chase that was run and found to be right."""

    chase: Chase
    run: Run
    values: dict[int, int]
    """By depth: what all starts found, one over the other."""
    ticks: dict[int, int]
    """By depth: for all starts."""
    on_path: dict[int, int]
    """By depth: messages that follow each other."""
    forwards: int

    def us(self, depth: int) -> float:
        """Return the time of one chase in microseconds."""
        return self.ticks[depth] * TICK_US / self.chase.starts

    def chases_per_s(self, depth: int) -> float:
        """Return the chases in a second, one after another."""
        return 1e6 / self.us(depth)


def _check(run: Run, node: str, wanted: Counts) -> None:
    found = printed(run, node)
    for key, value in vars(wanted).items():
        if found[key] != value:
            raise ExperimentError(
                f"{run.folder}: {node}: found {key}={found[key]}, expected {value}."
            )


def run_config(
    experiment: Experiment, name: str, chase: Chase, config: Config, calls: int = 0
) -> Measured:
    """Run a cluster of a chase and compare all that its nodes print with the reference.

    `calls` are those of server 0 that come from others than the chase.

    Raises:
        ExperimentError: a value found, or a count of a node, is another one.
    """
    run = run_cluster(experiment, name, config)
    wanted = expected(chase)
    wanted.nodes[1].executed += calls
    rows = {
        int(depth): (int(xor, 16), int(ticks))
        for depth, _, xor, ticks in _CHASE.findall(run.console("client"))
    }
    xors = {depth: xor for depth, (xor, _) in rows.items()}
    if xors != wanted.xors:
        raise ExperimentError(f"{run.folder}: found values {xors}, expected {wanted.xors}.")
    for node, counts in zip(names(chase.servers), wanted.nodes, strict=True):
        _check(run, node, counts)
    ticks = {depth: ticks for depth, (_, ticks) in rows.items()}
    return Measured(chase, run, xors, ticks, wanted.on_path, wanted.forwards)


def chased(
    experiment: Experiment,
    name: str,
    chase: Chase,
    link_cycles: int,
    engine: str,
    **simulation: object,
) -> Measured:
    """Run a chase; see `run_config`."""
    config = merged(recipe(chase, link_cycles, engine), {"simulation": simulation})
    return run_config(experiment, name, chase, config)


@dataclass(frozen=True)
class Increment:
    """How counters are incremented: the ways of the published tables."""

    name: str
    mode: str
    args: tuple[str, ...]
    frame_bytes: int
    """Of each frame that a measured message is."""


PUBLISHED_BITCODE_BYTES, PUBLISHED_BINARY_BYTES = 5_159, 49
INCREMENTS = (
    Increment("active message", "active", (), 33),
    Increment("cached", "fat", (), 26),
    Increment(
        "uncached, code of 5,159 bytes",
        "fat",
        (f"code_bytes={PUBLISHED_BITCODE_BYTES}", "always_whole=1"),
        5_185,
    ),
    Increment(
        "uncached binary, code of 49 bytes",
        "binary",
        (f"code_bytes={PUBLISHED_BINARY_BYTES}", "always_whole=1"),
        75,
    ),
)


@dataclass(frozen=True)
class Incremented:
    """Times of one increment: sent, found and run; in microseconds."""

    total_us: float
    lookup_us: float
    execution_us: float
    run: Run

    @property
    def transmission_us(self) -> float:
        """The rest."""
        return self.total_us - self.lookup_us - self.execution_us


def incremented(
    experiment: Experiment, way: Increment, count: int, link_cycles: int, engine: str
) -> Incremented:
    """Run increments alternately at the client and one server, with captures.

    Raises:
        ExperimentError: one of them did not count all.
    """
    args = ["what=increment", "entries=1", "starts=1", f"mode={way.mode}", f"count={count}"]
    args += way.args
    config = cluster(names(1), args, link_cycles, engine)
    config["simulation"]["captures"] = True
    name = "increment-" + "".join(c if c.isalnum() else "-" for c in way.name)
    run = run_cluster(experiment, name, config)
    found = _INCREMENT.search(run.console("client"))
    nodes = [printed(run, node) for node in names(1)]
    if found is None or any(node["executed"] != count for node in nodes):
        raise ExperimentError(f"{run.folder}: not every increment was counted.")
    us = 1e6 / CLOCK_HZ / (2 * count)
    lookup, execution = (sum(node[key] for node in nodes) for key in ("lookup", "execution"))
    return Incremented(int(found[2]) * TICK_US / (2 * count), lookup * us, execution * us, run)
