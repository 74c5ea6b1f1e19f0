# SPDX-License-Identifier: BSD-3-Clause
"""What a Linux node behind a gateway can reach on the host: nothing, unless `outgoing` says so.

Listeners on the host note every connection: TCP and UDP on its loopback, on its own address and on
every address there is. From inside a node everything is tried: the addresses of the gateway with
the host's ports, those of the gateway's name server, the host's own address and its loopback, the
metadata address of clouds, the ports by which other nodes are reached, broadcasts, multicasts, DNS,
IPv6. Nobody may come, and all that the simulator listens on is loopback. With `outgoing` the host's
own address is reached, so that the tries are known to work, and its loopback is not.
"""

from __future__ import annotations

import argparse
import json
import shlex
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim.access.door import door_of, wait_until_open
from firesim.access.ssh import run_on

from regression.linux.ssh import BOOT_S, LOOPBACK, config, listening, running
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

GATEWAY, NAME_SERVER, METADATA = "172.16.255.254", "172.16.255.253", "169.254.169.254"
TRY_S = 2
"""Of target time, for each try; they run side by side."""
REACHED = "reached"
METADATA_TRY = "metadata of clouds"


@dataclass
class Canary:
    """Listeners of the host, and who came to each."""

    tcp: int = 0
    udp: int = 0
    came: list[str] = field(default_factory=list)


def _listen(canary: Canary, stop: threading.Event) -> list[threading.Thread]:
    """Listen on every address of this host, IPv4 and IPv6, for TCP and UDP."""
    tcp = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    tcp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    tcp.bind(("::", 0))
    tcp.listen(16)
    udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    udp.bind(("::", 0))
    canary.tcp, canary.udp = tcp.getsockname()[1], udp.getsockname()[1]

    def serve_tcp() -> None:
        while not stop.is_set():
            try:
                line, peer = tcp.accept()
            except TimeoutError:
                continue
            canary.came.append(f"tcp {line.getsockname()[0]} from {peer[0]}")
            line.sendall(REACHED.encode() + b"\n")
            line.close()
        tcp.close()

    def serve_udp() -> None:
        while not stop.is_set():
            try:
                data, peer = udp.recvfrom(2048)
            except TimeoutError:
                continue
            canary.came.append(f"udp {data.decode(errors='replace').strip()} from {peer[0]}")
        udp.close()

    for one in (tcp, udp):
        one.settimeout(0.1)
    return [threading.Thread(target=work, daemon=True) for work in (serve_tcp, serve_udp)]


