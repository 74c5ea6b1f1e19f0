# SPDX-License-Identifier: BSD-3-Clause
"""Nodes with two links: the latency of a link shows at its port alone, to the cycle.

Two nodes have a link to each of two switches, and one asks the other through both, one after the
other and at the same time; the program checks every word. A link is longer by d cycles. The first
frame through it, which waits for nothing, must come to its switch d cycles later, that of the other
link in the same cycle as before. Round trips must take 2 d cycles more, and through the other link
none: exactly on functional nodes, where d is a multiple of the period in which the programs poll,
and in RTL up to the periods of both programs. Each link must have carried exactly the frames that
the program sends. The run is repeated with one thread and two, in two processes, and from a
snapshot: one token hash. Then port 0 is left without a link, and the nodes are linked to each
other without a switch. Last, two functional Linux nodes ping each other through both ports, and go
on in RTL before and within the pings: the switches must have seen each ping in its network.

With --quick the nodes are functional, also those of Linux to their end. Without, they are in RTL,
and metasimulated once.
"""

from __future__ import annotations

import argparse
import random
import re
from dataclasses import dataclass
from math import lcm
from pathlib import Path
from typing import Any

import yaml
from firesim.pipeline.load import load_text
from firesim.topology.describe import Restart

from regression.support.captured_frames import read_capture
from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hosts.lab import whole_run
from regression.support.linux_links import BLADE, PORTS, linux_runs
from regression.support.snapshots import saved_folders

