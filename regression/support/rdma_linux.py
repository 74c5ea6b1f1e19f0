# SPDX-License-Identifier: BSD-3-Clause
"""A blade without a system and a Linux node with an RDMA device: recipes, and what they must show.

The device is Soft-RoCE, or the RDMA NIC by its driver. Programs of the Linux node are the same.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from regression.support.captured_frames import Frame, read_capture
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.rdma_traffic import FUNCTIONAL_RDMA_NODE, RDMA_NODE, Traffic
from regression.support.roce import UDP_PORT, is_roce
from regression.support.simulate import Run

BLADE, LINUX = "node0", "node1"
FRAME_BYTES = 5_000
"""Of an Ethernet frame's payload, so that a packet has up to 4,096."""
ROLES = ("client", "server")
LOST = "1%"
FIRST_PSN = 0xFFFFF0
SOFT_ROCE_GBPS = 1
"""Of links to Soft-RoCE where much is sent: at 200 Gb/s the NIC's packets come faster than software
takes them, and are lost."""
_TIMEOUTS = {BLADE: 6, LINUX: 8}
"""4.096 us << 6 is 0.3 ms; << 8 is 1 ms, a tick of the Linux node's kernel."""
_TSHARK_COMPLAINS = "infiniband and (_ws.malformed or _ws.expert.severity >= warning) or icmp"
"""Not of TCP: a client that is there before its server is reset."""


@dataclass(frozen=True)
class Device:
    """The RDMA device of a Linux node."""

    name: str
    what: str
    """As tables have it."""
    workload: str
    script: str
    """Runs a command beside the device, and prints its counters."""
    node: Config

    def command(self, peer: str, words: str) -> str:
        """Return what a node with the device runs, whose peer is a node of this name."""
        script = f"sh /etc/firesim/{self.script} {FRAME_BYTES}"
        return f"{script} ${{{peer}.ip}} ${{{peer}.mac}} {words}"


_MEMORY: Config = {"memory": {"size_mib": 256}}
SOFT_ROCE = Device("rxe0", "Soft-RoCE", "linux-rdma", "soft-roce", _MEMORY)
DRIVER = Device(
    "firesim0",
    "our NIC by its driver",
    "linux-verbs",
    "verbs",
    {"blade": "rocket-1-big-rdma", **_MEMORY},
)


@dataclass(frozen=True)
class Counts:
    """Packets of RoCEv2 as one end counted them."""

    sent: int
    received: int


def _config(device: Device, program: Config, words: str, over: Config) -> Config:
    """Return a blade with our NIC and a Linux node with a device, which runs a command."""
    linux = {"linux": device.workload, "command": device.command(BLADE, words)}
    base: Config = {
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "200ns"},
            "nodes": {BLADE: RDMA_NODE, LINUX: device.node},
        },
        "workload": {"nodes": {BLADE: program, LINUX: linux}},
        "simulation": {
            "engines": {LINUX: "functional"},
            "captures": True,
            "throughput_interval_cycles": 0,
        },
    }
    return merged(base, over)


def random_messages(
    device: Device, role: str, traffic: Traffic, over: Config, more: tuple[str, ...] = ()
) -> Config:
    """Return random messages; `role` is the blade's, and the Linux node has the other one.

    `more` are further words of the Linux node's program, rdmaverbs.
    """
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
    words = " ".join(["rdmaverbs", *linux, *more])
    return _config(device, {"program": "rdma", "args": blade}, words, over)


def between(server: Device, client: Device, words: str) -> Config:
    """Return a tool between two Linux nodes; `{device}` in its words is the node's own."""
    tool = "sh /etc/firesim/between {first} {words}"
    return between_ends(
        server,
        client,
        tool.format(first="server", words=words.format(device=server.name)),
        tool.format(first=f"${{{BLADE}.ip}}", words=words.format(device=client.name)),
    )


