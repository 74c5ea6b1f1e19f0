# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC and an implementation that none of us wrote: Soft-RoCE of Linux (rdma_rxe).

A functional node boots Linux with Soft-RoCE on its network interface; the other node has our NIC.
Random messages go either way, by Debian's libibverbs on the Linux node, with and without lost
packets, and Debian's ibv_rc_pingpong runs as client and as server. Both memories must be those of
the reference, every packet must be counted alike by both ends and by the capture between them, and
tshark, where it is installed, must have nothing to complain of. One hash for any threads.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from dataclasses import dataclass

from regression.oracles.rdma_bytes import expected
from regression.support.captured_frames import read_capture
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.rdma_traffic import RDMA_NODE, Traffic
from regression.support.roce import UDP_PORT, is_roce
from regression.support.simulate import Run

BLADE, LINUX = "node0", "node1"
FRAME_BYTES = 5_000
"""Of an Ethernet frame's payload, so that a packet has up to 4,096."""
ROLES = ("client", "server")
LOST = "1%"
_TIMEOUTS = {BLADE: 6, LINUX: 8}
"""4.096 us << 6 is 0.3 ms; << 8 is 1 ms, a tick of the Linux node's kernel."""
_FIRST_PSN = 0xFFFFF0
_TSHARK_COMPLAINS = "_ws.malformed or _ws.expert.severity >= warning or icmp"


@dataclass(frozen=True)
class Counts:
    """Packets of RoCEv2 as one end counted them."""

    sent: int
    received: int


def _config(program: Config, command: str, over: Config) -> Config:
    """Return a blade with our NIC and a node with Soft-RoCE, which runs a command."""
    blade = f"${{{BLADE}.ip}} ${{{BLADE}.mac}}"
    script = f"sh /etc/firesim/soft-roce {FRAME_BYTES} {blade} {command}"
    base: Config = {
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "200ns"},
            "nodes": {BLADE: RDMA_NODE, LINUX: {"memory": {"size_mib": 256}}},
        },
        "workload": {"nodes": {BLADE: program, LINUX: {"linux": "linux-rdma", "command": script}}},
        "simulation": {
            "engines": {LINUX: "functional"},
            "captures": True,
            "throughput_interval_cycles": 0,
        },
    }
    return merged(base, over)


def random_messages(role: str, traffic: Traffic, over: Config) -> Config:
    """Return random messages; `role` is the blade's, and the Linux node has the other one."""
    shared = [
        f"{key}={getattr(traffic, key)}"
        for key in ("count", "size", "mtu", "psn", "seed", "memory")
    ]

    client, server = (BLADE, LINUX) if role == "client" else (LINUX, BLADE)
    other = "server" if role == "client" else "client"
    blade = [f"role={role}", f"peer=${{{LINUX}.mac}}", f"begins={other}", "sleep=1", *shared]
    blade += [f"client_ip=${{{client}.ip}}", f"server_ip=${{{server}.ip}}"]
    linux = [f"role={other}", f"peer=${{{BLADE}.mac}}", f"peer_ip=${{{BLADE}.ip}}", *shared]
    blade.append(f"timeout={_TIMEOUTS[BLADE]}")
    linux.append(f"timeout={_TIMEOUTS[LINUX]}")
    return _config({"program": "rdma", "args": blade}, " ".join(["rdmaverbs", *linux]), over)


def ping_pong(role: str, count: int, size: int, mtu: int) -> Config:
    """Return Debian's ibv_rc_pingpong; `role` is the blade's."""
    blade = [f"role={role}", f"peer=${{{LINUX}.mac}}", f"ip=${{{BLADE}.ip}}"]
    blade += [f"peer_ip=${{{LINUX}.ip}}", f"count={count}", f"size={size}", f"mtu={mtu}"]
    tool = "server" if role == "client" else "client"
    words = f"{tool} ${{{BLADE}.ip}} ${{{BLADE}.mac}} {count} {size} {mtu}"
    program: Config = {"program": "rdmapingpong", "args": blade}
    return _config(program, f"sh /etc/firesim/ping-pong {words}", {})


