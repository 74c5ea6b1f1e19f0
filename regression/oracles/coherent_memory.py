# SPDX-License-Identifier: BSD-3-Clause
"""A debugger's view of memory in RTL against what the program has stored by then.

Harts store at random to words of their own, and all harts share the lines: single bytes to double
words, pairs, atomic operations. The run's trace says how many of its stores each hart has done
before a cycle, and a model of the program says what memory then holds. `firesim gdb`'s simulation
stops at random cycles; every byte it reads of that memory must be as the model says, wherever it
lies: in memory, in an L2, in a cache of another hart, in a store buffer or on its way. What plain
memory would have shown is counted, too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import firesim_software
from elftools.elf.elffile import ELFFile
from firesim.debug.history import Stop, Wanted
from firesim.debug.machine import Machine
from firesim.debug.session import opened
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run as run_loaded

from regression.oracles.time_travel import Forward
from regression.support.experiment import Experiment, Verdict, experiment_named

RECIPE = """\
name: coherent-memory
system: {{topology: rack_1, node: {{blade: {blade}, memory: {{size_mib: 64}}}}}}
workload: {{node: {{program: stores, args: ["kib={kib}", "harts={harts}", "rounds={rounds}"]}}}}
simulation: {{captures: false, tracing: {{enabled: true, outputs: [text]}}}}
"""
PIECE_BYTES = 16_384
MASK = (1 << 64) - 1
FIRST_STATE = 88172645463325252
STORES = ("d", "first", "second", "w", "h", "b", "add", "swap")
_COMMIT = re.compile(r"core +\d+: \d 0x([0-9a-f]+) .* cycle (\d+)\n")


@dataclass(frozen=True)
class Case:
    """A blade, and how much of its memory how many harts store to."""

    blade: str
    harts: int
    kib: int
    rounds: int


QUICK = (Case("rocket-1", 1, 64, 1500), Case("rocket-2", 2, 32, 1000))
FULL = (
    Case("rocket-1", 1, 64, 20_000),
    Case("rocket-2", 2, 32, 20_000),
    Case("rocket-1-l2", 1, 1024, 40_000),
    Case("rocket-4-l2", 4, 1024, 12_000),
)


def stores_of(hart: int, case: Case) -> Iterator[tuple[int, int, int, bool]]:
    """Give the stores of a hart as the program does them: offset, bytes, value, whether it adds."""
    own = hart * 8
    chosen = (case.kib * 1024 - 1) & ~(case.harts * 8 - 1)
    state = FIRST_STATE + hart
    while True:
        state ^= state << 13 & MASK
        state ^= state >> 7
        state ^= state << 17 & MASK
        at, kind, part = state >> 20 & chosen | own, state & 7, state >> 3
        if kind == 0:
            yield at, 8, state, False
        elif kind == 1:
            yield at, 8, state, False
            yield at ^ 0x40, 8, kind, False
        elif kind == 2:
            yield at + (part & 4), 4, state, False
        elif kind == 3:
            yield at + (part & 6), 2, state, False
        elif kind == 4:
            yield at + (part & 7), 1, state, False
        elif kind == 5:
            yield at, 8, state, True
        elif kind == 7:
            yield at, 4, state, False


class Model:
    """The memory after so many stores of each hart."""

    def __init__(self, case: Case) -> None:
        self.data = bytearray(case.kib * 1024)
        self._stores = [stores_of(hart, case) for hart in range(case.harts)]
        self._done = [0] * case.harts

    def go_to(self, hart: int, stores: int) -> None:
        """Let a hart have done this number of stores, no fewer than before."""
        for _ in range(stores - self._done[hart]):
            at, count, value, adds = next(self._stores[hart])
            if adds:
                value += int.from_bytes(self.data[at : at + count], "little")
            low = value & (1 << 8 * count) - 1
            self.data[at : at + count] = low.to_bytes(count, "little")
        self._done[hart] = stores


def store_cycles(log: Path, places: frozenset[int]) -> list[int]:
    """Return the cycles in which a hart's stores commit, by its trace."""
    found = []
    with log.open() as lines:
        for line in lines:
            match = _COMMIT.fullmatch(line)
            if match and int(match[1], 16) in places:
                found.append(int(match[2]))
    return found


def _symbols(elf: Path) -> Mapping[str, int]:
    with elf.open("rb") as file:
        table: Any = ELFFile(file).get_section_by_name(".symtab")
        return {one.name: int(one["st_value"]) for one in table.iter_symbols() if one.name}


def _read(machine: Machine, address: int, count: int) -> bytes:
    pieces = (
        machine.read(address + at, min(PIECE_BYTES, count - at))
        for at in range(0, count, PIECE_BYTES)
    )
    return b"".join(piece or b"" for piece in pieces)


def _check(experiment: Experiment, case: Case, stops: int) -> tuple[int, int, int]:
    """Run a case and stop in it; return how many stops there were, differ, and bytes that do."""
    loaded = load_text(RECIPE.format(**vars(case)), [])
    folder = experiment.folder / f"{case.blade}-{case.harts}"
    outcome = run_loaded(loaded, results=folder)
    symbols = _symbols(firesim_software.program("stores"))
    places = frozenset(symbols[f"store_{name}"] for name in STORES)
    logs = [next(folder.rglob(f"hart{hart}.log")) for hart in range(case.harts)]
    cycles = [store_cycles(log, places) for log in logs]
    assert all(cycles), f"{folder}: a hart stores nothing"
    model, source = Model(case), random.Random(experiment.seed)
    wanted = sorted(source.randrange(cycles[0][0], cycles[0][-1]) for _ in range(stops))
    done = wrong_stops = wrong_bytes = 0
    with opened(outcome.folder, None, "node0", None, [], experiment.console) as (history, _):
        forward = Forward(history)
        for cycle in wanted:
            if history.now.stop.position >= cycle:
                continue
            stop: Stop = forward(Wanted(until_cycle=cycle))
            if stop.why == "end":
                break
            for hart, times in enumerate(cycles):
                model.go_to(hart, sum(one < stop.position for one in times))
            found = _read(history.now, symbols["memory"], len(model.data))
            differ = sum(ours != theirs for ours, theirs in zip(found, model.data, strict=True))
            if differ:
                at = next(i for i, one in enumerate(found) if one != model.data[i])
                experiment.say(
                    f"{case.blade}: cycle {stop.position}: {differ} bytes differ, the first at "
                    f"offset {at:#x}: {found[at]:#04x} is shown, {model.data[at]:#04x} stored"
                )
            done += 1
            wrong_stops += differ > 0
            wrong_bytes += differ
    return done, wrong_stops, wrong_bytes


@experiment_named("coherent-memory")
def run(experiment: Experiment) -> Verdict:
    """Hold when every byte read at every stop is what the harts have stored by then."""
    stops = 20 if experiment.quick else 1000
    rows, total, wrong = [], 0, 0
    for case in QUICK if experiment.quick else FULL:
        done, differ, count = _check(experiment, case, stops)
        rows.append([case.blade, case.harts, case.kib, done, differ, count])
        experiment.keep(**{case.blade: {"stops": done, "wrong": differ, "wrong_bytes": count}})
        total, wrong = total + done, wrong + differ
        if done < stops // 2:
            return Verdict(False, f"{done} stops in {case.blade}", f"at least {stops // 2}")
    columns = ["blade", "harts", "memory (KiB)", "stops", "that differ", "bytes that do"]
    experiment.table("What a debugger reads of memory", columns, rows)
    return Verdict(wrong == 0, f"{total} stops, {wrong} differ,", "0 that differ")
