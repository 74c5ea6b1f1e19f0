# SPDX-License-Identifier: BSD-3-Clause
"""Any graph of switches: every frame takes a shortest path, every broadcast comes once.

Rings, meshes, tori and random graphs of switches whose links have odd latencies. Each node sends a
frame to every other one, and a broadcast. Each must have arrived, and all links together must have
carried as many frames as the shortest paths have links, and for a broadcast as many as a spanning
tree. The same graph is simulated again with time cut at random and in three processes: one hash.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import yaml
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run as run_config
from firesim.topology.named import named_topology
from firesim.topology.shape import Shape

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.traffic import Packets, mac_of, traffic_config

MOST_SWITCHES = 64
BROADCAST = "FF:FF:FF:FF:FF:FF"
NOBODY = "02:00:00:00:00:01"
"""Gets the last frame, sent when all others have arrived; the first switch drops it."""
FRAME_BYTES = 62
APART_CYCLES = 40
"""Between two frames of a node."""
LATENCIES = range(11, 9_999, 2)
QUICK = ("ring_5_2", "mesh_3_4_1", "torus_4_4_1")
WHOLE = ("ring_64_1", "mesh_8_8_1", "torus_8_8_1", "torus_2_3_4", "ring_7_5")


@dataclass(frozen=True)
class Graph:
    """A shape, and the latencies of its links in cycles by "a--b"."""

    name: str
    shape: Shape
    latencies: dict[str, int]

    @property
    def frames_on_links(self) -> int:
        """How often a link carries a frame when all that is sent takes its shortest way."""
        nodes, switches = self.shape.nodes, self.shape.switches
        between: dict[str, dict[str, int]] = dict(
            nx.all_pairs_shortest_path_length(nx.Graph(self.shape.links))
        )
        single = sum(between[a][b] for a in nodes for b in nodes if a != b)
        to_nobody = 1
        return single + len(nodes) * (len(nodes) + len(switches) - 1) + to_nobody

    @property
    def far_cycles(self) -> int:
        """More cycles than any frame is under way: all links one after the other."""
        return sum(self.latencies.values())


def _random_shape(source: random.Random) -> Shape:
    """Return a connected graph with nodes at any of its switches."""
    count = source.randint(2, MOST_SWITCHES)
    switches = [f"s{i}" for i in range(count)]
    graph = nx.random_labeled_tree(count, seed=source.getrandbits(32))
    for _ in range(source.choice([1, 2, count])):
        graph.add_edge(*source.sample(range(count), 2))
    nodes = [f"n{i}" for i in range(source.randint(2, 24))]
    links = [(switches[a], switches[b]) for a, b in graph.edges]
    links += [(node, source.choice(switches)) for node in nodes]
    source.shuffle(links)
    return Shape(nodes, switches, links)


def _graphs(quick: bool, seed: int) -> list[Graph]:
    source = random.Random(seed)
    shapes = [(name, named_topology(name)) for name in (QUICK if quick else WHOLE)]
    shapes += [(f"random {i}", _random_shape(source)) for i in range(3 if quick else 25)]
    return [
        Graph(name, shape, {f"{a}--{b}": source.choice(LATENCIES) for a, b in shape.links})
        for name, shape in shapes
    ]


def _config(graph: Graph, folder: Path) -> dict[str, Any]:
    """Return a configuration in which every node sends to every other one and to all."""
    shape = graph.shape
    traffic: dict[int, list[Packets]] = {}
    for index in range(len(shape.nodes)):
        to = [mac_of(other) for other in range(len(shape.nodes)) if other != index] + [BROADCAST]
        traffic[index] = [
            Packets(number * APART_CYCLES, mac, FRAME_BYTES) for number, mac in enumerate(to)
        ]
    sending_cycles = len(shape.nodes) * APART_CYCLES
    last_cycle = 2 * (graph.far_cycles + sending_cycles)
    traffic[0].append(Packets(last_cycle, NOBODY, FRAME_BYTES))
    config = traffic_config("", folder, traffic)
    files = [one["traffic"] for one in config["system"]["nodes"].values()]
    config["system"]["nodes"] = {
        name: {"traffic": file} for name, file in zip(shape.nodes, files, strict=True)
    }
    config["system"]["topology"] = {
        "nodes": shape.nodes,
        "switches": shape.switches,
        "links": [list(pair) for pair in shape.links],
    }
    config["system"]["links"] = {
        name: {"latency_cycles": cycles} for name, cycles in graph.latencies.items()
    }
    return config


def _simulated(graph: Graph, text: str, folder: Path, overrides: list[str]) -> dict[str, Any]:
    """Return the result of one run; raise ExperimentError when it did not come to its end."""
    outcome = run_config(load_text(text, overrides, name="graph"), results=folder)
    if outcome.reason != "ended":
        raise ExperimentError(f"{graph.name}: ended with {outcome.reason}: {outcome.message}")
    return outcome.result


def _wrong(graph: Graph, result: dict[str, Any]) -> list[str]:
    """Return what did not arrive, or went another way."""
    others = len(graph.shape.nodes) - 1
    found = [
        f"{node['name']} received {node['statistics']['packets_received']}, expected {2 * others}"
        for node in result["nodes"]
        if node["statistics"]["packets_received"] != 2 * others
    ]
    carried = sum(link[way]["packets"] for link in result["links"] for way in ("a_to_b", "b_to_a"))
    if carried != graph.frames_on_links:
        found.append(f"links carried {carried}, expected {graph.frames_on_links}")
    return found


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", help="name of one graph, such as ring_64_1 or 'random 3'")


@experiment_named("graphs", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all frames of all graphs took shortest paths, with one hash for each graph."""
    farm = experiment.folder / "farm.yaml"
    farm.write_text(f"kind: local\nprocesses: 3\nfolder: {experiment.folder / 'hosts'}\n")
    rows, faults = [], 0
    for graph in _graphs(experiment.quick, experiment.seed):
        if experiment.arguments.only not in (None, graph.name):
            continue
        folder = experiment.folder / graph.name.replace(" ", "-")
        text = yaml.safe_dump(_config(graph, folder / "traffic"))
        variants = {
            "plain": ["simulation.threads=1"],
            "cut": [f"simulation.random_batch_seed={experiment.seed + 1}"],
            "hosts": [f'placement.run_farm="{farm}"'],
        }
        results = [
            _simulated(graph, text, folder / name, overrides)
            for name, overrides in variants.items()
        ]
        wrong = _wrong(graph, results[0])
        hashes = sorted({result["token_hash"] for result in results})
        faults += len(wrong) + len(hashes) - 1
        for line in wrong[:5]:
            experiment.say(f"{graph.name}: {line}")
        shape = graph.shape
        loops = len(shape.links) - len(shape.nodes) - len(shape.switches) + 1
        sizes = (len(shape.switches), len(shape.nodes), loops, graph.frames_on_links)
        rows.append((graph.name, *sizes, " ".join(hashes)))
    experiment.table(
        "graphs", ("graph", "switches", "nodes", "loops", "frames on links", "token hash"), rows
    )
    experiment.keep(graphs=[list(row) for row in rows])
    return Verdict(
        bool(rows) and faults == 0,
        f"{len(rows)} graphs, every frame over a shortest path, three runs each; {faults} faults,",
        "none",
    )