def counted(run: Run) -> tuple[Counts, Counts]:
    """Return what the blade and the Linux node counted.

    Raises:
        ExperimentError: one of them did not say.
    """
    ours = re.search(r"sent=(\d+) received=(\d+) malformed=0 wrong_icrc=0", run.console(BLADE))
    text = run.console(LINUX)
    theirs = [re.search(rf"rxe {name}=(\d+)", text) for name in ("sent_pkts", "rcvd_pkts")]
    if ours is None or theirs[0] is None or theirs[1] is None:
        raise ExperimentError(f"{run.folder}: found no counters, or packets that were refused.")
    return Counts(int(ours[1]), int(ours[2])), Counts(int(theirs[0][1]), int(theirs[1][1]))


def check_captures(run: Run, lossy: bool) -> tuple[int, int]:
    """Compare what both ends counted with what was captured between them; return the packets.

    The captures are of what came into the switch from a node, and of what left it for the other.

    Raises:
        ExperimentError: they differ.
    """
    (path,) = run.folder.rglob("capture*.pcapng")
    frames = [found for found in read_capture(path) if is_roce(found)]
    blade, linux = counted(run)
    ports = sorted({found.port for found in frames})
    found = []
    for port, end in zip(ports, (blade, linux), strict=True):
        sent = sum(one.inbound and one.port == port for one in frames)
        received = sum(not one.inbound and one.port == port for one in frames)
        found.append((sent, received))
        if (end.sent, end.received) != (sent, received) and not lossy:
            raise ExperimentError(f"{path}: port {port} has {found[-1]}, its node counted {end}.")
        if end.sent < sent or end.received > received:
            raise ExperimentError(f"{path}: port {port} has {found[-1]}, its node counted {end}.")
    for port in ports:
        there = [one.data for one in frames if one.inbound and one.port == port]
        left = [one.data for one in frames if not one.inbound and one.port != port]
        if there != left:
            raise ExperimentError(f"{path}: what left for the other node is not what came in.")
    return found[0][0], found[1][0]


def complaints(run: Run) -> int | None:
    """Return how many packets tshark finds wrong; None where it is not installed.

    Raises:
        ExperimentError: it does not see the packets as RoCEv2.
    """
    tshark = shutil.which("tshark")
    if tshark is None:
        return None
    (path,) = run.folder.rglob("capture*.pcapng")

    def lines(rule: str) -> int:
        # It would take random payloads for RPC by chance.
        command = [tshark, "--disable-protocol", "rpcordma", "-r", str(path), "-Y", rule]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return len(done.stdout.splitlines())

    if lines("infiniband") != sum(is_roce(found) for found in read_capture(path)):
        raise ExperimentError(f"{path}: tshark does not take every packet for RoCEv2.")
    return lines(_TSHARK_COMPLAINS)


def _printed(run: Run, node: str, key: str) -> str:
    match = re.search(rf"\brdma (?:\S+ )*?{key}=(\S+)", run.console(node))
    if match is None:
        raise ExperimentError(f"{run.folder}: found no {key} of {node}.")
    return match[1]


def check_memories(run: Run, role: str, traffic: Traffic) -> None:
    """Compare both memories and the completions with the reference.

    Raises:
        ExperimentError: they differ.
    """
    wanted = expected(traffic)
    client, server = (BLADE, LINUX) if role == "client" else (LINUX, BLADE)
    printed = (
        int(_printed(run, client, "memory"), 16),
        int(_printed(run, server, "memory"), 16),
        int(_printed(run, server, "receives")),
        int(_printed(run, server, "immediates"), 16),
    )
    reference = (wanted.client_memory, wanted.server_memory, wanted.receives, wanted.immediates)
    if printed != reference:
        raise ExperimentError(f"{run.folder}: found {printed}, expected {reference}.")


def check_ping_pong(run: Run, count: int, size: int) -> float:
    """Check that all messages came back whole; return microseconds a round trip.

    Raises:
        ExperimentError: they did not.
    """
    text = run.console(LINUX)
    time = re.search(r"(\d+) iters in [\d.]+ seconds = ([\d.]+) usec/iter", text)
    ours = f"rdmapingpong messages={count} bytes={size} wrong=0 "
    if time is None or int(time[1]) != count or ours not in run.console(BLADE):
        raise ExperimentError(f"{run.folder}: the ping-pong is incomplete.")
    if "invalid data" in text:
        raise ExperimentError(f"{run.folder}: ibv_rc_pingpong found wrong data.")
    return float(time[2])


