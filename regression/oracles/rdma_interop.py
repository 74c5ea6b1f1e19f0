# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC and an implementation that none of us wrote: Soft-RoCE of Linux (rdma_rxe).

A functional node boots Linux with Soft-RoCE on its network interface; the other node has our NIC,
and with --functional is a functional node, too.
Random messages go either way, by Debian's libibverbs on the Linux node, with and without lost
packets, and Debian's ibv_rc_pingpong runs as client and as server. Both memories must be those of
the reference, every packet must be counted alike by both ends and by the capture between them, and
tshark, where it is installed, must have nothing to complain of. One hash for any threads.
"""

from __future__ import annotations

from dataclasses import dataclass

from regression.oracles.rdma_bytes import expected
from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.rdma_linux import (
    FIRST_PSN,
    LOST,
    ROLES,
    SOFT_ROCE,
    Captured,
    add_arguments,
    check_memories,
    check_ping_pong,
    hashes,
    loss,
    lossy_messages,
    messages_of_a_run,
    ping_pong,
    random_messages,
    verdict,
    without_rtl,
)
from regression.support.rdma_traffic import Traffic


@dataclass
class _Rows:
    """What the runs showed."""

    messages: list[list[object]]
    pings: list[list[object]]
    captured: Captured
    operations: int = 0


def _random(experiment: Experiment, rows: _Rows, mtu: int, count: int, lossy: bool) -> None:
    seed = experiment.seed % 1_000_000 + mtu
    traffic = Traffic(count, 4 * mtu, mtu, FIRST_PSN, seed, 16 * mtu)
    for role in ROLES:
        over = loss(seed) if lossy else {}
        name = f"{'lossy' if lossy else 'random'}-{mtu}-{role}"
        config = random_messages(SOFT_ROCE, role, traffic, over)
        functional = experiment.arguments.functional
        run = run_cluster(experiment, name, without_rtl(config) if functional else config)
        check_memories(run, role, expected(traffic).printed)
        there, back = rows.captured.note(run, lossy)
        rows.operations += count
        ends = ["our NIC", "Soft-RoCE"] if role == "client" else ["Soft-RoCE", "our NIC"]
        rows.messages.append([mtu, *ends, LOST if lossy else "none", count, there, back])


def _pings(experiment: Experiment, rows: _Rows, mtu: int, count: int) -> None:
    for role in ROLES:
        size = 4 * mtu
        run = run_cluster(
            experiment, f"pingpong-{mtu}-{role}", ping_pong(SOFT_ROCE, role, count, size, mtu)
        )
        time_us = check_ping_pong(run, count, size)
        rows.captured.note(run, lossy=False)
        tool = "server" if role == "client" else "client"
        rows.pings.append([mtu, tool, count, size, f"{time_us:.2f}"])


@experiment_named("rdma-interop", add_arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when both memories are the reference's in every run, and packets are counted alike."""
    quick = experiment.quick
    count = messages_of_a_run(experiment)
    rows = _Rows([], [], Captured())
    for mtu in (1_024,) if quick else (1_024, 4_096):
        _random(experiment, rows, mtu, count, lossy=False)
        _random(experiment, rows, mtu, lossy_messages(experiment, count), lossy=True)
        _pings(experiment, rows, mtu, 20 if quick else 500)
    experiment.table(
        "Random messages whose memories are the reference's",
        ["MTU (bytes)", "client", "server", "lost", "messages", "by our NIC", "by Soft-RoCE"],
        rows.messages,
    )
    experiment.table(
        "Debian's ibv_rc_pingpong with our NIC",
        ["MTU (bytes)", "it is", "messages", "bytes", "round trip (us of target time)"],
        rows.pings,
    )
    traffic = Traffic(20, 2_048, 512, FIRST_PSN, experiment.seed % 1_000_000, 8_192)
    tokens = hashes(experiment, random_messages(SOFT_ROCE, "client", traffic, {}))
    return verdict(
        experiment,
        rows.captured,
        tokens,
        f"{rows.operations} random messages with memories as the reference has them, "
        f"{len(rows.pings)} ping-pongs",
        operations=rows.operations,
    )
