# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC under Linux, by its driver: Debian's own programs for the verbs, unchanged.

Two functional nodes run ibv_rc_pingpong on the NIC, and between the NIC and Soft-RoCE. Random
messages go between a Linux node and a blade without a system, by Debian's libibverbs, with and
without lost packets, in one piece of memory, and in several, inline and by a shared receive queue;
both memories must be the reference's. That blade is in RTL, or functional with --quick and with
--functional. Every packet must be counted alike by both ends and by the capture between them, and
tshark, where it is installed, must have nothing to complain of. A program that may have no READ on
the wire gets an error for one. A program that writes at random into the queues that it shares with
the driver leaves kernel and device as they were. One hash for any threads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from regression.oracles.rdma_bytes import expected
from regression.support.cluster import run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)
from regression.support.rdma_linux import (
    BLADE,
    DRIVER,
    FIRST_PSN,
    LINUX,
    LOST,
    ROLES,
    SOFT_ROCE,
    Captured,
    add_arguments,
    between,
    check_memories,
    hashes,
    loss,
    lossy_messages,
    messages_of_a_run,
    random_messages,
    verdict,
    without_rtl,
)
from regression.support.rdma_traffic import Traffic

PIECES = ("pieces=3", "inline=200", "shared=1", "depth=4")
"""Words of rdmaverbs: pieces of memory, inline data, a shared receive queue, four at a time."""


@dataclass
class _Rows:
    """What the runs showed."""

    messages: list[list[object]] = field(default_factory=list)
    pings: list[list[object]] = field(default_factory=list)
    captured: Captured = field(default_factory=Captured)
    operations: int = 0


def _pings(experiment: Experiment, rows: _Rows, mtu: int, count: int) -> None:
    ends = ((DRIVER, DRIVER), (DRIVER, SOFT_ROCE), (SOFT_ROCE, DRIVER))
    for number, (server, client) in enumerate(ends):
        size = 4 * mtu
        words = f"ibv_rc_pingpong -d {{device}} -g 1 -n {count} -s {size} -m {mtu} -c"
        run = run_cluster(experiment, f"pingpong-{mtu}-{number}", between(server, client, words))
        found = re.search(r"(\d+) iters in [\d.]+ seconds = ([\d.]+) usec/iter", run.console(LINUX))
        texts = run.console(BLADE) + run.console(LINUX)
        if found is None or int(found[1]) != count or "invalid data" in texts:
            raise ExperimentError(f"{run.folder}: the ping-pong is incomplete, or has wrong data.")
        packets = sum(rows.captured.note(run, lossy=False))
        rows.pings.append([mtu, server.what, client.what, count, size, packets, f"{found[2]}"])


def _random(
    experiment: Experiment,
    rows: _Rows,
    mtu: int,
    count: int,
    lossy: bool,
    more: tuple[str, ...] = (),
) -> None:
    seed = experiment.seed % 1_000_000 + mtu
    traffic = Traffic(count, 4 * mtu, mtu, FIRST_PSN, seed, 16 * mtu)
    for role in ROLES:
        over = loss(seed) if lossy else {}
        name = f"{'lossy' if lossy else 'random'}{'-pieces' if more else ''}-{mtu}-{role}"
        config = random_messages(DRIVER, role, traffic, over, more)
        # A model of the RTL takes minutes to build.
        functional = experiment.quick or experiment.arguments.functional
        run = run_cluster(experiment, name, without_rtl(config) if functional else config)
        check_memories(run, role, expected(traffic).printed)
        packets = sum(rows.captured.note(run, lossy))
        rows.operations += count
        linux = "server" if role == "client" else "client"
        how = " ".join(more) or "one piece"
        rows.messages.append([mtu, linux, how, LOST if lossy else "none", count, packets])


def _scribbled(experiment: Experiment) -> int:
    """Let processes scribble over their queues, then run a ping-pong; return their number.

    Before that, a program asks for different numbers of READs at a time.

    Raises:
        ExperimentError: the kernel complained, or the device did not work any more.
    """
    rounds = 20 if experiment.quick else 200
    words = f"rdmascribble peer_ip=${{{BLADE}.ip}} rounds={rounds} seed={experiment.seed}"
    config = between(DRIVER, DRIVER, "ibv_rc_pingpong -d {device} -g 1 -n 10 -s 4096 -c")
    node = config["workload"]["nodes"][LINUX]
    before = (DRIVER.command(BLADE, one) for one in (f"rdmareads peer_ip=${{{BLADE}.ip}}", words))
    node["command"] = "; ".join([*(f"{one} && umount /sys" for one in before), node["command"]])
    run = run_cluster(experiment, "scribbled", config)
    text = run.console(LINUX)
    if "rdmareads most=16, and none" not in text:
        raise ExperimentError(f"{run.folder}: READs are not as they were asked for.")
    if f"rdmascribble rounds={rounds} died=" not in text or "10 iters in" not in text:
        raise ExperimentError(f"{run.folder}: the device does not work after the scribbling.")
    if found := re.search(r"Oops|BUG:|WARNING:|Unable to handle|rcu: INFO", text):
        raise ExperimentError(f"{run.folder}: the kernel says {found[0]}")
    return rounds


def _show(experiment: Experiment, rows: _Rows) -> None:
    experiment.table(
        "Debian's ibv_rc_pingpong",
        ["MTU (bytes)", "server", "client", "messages", "bytes", "packets", "round trip (us)"],
        rows.pings,
    )
    experiment.table(
        "Random messages with a blade without a system, whose memories are the reference's",
        ["MTU (bytes)", "Linux is", "with", "lost", "messages", "packets"],
        rows.messages,
    )


@experiment_named("rdma-verbs", add_arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when ping-pongs end well, memories are the reference's, and packets counted alike."""
    quick = experiment.quick
    count = messages_of_a_run(experiment)
    rows = _Rows()
    for mtu in (1_024,) if quick else (1_024, 4_096):
        _pings(experiment, rows, mtu, 20 if quick else 500)
        _random(experiment, rows, mtu, count, lossy=False)
        _random(experiment, rows, mtu, lossy_messages(experiment, count), lossy=True)
        _random(experiment, rows, mtu, count, lossy=False, more=PIECES)
        _random(experiment, rows, mtu, lossy_messages(experiment, count), lossy=True, more=PIECES)
    rounds = _scribbled(experiment)
    words = "ibv_rc_pingpong -d {device} -g 1 -n 10 -s 2048 -c"
    tokens = hashes(experiment, between(DRIVER, DRIVER, words))
    _show(experiment, rows)
    return verdict(
        experiment,
        rows.captured,
        tokens,
        f"{len(rows.pings)} ping-pongs, {rows.operations} random messages with memories as the "
        f"reference has them, the kernel whole after {rounds} processes that scribbled",
        operations=rows.operations,
        scribbled=rounds,
    )