def slowed_for_software(config: Config, ends: tuple[Device, Device]) -> Config:
    """Return the same with links that Soft-RoCE keeps up with, if it is one of the ends."""
    if SOFT_ROCE not in ends:
        return config
    return merged(config, {"system": {"link": {"bandwidth_gbps": SOFT_ROCE_GBPS}}})


def between_ends(
    server: Device, client: Device, first: str, second: str, workload: str = DRIVER.workload
) -> Config:
    """Return two Linux nodes that run a command each beside their devices."""

    def node(device: Device, peer: str, words: str) -> Config:
        return {"linux": workload, "command": device.command(peer, words)}

    return {
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "200ns"},
            "nodes": {BLADE: server.node, LINUX: client.node},
        },
        "workload": {
            "nodes": {BLADE: node(server, LINUX, first), LINUX: node(client, BLADE, second)}
        },
        "simulation": {
            "engine": "functional",
            "captures": True,
            "throughput_interval_cycles": 0,
        },
    }


def ping_pong(device: Device, role: str, count: int, size: int, mtu: int) -> Config:
    """Return Debian's ibv_rc_pingpong; `role` is the blade's."""
    blade = [f"role={role}", f"peer=${{{LINUX}.mac}}", f"ip=${{{BLADE}.ip}}"]
    blade += [f"peer_ip=${{{LINUX}.ip}}", f"count={count}", f"size={size}", f"mtu={mtu}"]
    tool = "server" if role == "client" else "client"
    words = f"{tool} ${{{BLADE}.ip}} ${{{BLADE}.mac}} {count} {size} {mtu}"
    program: Config = {"program": "rdmapingpong", "args": blade}
    return _config(device, program, f"sh /etc/firesim/ping-pong {words}", {})


def counts(run: Run, node: str) -> Counts:
    """Return what a node counted, with or without a system.

    Raises:
        ExperimentError: it did not say.
    """
    text = run.console(node)
    whole = re.search(r"sent=(\d+) received=(\d+) malformed=0 wrong_icrc=0", text)
    sent = re.search(r"(?:rxe|firesim) sent_pkts=(\d+)", text)
    received = re.search(r"(?:rxe|firesim) rcvd_pkts=(\d+)", text)
    if whole is not None:
        return Counts(int(whole[1]), int(whole[2]))
    if sent is None or received is None:
        what = "found no counters, or packets that were refused."
        raise ExperimentError(f"{run.folder}: {node}: {what}")
    return Counts(int(sent[1]), int(received[1]))


def _flows(frames: list[Frame]) -> dict[tuple[bytes, bytes], list[bytes]]:
    """Return what is sent from one address to another, in its order."""
    flows: dict[tuple[bytes, bytes], list[bytes]] = {}
    for frame in frames:
        flows.setdefault((frame.source, frame.destination), []).append(frame.data)
    return flows


def _check_captures(run: Run, lossy: bool, nodes: Sequence[str]) -> list[int]:
    """Compare what all ends counted with what was captured between them; return what each sent.

    The captures are of what came into the switch from a node, and of what left it for another.

    Raises:
        ExperimentError: they differ.
    """
    (path,) = run.folder.rglob("capture*.pcapng")
    frames = [found for found in read_capture(path) if is_roce(found)]
    ports = sorted({found.port for found in frames})
    all_sent = []
    for port, node in zip(ports, nodes, strict=True):
        end = counts(run, node)
        sent = sum(one.inbound and one.port == port for one in frames)
        received = sum(not one.inbound and one.port == port for one in frames)
        all_sent.append(sent)
        same = (end.sent, end.received) == (sent, received)
        if not (same or lossy) or end.sent < sent or end.received > received:
            found = (sent, received)
            raise ExperimentError(f"{path}: port {port} has {found}, its node counted {end}.")
    came, left = ([one for one in frames if one.inbound is way] for way in (True, False))
    if _flows(came) != _flows(left):
        raise ExperimentError(f"{path}: what left for the other node is not what came in.")
    return all_sent


def _complaints(run: Run) -> int | None:
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


