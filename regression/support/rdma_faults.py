# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a packet of one message between RDMA NICs, and what must be seen of them."""

from __future__ import annotations

import re

from regression.support.cluster import Config, merged
from regression.support.experiment import ExperimentError
from regression.support.rdma_traffic import Traffic, recipe
from regression.support.roce import UDP_PORT
from regression.support.simulate import Run

KINDS = ("drop", "duplicate", "corrupt", "behind")
OPERATIONS = ("write", "read", "send")
MORE: dict[str, Config] = {"corrupt": {"bits": [8 * 56 + 3]}, "behind": {"behind_frames": 1}}
"""A bit behind the BTH; a frame that stands behind the next one, or waits as long as it may."""
TIMEOUT = 1
_COUNTER = re.compile(r"(\w+)=(\d+)")


def fault_rule(kind: str, sender: str, packet: int) -> Config:
    """Return the rule of a link by which one packet of RoCEv2 of a sender has a fault."""
    match = {"destination_port": UDP_PORT}
    rule = {"fault": kind, "sender": sender, "match": match, "frames": [packet]}
    return {**rule, **MORE.get(kind, {})}


def one_message(traffic: Traffic, operation: str, rules: list[Config]) -> Config:
    """Return two nodes and a message over a link with fault rules."""
    config = recipe(traffic, captures=False)
    words = [f"operation={operation}", "exact=1", f"timeout={TIMEOUT}"]
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


def memory_lines(run: Run) -> list[str]:
    """Return what both nodes printed of their memories and completions."""
    lines = [line for node in ("node0", "node1") for line in run.console(node).splitlines()]
    return [line for line in lines if line.startswith(("rdma memory", "rdma receives"))]


def noticed(run: Run, kind: str) -> bool:
    """Return whether the counters say that a packet had this fault."""
    both = [counters(run, node) for node in ("node0", "node1")]
    total = {key: sum(one[key] for one in both) for key in both[0]}
    if kind == "corrupt":
        return total["wrong_icrc"] == 1
    if total["wrong_icrc"] or total["malformed"]:
        return False
    return kind != "drop" or total["went_back"] > 0
