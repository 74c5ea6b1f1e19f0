# SPDX-License-Identifier: BSD-3-Clause
"""A debugger's time travel against the forward run: every place gone back to has its old state.

Two nodes ping and stream. The run is debugged as `firesim gdb` does it: it stops at random places,
forward, and what the harts and their memory hold is noted. Then the places are gone to in random
order, from a step further back, and from the end over breakpoints. Random and mutated packets are
sent to gdb's server. The run under all of this must end with the token hash of the run that nobody
looked at.
"""

from __future__ import annotations

import hashlib
import random
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from firesim.debug.history import History, Stop, Wanted
from firesim.debug.memory import read_virtual
from firesim.debug.packets import Packets, framed
from firesim.debug.server import Server
from firesim.debug.session import opened
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run as run_loaded

from regression.support.experiment import Experiment, Verdict, experiment_named

RECIPE = """\
name: time-travel
system: {{topology: two_nodes, link: {{latency_cycles: 640}}, node: {{memory: {{size_mib: 64}}}}}}
workload:
  node: {{program: quickstart}}
  nodes:
    node0: {{args: ["role=client", "peer=${{node1.mac}}", count=2, bytes=16384, size=2048]}}
    node1: {{args: ["role=server"]}}
simulation: {{engine: {engine}, captures: false}}
"""
DRAM, PIECE_BYTES = 0x8000_0000, 16_384
PIECES = 24
ANSWER_S = 0.05
RTL_SHARE = 5
"""As many times fewer stops are made in RTL, which takes longer."""
PACKETS = (
    *(b"?", b"g", b"p20", b"p1041", b"m80000000,40", b"m0,8", b"Z0,80000000,4", b"z0,80000000,4"),
    *(b"Z2,80000100,8", b"z2,80000100,8", b"vCont;s:1;c", b"vCont?", b"bs", b"s", b"bc", b"Hg1"),
    *(b"qSupported:swbreak+", b"qXfer:features:read:target.xml:0,ffb", b"qfThreadInfo", b"T1"),
    *(
        b"P0=0000000000000000",
        b"M80000000,1:00",
        b"X80000000,0:",
        b"qRcmd,6379636c65",
        b"vMustReply",
    ),
)
"""What gdb says; the fuzzer changes some of it."""


@dataclass(frozen=True)
class Place:
    """A place that the forward run has been at, and the one a step of `hart` further on."""

    position: int
    state: str
    hart: int
    next_position: int
    next_state: str


def state_of(history: History, harts: int) -> str:
    """Return a hash of all registers, the cycle and some memory where a simulation stands."""
    machine = history.now
    hasher = hashlib.sha256()
    for hart in range(harts):
        values = machine.registers(hart)
        hasher.update(repr(sorted(values.items())).encode())
        stack = read_virtual(values["x2"] & ~0xFFF, 4096, values, machine.read)
        hasher.update(stack or b"no memory")
    for piece in range(PIECES):
        hasher.update(machine.read(DRAM + piece * PIECE_BYTES, PIECE_BYTES) or b"no memory")
    return hasher.hexdigest()


