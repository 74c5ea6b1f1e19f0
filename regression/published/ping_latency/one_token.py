# SPDX-License-Identifier: BSD-3-Clause
"""One token through a switch: put in at cycle m, it leaves two links of l and a switch of n at
2l + m + n, to the cycle."""

from __future__ import annotations

import random

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment
from regression.support.traffic import LEAST_FRAME_BYTES, Packets, mac_of, traffic_config

SWITCHING_CYCLES = (1, 2, 10, 100, 6_400)
PAIRS = 12
EDGE_LATENCIES = (1, 7, 100, 6_400, 64_000)
LATEST_CYCLE = 200_000
SHOWN = 3


def _one_rack(experiment: Experiment, switching: int, rng: random.Random) -> list[list[int]]:
    """Send one token between the nodes of each pair; return rows of (l, m, n, arrival)."""
    latencies = [*EDGE_LATENCIES, *(rng.randint(1, 20_000) for _ in range(PAIRS))][:PAIRS]
    cycles = [rng.randint(20, LATEST_CYCLE) for _ in latencies]
    folder = experiment.folder / f"one-token-{switching}"
    traffic = {
        2 * i: [Packets(m, mac_of(2 * i + 1), LEAST_FRAME_BYTES)] for i, m in enumerate(cycles)
    }
    # One node more, whose late token keeps the run going until the others have arrived.
    last = 2 * PAIRS
    traffic[last] = [Packets(2 * LATEST_CYCLE, mac_of(last), LEAST_FRAME_BYTES)]
    config = traffic_config(
        f"rack_{last + 1}",
        folder,
        traffic,
        switch={"switching_latency_cycles": switching},
        links={
            f"node{2 * i + side}--tor0": {"latency_cycles": latency}
            for i, latency in enumerate(latencies)
            for side in (0, 1)
        },
    )
    run = run_cluster(experiment, folder.name, config)
    received = {node["name"]: node["statistics"] for node in run.result["nodes"]}
    rows = []
    for i, (latency, cycle) in enumerate(zip(latencies, cycles, strict=True)):
        statistics = received[f"node{2 * i + 1}"]
        count = statistics["packets_received"]
        arrival = statistics["first_arrival_cycle"] if count == 1 else -1
        rows.append([latency, cycle, switching, arrival])
    return rows


def one_token_table(experiment: Experiment) -> tuple[int, int]:
    """Print where tokens arrived; return (exact cases, all cases)."""
    rng = random.Random(experiment.seed)
    rows = [row for n in SWITCHING_CYCLES for row in _one_rack(experiment, n, rng)]
    exact = [arrival == 2 * link + m + n for link, m, n, arrival in rows]
    wrong = [row for row, good in zip(rows, exact, strict=True) if not good]
    sample = wrong[:20] or [rows[i] for i in range(0, len(rows), len(rows) // (4 * SHOWN))]
    experiment.table(
        f"One token: {sum(exact)} of {len(rows)} exact; "
        + ("those that are not" if wrong else "some of them"),
        [
            "link l (cycles, configured)",
            "put in m (cycle, configured)",
            "switch n (cycles, configured)",
            "2l + m + n (cycle)",
            "arrived (cycle, measured)",
        ],
        [
            [f"{value:,}" for value in (link, m, n, 2 * link + m + n, arrival)]
            for link, m, n, arrival in sample
        ],
    )
    return sum(exact), len(rows)