LATENCY_CYCLES = 2_000
LEAST_SHIFT_CYCLES = 500
_TRIP = re.compile(r"^port=(\d) seq=\d+ rtt_cycles=(\d+)$", re.MULTILINE)
_PERIOD = re.compile(r"^polling_period_cycles=(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Seen:
    """What a run left."""

    folder: Path
    result: dict[str, Any]

    @property
    def hash(self) -> str:
        """The token hash."""
        return str(self.result["token_hash"])

    def console(self, node: str) -> str:
        """Return what a node printed."""
        return (self.folder / node / "uart.log").read_text()

    def trips(self, port: int) -> list[int]:
        """Return the cycles of each round trip through a port."""
        return [int(one[2]) for one in _TRIP.finditer(self.console("node0")) if int(one[1]) == port]

    def first_cycle(self, port: int) -> int:
        """Return when the first frame through a port of node0 came to its switch."""
        frames = read_capture(self.folder / f"tor{port}" / "capture.pcapng")
        return next(one.cycle for one in frames if one.inbound and one.port == 0)

    def packets(self, link: str) -> list[int]:
        """Return the packets in each direction of a link."""
        found = next(one for one in self.result["links"] if one["name"] == link)
        return [int(found[way]["packets"]) for way in ("a_to_b", "b_to_a")]


def recipe(engine: str, count: int) -> Config:
    """Return two nodes with links to two switches, one of which asks the other."""
    peers = [f"peer{port}=${{node1.mac{port}}}" for port in PORTS]
    return {
        "system": {
            "topology": "planes_2_2",
            "link": {"latency_cycles": LATENCY_CYCLES},
            "node": {"blade": BLADE, "memory": {"size_mib": 16}},
        },
        "workload": {
            "node": {"program": "links"},
            "nodes": {
                "node0": {"args": ["role=client", *peers, f"count={count}"]},
                "node1": {"args": ["role=server"]},
            },
        },
        "simulation": {"engine": engine, "captures": True},
    }


def _run(experiment: Experiment, name: str, config: Config, restart: Restart | None = None) -> Seen:
    experiment.say(name)
    folder = experiment.folder / name.replace(" ", "-")
    loaded = load_text(yaml.safe_dump(config, sort_keys=False), name="two_links")
    outcome = whole_run(loaded, folder, (lambda _: restart) if restart else None)
    if outcome.exit_status:
        raise ExperimentError(f"{folder}: a node failed; see its uart.log.")
    return Seen(folder, outcome.result)


def _periods(seen: Seen) -> list[int]:
    """Return the cycles in which each program polls."""
    found = [_PERIOD.search(seen.console(node)) for node in ("node0", "node1")]
    if None in found:
        raise ExperimentError(f"{seen.folder}: a console has no polling_period_cycles.")
    return [int(one[1]) for one in found if one is not None]


def _shifts(experiment: Experiment, config: Config, base: Seen, is_rtl: bool) -> list[list[Any]]:
    """Return a row for each link that was made longer: where, by how much, and what that did."""
    periods = _periods(base)
    period, within = lcm(*periods), sum(periods) if is_rtl else 0
    chance = random.Random(experiment.seed)
    rows = []
    for port in PORTS:
        shift = period * (LEAST_SHIFT_CYCLES // period + chance.randint(1, 8))
        link = {"latency_cycles": LATENCY_CYCLES + shift}
        longer = _run(
            experiment,
            f"port {port} longer",
            merged(config, {"system": {"links": {f"node0--tor{port}": link}}}),
        )
        later = [longer.first_cycle(p) - base.first_cycle(p) for p in PORTS]
        more = [[b - a for a, b in zip(base.trips(p), longer.trips(p), strict=True)] for p in PORTS]
        beyond = [
            abs(one - 2 * shift * (p == port)) for p, trips in enumerate(more) for one in trips
        ]
        right = later == [shift * (p == port) for p in PORTS] and max(beyond) <= within
        spans = [f"{min(one)} … {max(one)}" for one in more]
        rows.append([port, shift, *later, *spans, f"{max(beyond)} of {within}", right])
    return rows


def _carried(seen: Seen, count: int) -> list[str]:
    """Return the links that have not carried what the program sends."""
    asked = 2 * count + 2  # The first, one after the other, together, and the end.
    wanted = {
        f"node{node}--tor{port}": [asked, asked - 1] if node == 0 else [asked - 1, asked]
        for node in (0, 1)
        for port in PORTS
    }
    return [link for link, packets in wanted.items() if seen.packets(link) != packets]


def _again(experiment: Experiment, config: Config, base: Seen) -> dict[str, str]:
    """Return the token hashes of the same run in other ways."""
    apart = {"node0": 0, "tor0": 0, "node1": 1, "tor1": 1}
    ways: dict[str, Config] = {
        "one thread": {"simulation": {"threads": 1}},
        "two threads": {"simulation": {"threads": 2}},
        "two hosts": {
            "placement": {
                "run_farm": "two_processes",
                "parts": {part: f"local{host}" for part, host in apart.items()},
            }
        },
    }
    if not experiment.quick:
        ways["metasimulated"] = {"simulation": {"engine": "metasim"}}
    found = {name: _run(experiment, name, merged(config, way)).hash for name, way in ways.items()}
    cycle = random.Random(experiment.seed).randrange(1000, int(base.result["end_cycle"]) * 9 // 10)
    saved = _run(
        experiment, "saved", merged(config, {"simulation": {"snapshots": {"at_cycles": [cycle]}}})
    )
    found["saved"] = saved.hash
    restart = Restart(saved_folders(saved.folder)[0], cycle)
    found[f"from cycle {cycle}"] = _run(experiment, "gone on", config, restart).hash
    return found


def _other_shapes(experiment: Experiment, config: Config) -> list[list[Any]]:
    """Return a row for each other topology: round trips through port 1, and packets at port 0."""
    graph = {"nodes": ["node0", "node1"], "switches": ["tor0"]}
    open_port = [["node0:1", "tor0"], ["node1:1", "tor0"]]
    direct = [["node0", "tor0"], ["node1", "tor0"], ["node0:1", "node1:1"]]
    rows = []
    for name, links, ports in (("port 0 open", open_port, "1"), ("port 1 direct", direct, "both")):
        shape = {**config, "system": {**config["system"], "topology": {**graph, "links": links}}}
        jobs = shape["workload"]["nodes"]
        asking = {n: {"args": [*job["args"], f"ports={ports}"]} for n, job in jobs.items()}
        seen = _run(experiment, name, merged(shape, {"workload": {"nodes": asking}}))
        nics = seen.result["nodes"][0]["statistics"]["nic"]
        rows.append([name, len(seen.trips(1)), nics[0]["packets_out"], nics[1]["packets_out"]])
    return rows


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=("rtl", "functional"), help="of the nodes")


@experiment_named("two-links", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every latency, count and hash is as it must be."""
    engine = experiment.arguments.engine or ("functional" if experiment.quick else "rtl")
    count = 3 if experiment.quick else 16
    config = recipe(engine, count)
    base = _run(experiment, "base", config)
    shifts = _shifts(experiment, config, base, engine != "functional")
    experiment.table(
        "A longer link at one port",
        ["port", "longer by d (cycles)", "first frame at tor0 (cycles later)", "at tor1",
         "round trips at port 0 (cycles more)", "at port 1", "beyond 2 d (cycles)", "as expected"],
        shifts,
    )  # fmt: skip
    wrong = _carried(base, count)
    hashes = {"base": base.hash, **_again(experiment, config, base)}
    experiment.table("The same run in other ways", ["way", "token hash"], [*hashes.items()])
    shapes = _other_shapes(experiment, config)
    experiment.table(
        "Other topologies",
        ["what", "round trips at port 1", "packets sent at port 0", "at port 1"],
        shapes,
    )
    asked = 2 * count + 2
    right = shapes == [
        ["port 0 open", count, 0, count + 2],
        ["port 1 direct", count, asked, asked],
    ]
    linux, faults = linux_runs(experiment, in_rtl=engine != "functional")
    experiment.table(
        "Linux: pings and answers over each link",
        ["which", "threads", "link 0", "link 1", "end (cycle)", "token hash"],
        linux,
    )
    for fault in faults:
        experiment.say(fault)
    experiment.keep(
        engine=engine, shifts=shifts, hashes=hashes, shapes=shapes, wrong=wrong, linux=linux
    )
    exact = sum(bool(row[-1]) for row in shifts)
    one_hash = len(set(hashes.values())) == 1
    holds = exact == len(PORTS) and not wrong and one_hash and right and not faults
    figure = (
        f"{exact} of {len(PORTS)} ports shift by d alone, {len(wrong)} links carried other "
        f"frames, {len(hashes)} runs with the hash {', '.join(sorted(set(hashes.values())))}, "
        f"{len(linux)} runs of Linux with {len(faults)} faults"
    )
    return Verdict(holds, figure, "each port by d alone, no other frames, one hash, no faults")