@dataclass
class Captured:
    """What the captures of several runs showed."""

    packets: int = 0
    complaints: int | None = 0
    """Of tshark; None where it is not installed."""

    def note(self, run: Run, lossy: bool, nodes: Sequence[str] = (BLADE, LINUX)) -> list[int]:
        """Check the capture of a run with one switch; return the packets that each node sent.

        Raises:
            ExperimentError: they are not what all ends counted.
        """
        sent = _check_captures(run, lossy, nodes)
        self.packets += sum(sent)
        found = _complaints(run)
        self.complaints = None if found is None else (self.complaints or 0) + found
        return sent

    @property
    def seen(self) -> str:
        """What tshark saw, in words."""
        if self.complaints is None:
            return "tshark is not installed"
        return f"{self.complaints} complaints of tshark"


def _printed(run: Run, node: str, key: str) -> str:
    match = re.search(rf"\brdma (?:\S+ )*?{key}=(\S+)", run.console(node))
    if match is None:
        raise ExperimentError(f"{run.folder}: found no {key} of {node}.")
    return match[1]


def check_memories(run: Run, role: str, reference: tuple[int, int, int, int]) -> None:
    """Compare both memories and the completions with the reference.

    `reference` has digests of the client's and the server's memory, the server's completions, and
    the sum of their immediates.

    Raises:
        ExperimentError: they differ.
    """
    client, server = (BLADE, LINUX) if role == "client" else (LINUX, BLADE)
    printed = (
        int(_printed(run, client, "memory"), 16),
        int(_printed(run, server, "memory"), 16),
        int(_printed(run, server, "receives")),
        int(_printed(run, server, "immediates"), 16),
    )
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of an experiment with such a kernel and random messages."""
    add_kernel_argument(parser)
    parser.add_argument("--count", type=int, default=0, help="random messages of a run")
    parser.add_argument(
        "--functional",
        action="store_true",
        help="the blade without a system is functional, and as many messages have losses",
    )


def messages_of_a_run(experiment: Experiment) -> int:
    """Return how many random messages a run has.

    Raises:
        NotHereError: the quick form was not told to build the kernel.
    """
    check_kernel(experiment)
    return int(experiment.arguments.count) or (40 if experiment.quick else 5_000)


def lossy_messages(experiment: Experiment, count: int) -> int:
    """Return how many of `count` random messages a run with losses has: in RTL they take long."""
    return count if experiment.arguments.functional else max(1, count // 5)


def hashes(experiment: Experiment, config: Config) -> list[str]:
    """Run a recipe with settings that must not change its token hash; return the hashes."""
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    return [
        run_cluster(experiment, name, merged(config, {"simulation": simulation})).token_hash
        for name, simulation in ways.items()
    ]


def verdict(
    experiment: Experiment, captured: Captured, hashes: list[str], done: str, **kept: int
) -> Verdict:
    """Return the verdict of runs with these captures and token hashes; `kept` are more figures."""
    experiment.say(f"captures: {captured.packets} packets, {captured.seen}")
    experiment.keep(
        packets=captured.packets, complaints=captured.complaints, token_hashes=hashes, **kept
    )
    return Verdict(
        not captured.complaints and len(set(hashes)) == 1,
        f"{done}; {captured.packets} packets, {captured.seen}; "
        f"{hashes.count(hashes[0])} of {len(hashes)} runs with one hash",
        "all, no complaint, one hash",
    )


def without_rtl(config: Config) -> Config:
    """Return the same with a functional node in place of the blade's RTL."""
    over: Config = {
        "system": {"nodes": {BLADE: FUNCTIONAL_RDMA_NODE}},
        "simulation": {"engines": {BLADE: "functional"}},
    }
    return merged(config, over)


def loss(seed: int) -> Config:
    """Return links that lose packets of RoCEv2 at random."""
    rule = {"fault": "drop", "match": {"destination_port": UDP_PORT}, "probability": LOST}
    return {"system": {"link": {"faults": {"seed": seed, "rules": [rule]}}}}
