# SPDX-License-Identifier: BSD-3-Clause
"""What a pointer chase must find and send, counted by a model of the protocol without any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from regression.support.splitmix import draws

SEED = 777
CLIENT = 0
FETCHES = ("read", "get")
"""Modes in which the client fetches each entry; in the others it sends a function."""


@cache
def table(entries: int) -> tuple[int, ...]:
    """Return the permutation: Fisher-Yates from the last entry on, by SplitMix64."""
    found, numbers = list(range(entries)), draws(SEED)
    for index in range(entries - 1, 0, -1):
        other = next(numbers) % (index + 1)
        found[index], found[other] = found[other], found[index]
    return tuple(found)


@dataclass(frozen=True)
class Chase:
    """What is run: chases from entry 0 up, one after another, to each of the depths."""

    servers: int
    mode: str
    entries: int = 65_536
    depths: tuple[int, ...] = (4_096,)
    starts: int = 16
    restarts: Mapping[int, int] = field(default_factory=dict)
    """By server: the number of calls after which it restarts."""


@dataclass
class Counts:
    """What one node counts, by the words that the program prints."""

    whole: int = 0
    cut: int = 0
    active: int = 0
    gets: int = 0
    gots: int = 0
    forwards: int = 0
    unknown: int = 0
    again: int = 0
    registered: int = 0
    executed: int = 0


@dataclass(frozen=True)
class Expected:
    """What must come of it."""

    xors: dict[int, int]
    """By depth: the values found, one over the other."""
    on_path: dict[int, int]
    """By depth: the messages that all chases wait for, one after another."""
    nodes: list[Counts]
    """Client, then servers."""

    @property
    def forwards(self) -> int:
        """Chasers passed on between servers."""
        return sum(node.forwards for node in self.nodes)


class _Nodes:
    """Nodes that send functions to each other, each with its set of who has what."""

    def __init__(self, chase: Chase) -> None:
        self.chase = chase
        self.counts = [Counts() for _ in range(chase.servers + 1)]
        self.known = [{"result"} for _ in self.counts]
        self.known[CLIENT].add("chaser")
        self.sent: list[set[tuple[int, str]]] = [set() for _ in self.counts]
        self.restarts = dict(chase.restarts)
        self.messages = 0

    def send(self, function: str, frm: int, to: int) -> None:
        """Deliver and call a function; a receiver that does not know it asks for its code."""
        sender, receiver = self.counts[frm], self.counts[to]
        self.messages += 1
        if self.chase.mode == "active":
            sender.active += 1
        elif (to, function) not in self.sent[frm]:
            self._send_whole(function, frm, to)
        else:
            sender.cut += 1
            if function not in self.known[to]:
                receiver.unknown += 1
                sender.again += 1
                self.messages += 2
                self.sent[frm] = {one for one in self.sent[frm] if one[0] != to}
                self._send_whole(function, frm, to)
        receiver.executed += 1

    def _send_whole(self, function: str, frm: int, to: int) -> None:
        self.counts[frm].whole += 1
        self.sent[frm].add((to, function))
        if function not in self.known[to]:
            self.known[to].add(function)
            self.counts[to].registered += 1

    def served(self, node: int) -> None:
        """Restart a server when its turn has come; it has sent what the call sent."""
        if self.restarts.get(node - 1) == self.counts[node].executed:
            del self.restarts[node - 1]
            self.known[node] = {"result"}
            self.sent[node] = set()


def _follow(nodes: _Nodes, address: int, depth: int) -> int:
    """Run one chase and return the value found."""
    chase, entries = nodes.chase, table(nodes.chase.entries)
    shard = chase.entries // chase.servers
    at = 1 + address // shard
    fetches = chase.mode in FETCHES
    if not fetches:
        nodes.send("chaser", CLIENT, at)
    for step in range(depth):
        owner = 1 + address // shard
        if fetches:
            nodes.counts[CLIENT].gets += chase.mode == "get"
            nodes.counts[owner].gots += chase.mode == "get"
            nodes.messages += 2
        elif step and owner != at:
            nodes.counts[at].forwards += 1
            nodes.send("chaser", at, owner)
            nodes.served(at)
            at = owner
        address = entries[address]
    if not fetches:
        nodes.send("result", at, CLIENT)
        nodes.served(at)
    return address


def expected(chase: Chase) -> Expected:
    """Return what the nodes must find, send and count."""
    nodes = _Nodes(chase)
    xors, on_path = {}, {}
    for depth in chase.depths:
        before, found = nodes.messages, 0
        for start in range(chase.starts):
            found ^= _follow(nodes, start, depth)
        xors[depth], on_path[depth] = found, nodes.messages - before
    return Expected(xors, on_path, nodes.counts)


def sweep(most: int) -> tuple[int, ...]:
    """Return the depths 1, 2, 4 and so on up to `most`, a power of two."""
    return tuple(1 << shift for shift in range(most.bit_length()))