@contextmanager
def canaries() -> Iterator[Canary]:
    """Listen while the body runs."""
    canary, stop = Canary(), threading.Event()
    threads = _listen(canary, stop)
    for thread in threads:
        thread.start()
    try:
        yield canary
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def own_address() -> str | None:
    """Return an IPv4 address of this host that is not loopback, None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        return str(probe.getsockname()[0])


def tries(canary: Canary, forwards: list[dict[str, Any]]) -> dict[str, str]:
    """Return shell commands by what each of them tries; one that gets an answer prints it."""
    here = own_address()
    hosts = {"gateway": GATEWAY, "name server": NAME_SERVER, "loopback by way": "127.0.0.1"}
    if here is not None:
        hosts["the host's own address"] = here
    found = {}
    for what, address in hosts.items():
        found[f"tcp to {what}"] = f"nc -w {TRY_S} {address} {canary.tcp} < /dev/null"
        found[f"udp to {what}"] = (
            f"echo {shlex.quote(what)} | nc -u -w {TRY_S} {address} {canary.udp}"
        )
    for entry in forwards:
        port = entry["host_port"]
        found[f"forward of {entry['node']}"] = f"nc -w {TRY_S} {GATEWAY} {port} < /dev/null"
    for what, address in (("network", "172.16.255.255"), ("all", "255.255.255.255")):
        found[f"broadcast to {what}"] = f"echo {what} | nc -u -w {TRY_S} {address} {canary.udp}"
    found["multicast"] = f"echo multicast | nc -u -w {TRY_S} 224.0.0.251 {canary.udp}"
    metadata = f"printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w {TRY_S} {METADATA} 80"
    found[METADATA_TRY] = metadata
    found["dns"] = f"nslookup example.com {NAME_SERVER} | grep -i 'name:.*example'"
    found["dns over tcp"] = f"echo | nc -w {TRY_S} {NAME_SERVER} 53"
    found["dns over IPv6"] = "nslookup example.com fec0::3 | grep -i 'name:.*example'"
    for address in ("fe80::2%eth0", "fec0::2", "::ffff:127.0.0.1", "ff02::1%eth0"):
        found[f"tcp to {address}"] = f"nc -w {TRY_S} {address} {canary.tcp} < /dev/null"
        found[f"udp to {address}"] = f"echo x | nc -u -w {TRY_S} {address} {canary.udp}"
    return found


def attempt(run: Path, node: str, commands: dict[str, str]) -> dict[str, str]:
    """Run all tries side by side on a node; return what each got as an answer.

    Raises:
        ExperimentError: the node cannot be asked.
    """
    lines = ["mkdir -p /tmp/t; ip route add default via " + GATEWAY + " 2> /dev/null"]
    for number, command in enumerate(commands.values()):
        lines.append(f"( {command} ) > /tmp/t/{number} 2> /dev/null &")
    lines += [f"sleep {2 * TRY_S}", 'for f in /tmp/t/*; do echo "$f $(head -c 200 $f)"; done']
    door = door_of(run, node)
    wait_until_open(door, BOOT_S)
    done = run_on(door, f"sh -c {shlex.quote(chr(10).join(lines))}", timeout_s=BOOT_S)
    if done.returncode != 0 or not done.stdout.startswith("/tmp/t/"):
        raise ExperimentError(f"{node}: the tries did not run: {done.stdout} {done.stderr}")
    answers = {}
    for line in done.stdout.splitlines():
        file, _, said = line.partition(" ")
        if file.startswith("/tmp/t/"):
            answers[list(commands)[int(file.rpartition("/")[2])]] = said.strip()
    return answers


@dataclass(frozen=True)
class Found:
    """What one run showed."""

    answers: dict[str, str]
    came: list[str]
    listening: list[str]


def _try_everything(experiment: Experiment, outgoing: bool) -> Found:
    made = config(2)
    made["system"]["gateway"] = {"outgoing": outgoing}
    name = "outgoing" if outgoing else "closed"
    with canaries() as canary, running(experiment, made, name) as (run, pid):
        forwards = json.loads((run / "gateway.json").read_text())["forwards"]
        others = [entry for entry in forwards if entry["node"] != "node0"]
        commands = tries(canary, others)
        if outgoing:  # What a guest may reach then is not ours to ask.
            for what in [METADATA_TRY, *(one for one in commands if one.startswith("dns"))]:
                del commands[what]
        answers = attempt(run, "node0", commands)
        return Found(answers, list(canary.came), listening(pid))


def _answer(found: Found | None, what: str) -> str:
    """Return what a try got in a run, for the table."""
    if found is None or what not in found.answers:
        return "not tried"
    return found.answers[what] or "nothing"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--closed-only", action="store_true", help="without the run with outgoing")


@experiment_named("guest-escape", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when a node reaches nothing, and with `outgoing` only what is not loopback."""
    closed = _try_everything(experiment, outgoing=False)
    open_one = None
    if not experiment.arguments.closed_only and own_address() is not None:
        open_one = _try_everything(experiment, outgoing=True)
    rows = [
        [what, said or "nothing", _answer(open_one, what)] for what, said in closed.answers.items()
    ]
    experiment.table("From inside a node", ["try", "answer", "answer with outgoing"], rows)
    sockets = [[one.partition(":")[0], int(one.partition(":")[2], 16)] for one in closed.listening]
    experiment.table("Listening meanwhile", ["address, as in /proc/net", "port"], sockets)
    checks = {
        f"{len(closed.answers)} tries, none answered": not any(closed.answers.values()),
        f"nobody came to the host's listeners: {closed.came}": not closed.came,
        f"what listens is loopback: {closed.listening}": bool(closed.listening)
        and all(one.partition(":")[0] in LOOPBACK for one in closed.listening),
    }
    if open_one is not None:
        own = open_one.answers.get("tcp to the host's own address", "")
        loopback = [one for one in open_one.came if "127.0.0.1" in one.partition(" from ")[0]]
        checks["with outgoing the host's own address answers"] = REACHED in own
        checks[f"and its loopback does not: {loopback}"] = not loopback
        checks["and other nodes' forwards do not"] = not any(
            said for what, said in open_one.answers.items() if what.startswith("forward")
        )
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    experiment.keep(tries=len(closed.answers), checks=checks)
    figure = f"{sum(checks.values())} of {len(checks)} checks, {len(closed.answers)} tries,"
    return Verdict(all(checks.values()), figure, "every check holds")