class Forward:
    """Goes on without being interrupted."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.nobody, self.other = socket.socketpair()

    def __call__(self, wanted: Wanted) -> Stop:
        return self.history.forward(wanted, self.nobody, lambda: False)


def _end(history: History, forward: Forward) -> Stop:
    stop = forward(Wanted())
    assert stop.why == "end", stop
    return stop


def _noted(history: History, forward: Forward, harts: int, places: list[int]) -> list[Place]:
    """Go on over these positions, in their order; note what is there and a step further on."""
    noted = []
    for index, position in enumerate(sorted(places)):
        if history.now.stop.position >= position:
            continue
        history.now.order({"until_position": position})
        history.now.wait()
        before, hart = state_of(history, harts), index % harts
        at = history.now.stop.position
        step = forward(Wanted(hart))
        if step.why == "end":
            break
        noted.append(Place(at, before, hart, step.position, state_of(history, harts)))
        if index % 8 == 0:
            history.keep()
    return noted


def _wrong(history: History, harts: int, places: list[Place]) -> tuple[int, list[float]]:
    """Go to each place and back by a step; return how many differ, and seconds of each step."""
    wrong, took_s = 0, []
    for place in places:
        history.to(place.next_position)
        wrong += state_of(history, harts) != place.next_state
        began = time.monotonic()
        found = history.back(Wanted(place.hart))
        took_s.append(time.monotonic() - began)
        wrong += found is None or state_of(history, harts) != place.state
    return wrong, took_s


def _over_breakpoints(history: History, forward: Forward, pc: int, most: int) -> tuple[int, int]:
    """Go over a breakpoint forward from the beginning, then back; return hits both ways."""
    history.to(history.kept[0].stop.position)
    wanted, hits = Wanted(breakpoints=(pc,)), list[int]()
    while len(hits) < most and (stop := forward(wanted)).why != "end":
        hits.append(stop.position)
    if len(hits) == most:
        forward(Wanted(0))
    back = list[int]()
    while (found := history.back(wanted)) is not None:
        back.append(found.position)
    return len(hits), sum(one == other for one, other in zip(hits, reversed(back), strict=True))


class _Fuzzer:
    """A client that says much that no gdb says."""

    def __init__(self, seed: int, count: int) -> None:
        self.source = random.Random(seed)
        self.left = count
        self.answers = 0

    def talk(self, link: socket.socket) -> None:
        """Send packets until all are sent, or the server leaves, as one of them may ask it to."""
        with link, suppress(ConnectionError):
            link.settimeout(ANSWER_S)
            while self.left:
                self.left -= 1
                link.sendall(self._packet())
                link.sendall(b"\x03" if self.source.random() < 0.1 else framed(b"?"))
                with suppress(TimeoutError):  # Not all of this has an answer.
                    self.answers += len(link.recv(1 << 16)) > 0
            link.settimeout(None)
            link.shutdown(socket.SHUT_WR)
            while link.recv(1 << 16):
                pass

    def _packet(self) -> bytes:
        source = self.source
        content = bytearray(source.choice(PACKETS))
        for _ in range(source.choice((0, 0, 1, 2, 8))):
            content[source.randrange(len(content))] = source.randrange(256)
            content.insert(source.randrange(len(content) + 1), source.randrange(256))
        frame = framed(bytes(content)) if source.random() < 0.8 else bytes(content)
        return frame if source.random() < 0.95 else source.randbytes(64)


def _fuzz(history: History, harts: int, seed: int, count: int) -> int:
    """Send packets, many of them broken, to servers; return how many were answered."""
    fuzzer = _Fuzzer(seed, count)
    while fuzzer.left:
        ours, theirs = socket.socketpair()
        thread = threading.Thread(target=fuzzer.talk, args=(ours,))
        thread.start()
        with theirs:
            Server(Packets(theirs), history, harts).serve()
        thread.join()
    return fuzzer.answers


@experiment_named("time-travel")
def run(experiment: Experiment) -> Verdict:
    """Hold when each place has the state it had, and the run its hash."""
    stops = 30 if experiment.quick else 1000
    rows: list[list[Any]] = []
    holds = True
    for engine in ("functional", "rtl"):
        loaded = load_text(RECIPE.format(engine=engine), [])
        outcome = run_loaded(loaded, results=experiment.folder / engine)
        token_hash = outcome.result["token_hash"]
        source = random.Random(experiment.seed)
        with opened(outcome.folder, None, "node0", None, [], experiment.console) as (history, node):
            forward = Forward(history)
            last = _end(history, forward).position
            history.to(history.kept[0].stop.position)
            first = history.now.stop.position
            count = stops if engine == "functional" else stops // RTL_SHARE
            places = [source.randrange(first + 1, last) for _ in range(count)]
            noted = _noted(history, forward, node.harts, places)
            source.shuffle(noted)
            wrong, took_s = _wrong(history, node.harts, noted)
            history.to(noted[0].position)
            pc = history.now.registers(0)["pc"]
            hits, same = _over_breakpoints(
                history, forward, pc, 10 if engine == "functional" else 3
            )
            packets = 5000 if not experiment.quick else 300 if engine == "functional" else 60
            answers = _fuzz(history, node.harts, experiment.seed, packets)
            history.to(noted[0].position)
            wrong += state_of(history, node.harts) != noted[0].state
            under = (_end(history, forward).result or {})["token_hash"]
        rows.append(
            [
                *(engine, len(noted), wrong, f"{same} of {hits}", answers, token_hash, under),
                f"{1e3 * median(took_s):.1f}",
            ]
        )
        enough = len(noted) >= count // 2
        holds &= wrong == 0 and same == hits > 0 and under == token_hash and enough
        experiment.keep(**{engine: {"stops": len(noted), "wrong": wrong, "fuzzed": answers}})
    columns = ["engine", "stops", "wrong", "breakpoints met again", "packets answered"]
    columns += ["token hash", "under gdb", "reverse step (ms, median)"]
    experiment.table("Places gone back to", columns, rows)
    total = sum(int(row[1]) for row in rows)
    return Verdict(
        holds,
        f"{total} places gone back to, {sum(int(row[2]) for row in rows)} differ,",
        "0 that differ, every breakpoint met again, and the run's own hash",
    )
