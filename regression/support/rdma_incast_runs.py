# SPDX-License-Identifier: BSD-3-Clause
"""Runs of an incast with and without DCQCN: a full and a quick form, and what is seen of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from regression.support.cluster import Cluster, Config, run_cluster
from regression.support.dcqcn import CYCLES_PER_US, Settings
from regression.support.dcqcn_replay import disagreements
from regression.support.experiment import Experiment
from regression.support.rdma_incast import (
    LATENCY_CYCLES,
    RECEIVER,
    VICTIM,
    Depth,
    Incast,
    capture,
    counters,
    fairness,
    goodput_gbps,
    percentile,
    queue_depth,
    samples,
    switch_sum,
)
from regression.support.roce import is_cnp
from regression.support.simulate import Run

GBPS, LINE_MBPS = 40, 40_960
NIC_CYCLES = 10
"""From the last flit of a CNP at the NIC to where it counts."""
FULL = Incast(
    senders=8,
    dcqcn=True,
    settings=Settings(line_mbps=LINE_MBPS),
    gbps=GBPS,
    start=500_000,
    settled=500_000 + 9_000 * CYCLES_PER_US,
    end=500_000 + 12_000 * CYCLES_PER_US,
    every=80_000,
)
QUICK = replace(
    FULL,
    senders=3,
    settings=Settings(
        cnp_cycles=5 * CYCLES_PER_US,
        alpha_cycles=5 * CYCLES_PER_US + CYCLES_PER_US // 2,
        increase_cycles=5 * CYCLES_PER_US + CYCLES_PER_US // 2,
        line_mbps=LINE_MBPS,
        additive_mbps=400,
    ),
    settled=500_000 + 100 * CYCLES_PER_US,
    end=500_000 + 200 * CYCLES_PER_US,
    every=6_400,
)


@dataclass(frozen=True)
class Seen:
    """One run, looked at when it has settled.

    The first notifications halve rates again and again, and the additive increase takes
    milliseconds to bring them back.
    """

    run: Run
    incast: Incast
    macs: dict[str, bytes]
    total_gbps: float
    fairness: float
    victim_gbps: float
    depth: Depth
    queue_p90_bytes: int
    pauses: int
    lost: int


def observed(experiment: Experiment, incast: Incast, name: str, config: Config) -> Seen:
    """Run a configuration of an incast, and return what is to be known of it."""
    nodes = Cluster(experiment, config).plan.nodes
    macs = {node.name: bytes.fromhex(node.mac.replace(":", "")) for node in nodes}
    run = run_cluster(experiment, name, config)
    settled = incast.settled
    rates = [goodput_gbps(run, one, settled, incast.end) for one in incast.names]
    depth = queue_depth(capture(run, "root"), macs[RECEIVER])
    return Seen(
        run,
        incast,
        macs,
        sum(rates),
        fairness(rates),
        goodput_gbps(run, VICTIM, settled, incast.end),
        depth,
        percentile(depth.over(settled, incast.end, 4_000)[1], 0.9),
        switch_sum(run, "pauses_sent"),
        switch_sum(run, "dropped_queue_full") + sum(counters(run, one)[0] for one in macs),
    )


def as_the_reference(experiment: Experiment, seen: Seen, nic_cycles: int = NIC_CYCLES) -> bool:
    """Return whether every rate that a sender read is the reference's, by the capture's CNPs.

    A CNP counts `nic_cycles` after its last flit.
    """
    rows, good = [], True
    for index, name in enumerate(seen.incast.names):
        frames = capture(seen.run, f"rack{index // 2}")
        cycles = [
            one.cycle + LATENCY_CYCLES + nic_cycles
            for one in frames
            if is_cnp(one) and not one.inbound and one.destination == seen.macs[name]
        ]
        found = samples(seen.run, name)
        wrong = disagreements(seen.incast.settings, cycles, index, found)
        received = counters(seen.run, name)[2]
        least = min(one.rate_mbps for one in found)
        rows.append((name, len(cycles), received, len(found), least, len(wrong)))
        good = good and not wrong and len(cycles) == received > 0
    columns = (
        "sender",
        "CNPs",
        "CNPs counted",
        "rates read",
        "least (Mb/s)",
        "not the reference's",
    )
    experiment.table("Rates against the reference (measured)", columns, rows)
    return good
