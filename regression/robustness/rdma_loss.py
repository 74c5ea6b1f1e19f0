# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC when packets are lost, doubled, corrupted or overtaken, one of each message in turn.

A WRITE, a READ and a SEND are sent over a link whose fault rules hit one packet of RoCEv2 at a
time, in either direction. Both memories must be what they are without faults, each message must
have one completion, and the counters must say what was done: a lost packet is made up for, a
corrupt one is found by its ICRC, a copy is recognized. Then many messages of up to three queue
pairs are on the wire together, and faults of all kinds hit packets by seed.
"""

from __future__ import annotations

import re

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.rdma_faults import (
    KINDS,
    MORE,
    OPERATIONS,
    TIMEOUT,
    counters,
    fault_rule,
    memory_lines,
    noticed,
    one_message,
)
from regression.support.rdma_traffic import Traffic, client_and_server
from regression.support.roce import UDP_PORT

_QUICK_SCHEDULES, _SCHEDULES = 2, 100
_MEMORY = re.compile(r"rdmaspeed memory=(\S+)")
_WENT_BACK = re.compile(r"rdmaspeed .*went_back=(\d+)")


def _pairs(seed: int) -> int:
    """Return the queue pairs of a schedule; READs of several would come into the same memory."""
    return 1 if OPERATIONS[seed % len(OPERATIONS)] == "read" else 3


def _schedule(seed: int) -> Config:
    """Return many messages at a time, and faults by seed: one packet of 25 has one."""
    operation = OPERATIONS[seed % len(OPERATIONS)]
    pairs = _pairs(seed)
    shared = [f"operation={operation}", f"pairs={pairs}", "window=6", "count=30", "size=3000"]
    shared += [f"timeout={TIMEOUT}", "mtu=1024", "polls=100000000"]
    rules = [
        {"fault": kind, "match": {"destination_port": UDP_PORT}, "probability": "1%"}
        | MORE.get(kind, {})
        for kind in KINDS
    ]
    link = {"latency": "200ns", "faults": {"seed": seed, "rules": rules}}
    return client_and_server("rdmaspeed", shared, link, threads=1)


def _schedules(experiment: Experiment, count: int) -> tuple[int, int]:
    """Return how many schedules left memory as it should be, and how often packets were resent.

    The program itself fails unless each message has one completion, in its order.
    """
    held, went_back = 0, 0
    for index in range(count):
        seed = experiment.seed % 1_000_000 + index
        ran = run_cluster(experiment, f"schedule-{seed}", _schedule(seed))
        both = [ran.console(node) for node in ("node0", "node1")]
        memories = [found for text in both for found in _MEMORY.findall(text)]
        held += len(memories) == 1 + _pairs(seed) and len(set(memories)) == 1
        went_back += int(_WENT_BACK.findall(both[0])[0])
    return held, went_back


@experiment_named("rdma-loss")
def run(experiment: Experiment) -> Verdict:
    """Hold when every fault is made up for and counted."""
    mtu, size = (1_024, 4_096) if experiment.quick else (1_024, 65_536)
    traffic = Traffic(1, size, mtu, 0xFFFFFE, experiment.seed % 1_000_000, 2 * size)
    rows, held, runs = [], 0, 0
    for operation in OPERATIONS:
        clean = run_cluster(experiment, f"{operation}-clean", one_message(traffic, operation, []))
        sent = {node: counters(clean, node)["sent"] for node in ("node0", "node1")}
        reference = memory_lines(clean)
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
            rule = fault_rule(kind, node, packet)
            ran = run_cluster(experiment, name, one_message(traffic, operation, [rule]))
            good = memory_lines(ran) == reference and noticed(ran, kind)
            runs += 1
            held += good
            if not good:
                rows.append([operation, kind, node, packet])
    experiment.table(
        "Faults that were not made up for", ["operation", "fault", "sender", "packet"], rows
    )
    schedules = _QUICK_SCHEDULES if experiment.quick else _SCHEDULES
    recovered, went_back = _schedules(experiment, schedules)
    experiment.keep(runs=runs, held=held, schedules=schedules, recovered=recovered)
    return Verdict(
        held == runs and recovered == schedules and went_back > 0,
        f"{held} of {runs} faults of a packet made up for and counted, both memories as without; "
        f"{recovered} of {schedules} schedules by seed ({went_back} returns to a lost packet)",
        "all",
    )