@dataclass
class _Rows:
    """What the runs showed."""

    messages: list[list[object]]
    pings: list[list[object]]
    operations: int = 0
    packets: int = 0
    complaints: int | None = 0

    def note(self, run: Run, lossy: bool) -> tuple[int, int]:
        """Check the captures of a run; return the packets of both ends."""
        there, back = check_captures(run, lossy)
        self.packets += there + back
        found = complaints(run)
        self.complaints = None if found is None else (self.complaints or 0) + found
        return there, back


def _loss(seed: int) -> Config:
    rule = {"fault": "drop", "match": {"destination_port": UDP_PORT}, "probability": LOST}
    return {"system": {"link": {"faults": {"seed": seed, "rules": [rule]}}}}


def _random(experiment: Experiment, rows: _Rows, mtu: int, count: int, lossy: bool) -> None:
    seed = experiment.seed % 1_000_000 + mtu
    traffic = Traffic(count, 4 * mtu, mtu, _FIRST_PSN, seed, 16 * mtu)
    for role in ROLES:
        over = _loss(seed) if lossy else {}
        name = f"{'lossy' if lossy else 'random'}-{mtu}-{role}"
        run = run_cluster(experiment, name, random_messages(role, traffic, over))
        check_memories(run, role, traffic)
        there, back = rows.note(run, lossy)
        rows.operations += count
        ends = ["our NIC", "Soft-RoCE"] if role == "client" else ["Soft-RoCE", "our NIC"]
        rows.messages.append([mtu, *ends, LOST if lossy else "none", count, there, back])


def _pings(experiment: Experiment, rows: _Rows, mtu: int, count: int) -> None:
    for role in ROLES:
        size = 4 * mtu
        run = run_cluster(experiment, f"pingpong-{mtu}-{role}", ping_pong(role, count, size, mtu))
        time_us = check_ping_pong(run, count, size)
        rows.note(run, lossy=False)
        tool = "server" if role == "client" else "client"
        rows.pings.append([mtu, tool, count, size, f"{time_us:.2f}"])


def _hashes(experiment: Experiment) -> list[str]:
    traffic = Traffic(20, 2_048, 512, _FIRST_PSN, experiment.seed % 1_000_000, 8_192)
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    return [
        run_cluster(
            experiment, name, random_messages("client", traffic, {"simulation": simulation})
        ).token_hash
        for name, simulation in ways.items()
    ]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--with-kernel",
        action="store_true",
        help="with --quick: build the kernel with Soft-RoCE, and fetch its tools, if need be",
    )
    parser.add_argument("--count", type=int, default=0, help="random messages of a run")


@experiment_named("rdma-interop", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when both memories are the reference's in every run, and packets are counted alike."""
    quick = experiment.quick
    if quick and not experiment.arguments.with_kernel:
        raise NotHereError("its kernel takes minutes to build: --quick --with-kernel does")
    count = experiment.arguments.count or (40 if quick else 5_000)
    rows = _Rows([], [])
    for mtu in (1_024,) if quick else (1_024, 4_096):
        _random(experiment, rows, mtu, count, lossy=False)
        _random(experiment, rows, mtu, max(1, count // 5), lossy=True)
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
    hashes = _hashes(experiment)
    complaint = rows.complaints
    seen = "tshark is not installed" if complaint is None else f"{complaint} complaints of tshark"
    experiment.say(f"captures: {rows.packets} packets, {seen}")
    experiment.keep(
        operations=rows.operations,
        packets=rows.packets,
        complaints=complaint,
        token_hashes=hashes,
    )
    return Verdict(
        not complaint and len(set(hashes)) == 1,
        f"{rows.operations} random messages with memories as the reference has them, "
        f"{len(rows.pings)} ping-pongs; {rows.packets} packets, {seen}; "
        f"{hashes.count(hashes[0])} of {len(hashes)} runs with one hash",
        "all, no complaint, one hash",
    )
