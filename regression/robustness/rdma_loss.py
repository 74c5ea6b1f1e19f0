# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC when packets are lost, doubled, corrupted or overtaken, one of each message in turn.

A WRITE, a READ and a SEND are sent over a link whose fault rules hit one packet of RoCEv2 at a
time, in either direction. Both memories must be what they are without faults, each message must
have one completion, and the counters must say what was done: a lost packet is made up for, a
corrupt one is found by its ICRC, a copy is recognized.
"""

from __future__ import annotations

import re

from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_traffic import Traffic, recipe
from regression.support.roce import UDP_PORT
from regression.support.simulate import Run

KINDS = ("drop", "duplicate", "corrupt", "behind")
OPERATIONS = ("write", "read", "send")
_MORE: dict[str, Config] = {"corrupt": {"bits": [8 * 56 + 3]}, "behind": {"behind_frames": 1}}
"""A bit behind the BTH; a frame that stands behind the next one, or waits as long as it may."""
_TIMEOUT = 1
_COUNTER = re.compile(r"(\w+)=(\d+)")


def _rule(kind: str, sender: str, packet: int) -> Config:
    match = {"destination_port": UDP_PORT}
    rule = {"fault": kind, "sender": sender, "match": match, "frames": [packet]}
    return {**rule, **_MORE.get(kind, {})}


def _config(traffic: Traffic, operation: str, rules: list[Config]) -> Config:
    config = recipe(traffic, captures=False)
    words = [f"operation={operation}", "exact=1", f"timeout={_TIMEOUT}"]
    for node in config["workload"]["nodes"].values():
        node["args"] += words
    return merged(config, {"system": {"link": {"faults": {"rules": rules}}}})


def counters(run: Run, node: str) -> dict[str, int]:
    """Return what a node's NIC counted.

    Raises:
        ExperimentError: the node printed no counters.
    """
    for line in run.console(node).splitlines():
        if line.startswith("rdma sent="):
            return {key: int(value) for key, value in _COUNTER.findall(line)}
    raise ExperimentError(f"{node}: found no counters.")


def _memories(run: Run) -> list[str]:
    lines = [line for node in ("node0", "node1") for line in run.console(node).splitlines()]
    return [line for line in lines if line.startswith(("rdma memory", "rdma receives"))]


def _noticed(run: Run, kind: str) -> bool:
    """Return whether the counters say that a packet had this fault."""
    both = [counters(run, node) for node in ("node0", "node1")]
    total = {key: sum(one[key] for one in both) for key in both[0]}
    if kind == "corrupt":
        return total["wrong_icrc"] == 1
    if total["wrong_icrc"] or total["malformed"]:
        return False
    return kind != "drop" or total["went_back"] > 0


@experiment_named("rdma-loss")
def run(experiment: Experiment) -> Verdict:
    """Hold when every fault is made up for and counted."""
    mtu, size = (1_024, 4_096) if experiment.quick else (1_024, 65_536)
    traffic = Traffic(1, size, mtu, 0xFFFFFE, experiment.seed % 1_000_000, 2 * size)
    rows, held, runs = [], 0, 0
    for operation in OPERATIONS:
        clean = run_cluster(experiment, f"{operation}-clean", _config(traffic, operation, []))
        sent = {node: counters(clean, node)["sent"] for node in ("node0", "node1")}
        reference = _memories(clean)
        faults = [
            (kind, node, packet)
            for kind in KINDS
            for node, count in sent.items()
            for packet in range(1, count + 1)
        ]
        if experiment.quick:
            faults = faults[experiment.seed % 3 :: 7]
        for kind, node, packet in faults:
            name = f"{operation}-{kind}-{node}-{packet}"
            rule = _rule(kind, node, packet)
            ran = run_cluster(experiment, name, _config(traffic, operation, [rule]))
            good = _memories(ran) == reference and _noticed(ran, kind)
            runs += 1
            held += good
            if not good:
                rows.append([operation, kind, node, packet])
    experiment.table(
        "Faults that were not made up for", ["operation", "fault", "sender", "packet"], rows
    )
    experiment.keep(runs=runs, held=held)
    return Verdict(
        held == runs,
        f"{held} of {runs} faults of a packet made up for and counted, both memories as without",
        "all",
    )
