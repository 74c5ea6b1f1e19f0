# SPDX-License-Identifier: BSD-3-Clause
"""Linux nodes with a link to each of two switches ping each other over both, also in RTL.

Each node has an address of its own at each port. What the captures of both switches must hold is
known: requests and answers over this link, and nothing of the other one.
"""

from __future__ import annotations

import random
import re

from firesim.topology.passes.addresses import ip_text

from regression.support.captured_frames import Frame, read_capture
from regression.support.cluster import Config
from regression.support.experiment import Experiment
from regression.support.linux import COMPLAINT
from regression.support.simulate import Run, simulate
from regression.support.warm import WarmStart

BLADE = "rocket-1-two-links"
PORTS = (0, 1)
COUNT = 3
"""Pings over each link."""
BEFORE_CYCLES = 100_000
"""How long before the first ping nodes are saved."""
WHOLE_CYCLES = 400_000_000
SLOWER = 4
"""How much longer than functional nodes those in RTL may take for the pings, ..."""
MORE_CYCLES = 2_000_000
"""... and besides."""
_TYPE, _IP = slice(12, 14), b"\x08\0"
_PROTOCOL_AT, _ICMP = 23, 1
_SOURCE_AT, _KIND_AT, _NUMBER_AT = 26, 34, 40
_REQUEST, _ANSWER = 8, 0


def recipe() -> Config:
    """Return two Linux nodes of which the first pings the other through each port."""
    pings = "; ".join(f"ping -c {COUNT} -i 0.0002 ${{node1.ip{port}}}" for port in PORTS)
    return {
        "system": {
            "topology": "planes_2_2",
            "link": {"latency": "1us"},
            "node": {"blade": BLADE, "memory": {"size_mib": 64}},
        },
        "workload": {
            "node": {"linux": "linux-base"},
            "nodes": {"node0": {"command": pings}, "node1": {"command": "usleep 30000"}},
        },
        "simulation": {"engine": "functional", "captures": True},
    }


def _pings(run: Run, port: int) -> list[Frame]:
    """Return the packets of ICMP that came into the switch at a port of both nodes, by cycle."""
    (path,) = (run.folder / f"tor{port}").rglob("capture*.pcapng")
    return [
        one
        for one in read_capture(path)
        if one.inbound and one.data[_TYPE] == _IP and one.data[_PROTOCOL_AT] == _ICMP
    ]


def _said(frame: Frame) -> tuple[int, str, str, int]:
    """Return kind, source, destination and number of a ping."""
    addresses = [".".join(map(str, frame.data[at : at + 4])) for at in (_SOURCE_AT, _SOURCE_AT + 4)]
    number = int.from_bytes(frame.data[_NUMBER_AT : _NUMBER_AT + 2], "big")
    return frame.data[_KIND_AT], addresses[0], addresses[1], number


def _expected(port: int) -> list[tuple[int, str, str, int]]:
    ask, answer = (ip_text(node, port) for node in (0, 1))
    both = [((_REQUEST, ask, answer, n), (_ANSWER, answer, ask, n)) for n in range(COUNT)]
    return [one for pair in both for one in pair]


def _problem(run: Run, expected: list[list[tuple[int, str, str, int]]]) -> str:
    """Return what is wrong with a run, given the pings over each link; empty: nothing."""
    for port in PORTS:
        found = [_said(one) for one in _pings(run, port)]
        if found != expected[port]:
            return f"{run.folder}: found pings {found} over link {port}, expected {expected[port]}"
    text = run.console("node0")
    received = len(re.findall(rf"{COUNT} packets transmitted, {COUNT} packets received", text))
    wanted = sum(bool(pings) for pings in expected)
    if received != wanted:
        return f"{run.folder}: all answers came {received} times, expected {wanted} times"
    complaint = COMPLAINT.search(text + run.console("node1"))
    return f"{run.folder}: a kernel says {complaint[0]!r}" if complaint else ""


def _row(name: str, run: Run, threads: int) -> list[object]:
    counts = [len(_pings(run, port)) for port in PORTS]
    return [name, threads, *counts, f"{run.end_cycle:,}", run.token_hash]


def linux_runs(experiment: Experiment, *, in_rtl: bool) -> tuple[list[list[object]], list[str]]:
    """Run the nodes, whole and with `in_rtl` on from snapshots in RTL.

    Returns a row for each run, and what is wrong.
    """
    warm = WarmStart(experiment, recipe(), experiment.folder / "linux")
    experiment.say("Linux")
    whole = warm.whole(WHOLE_CYCLES)
    rows, wrong = [_row("functional", whole, 1)], [_problem(whole, [_expected(p) for p in PORTS])]
    again = {**warm.functional, "max_cycles": WHOLE_CYCLES, "threads": 2}
    two = simulate(again, warm.folder / "whole-2", expect=(0, 1))
    rows.append(_row("functional", two, 2))
    if two.token_hash != whole.token_hash:
        wrong.append("functional nodes have another token hash with two threads")
    if in_rtl and not any(wrong):
        _in_rtl(experiment, warm, whole, rows, wrong)
    return rows, [one for one in wrong if one]


def _in_rtl(
    experiment: Experiment, warm: WarmStart, whole: Run, rows: list[list[object]], wrong: list[str]
) -> None:
    """Go on in RTL before the pings, and within those of each link."""
    pings = [_pings(whole, port) for port in PORTS]
    first, last = pings[0][0].cycle, pings[-1][-1].cycle
    chance = random.Random(experiment.seed)
    within = [chance.randint(one[0].cycle, one[-1].cycle) for one in pings]
    cycles = [first - BEFORE_CYCLES, *within]
    warm.save(cycles)
    for number, cycle in enumerate(cycles):
        expected = [[_said(ping) for ping in one if ping.cycle >= cycle] for one in pings]
        end = cycle + SLOWER * (last - cycle) + MORE_CYCLES
        name = f"RTL from cycle {cycle:,}"
        experiment.say(name)
        runs = {n: warm.go_on(cycle, end, n) for n in ((1, 2) if number == 0 else (2,))}
        for threads, run in runs.items():
            rows.append(_row(name, run, threads))
            wrong.append(_problem(run, expected))
        if len({run.token_hash for run in runs.values()}) > 1:
            wrong.append(f"{name}: another token hash with two threads")
