# SPDX-License-Identifier: BSD-3-Clause
"""A debugger's view of memory in RTL against what the program has stored by then.

Harts store at random to words of their own, and all harts share the lines: single bytes to double
words, pairs, atomic operations. The run's trace says how many of its stores each hart has done
before a cycle, and a model of the program says what memory then holds. `firesim gdb`'s simulation
stops at random cycles; every byte it reads of that memory must be as the model says, wherever it
lies: in memory, in an L2, in a cache of another hart, in a store buffer or on its way. That the
comparison can fail is shown by maps that leave something out: at some stops they must show less
(lines that leave are met too seldom to ask it of them). --quick has one hart, with and without an
L2. --blade and --stops choose what is looked at: four harts take long.
"""

from __future__ import annotations

import argparse
import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import ne
from pathlib import Path
from typing import Any

import firesim_software
import yaml
from elftools.elf.elffile import ELFFile
from firesim.build.register_map import of_cores, read_map
from firesim.build.rtl_blade import load_blade
from firesim.debug.history import Stop, Wanted
from firesim.debug.machine import Machine
from firesim.debug.session import opened
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run as run_loaded

from regression.oracles.time_travel import Forward
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)

RECIPE = """\
name: coherent-memory
system:
  topology: rack_1
  node:
    blade: {blade}
    memory: {{size_mib: 64, timing: {{model: fixed, bytes_per_cycle: 1}}}}
workload: {{node: {{program: stores, args: ["kib={kib}", "harts={harts}", "rounds={rounds}"]}}}}
simulation: {{captures: false, tracing: {{enabled: true, outputs: [text]}}}}
"""
"""Memory that takes 8 cycles a word keeps lines on their way for long."""
PIECE_BYTES = 16_384
LESSER_STOPS = 100
MUST_MATTER = ("data caches", "stores")
"""What no map can leave out without a stop that shows it."""
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


QUICK = (Case("rocket-1", 1, 64, 1500), Case("rocket-1-l2", 1, 512, 4000))
FULL = (
    Case("rocket-1", 1, 64, 20_000),
    Case("rocket-1-small", 1, 16, 20_000),
    Case("rocket-1-16gib", 1, 64, 20_000),
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
    """The memory after a number of stores of each hart."""

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


@dataclass(frozen=True)
class Recorded:
    """A run of a case, and the cycles in which each hart's stores commit."""

    case: Case
    folder: Path
    memory: int
    """Address of what is stored to."""
    cycles: list[list[int]]


def _recorded(experiment: Experiment, case: Case) -> Recorded:
    folder = experiment.folder / f"{case.blade}-{case.harts}"
    outcome = run_loaded(load_text(RECIPE.format(**vars(case)), []), results=folder)
    fpu = load_blade(case.blade).cores.fpu
    symbols = _symbols(firesim_software.program("stores", fpu=fpu))
    places = frozenset(symbols[f"store_{name}"] for name in STORES)
    logs = [next(folder.rglob(f"hart{hart}.log")) for hart in range(case.harts)]
    cycles = [store_cycles(log, places) for log in logs]
    assert all(cycles), f"{folder}: a hart stores nothing"
    return Recorded(case, outcome.folder, symbols["memory"], cycles)


def _bytes_that_differ(
    experiment: Experiment, run: Recorded, stops: int, registers: Path | None = None
) -> list[int]:
    """Stop at random; return at each stop how many bytes are not what has been stored."""
    model, source = Model(run.case), random.Random(experiment.seed)
    first, last = run.cycles[0][0], run.cycles[0][-1]
    wanted = sorted(source.sample(range(first, last), stops))
    found = []
    session = opened(run.folder, None, "node0", None, [], experiment.console, registers)
    with session as (history, _):
        forward = Forward(history)
        for cycle in wanted:
            if history.now.stop.position >= cycle:
                continue
            stop: Stop = forward(Wanted(until_cycle=cycle))
            if stop.why == "end":
                break
            for hart, cycles in enumerate(run.cycles):
                model.go_to(hart, bisect_left(cycles, stop.position))
            shown = _read(history.now, run.memory, len(model.data))
            found.append(sum(map(ne, shown, model.data)))
            if found[-1] and registers is None:
                at = next(i for i, one in enumerate(shown) if one != model.data[i])
                experiment.say(
                    f"{run.case.blade}: cycle {stop.position}: {found[-1]} bytes differ, first at "
                    f"offset {at:#x}: {shown[at]:#04x} is shown, {model.data[at]:#04x} stored"
                )
    return found


def _lesser_maps(folder: Path, blade: str, harts: int) -> dict[str, Path]:
    """Write maps of the core that leave something out; return them by what they leave out."""
    file = of_cores(load_blade(blade).cores)
    assert file is not None, f"there is a map of the cores of {blade}"
    whole = read_map(file).model_dump(exclude_none=True)
    cache = whole["cache"]
    lesser: dict[str, Any] = {
        "data caches": {"registers": {}},
        "stores": {"registers": {}, "cache": {**cache, "stores": []}},
    }
    if harts > 1:
        kept = {key: value for key, value in cache.items() if key != "leaves"}
        lesser["lines that leave"] = {"registers": {}, "cache": kept}
    made = {}
    for name, content in lesser.items():
        made[name] = folder / f"without-{name.replace(' ', '-')}.yaml"
        made[name].write_text(yaml.safe_dump(content))
    return made


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--blade",
        action="append",
        choices=sorted({case.blade for case in FULL}),
        help="look at this blade alone; may be given again (default: all)",
    )
    parser.add_argument("--stops", type=int, default=0, help="stops of each blade (default: 1000)")


def _chosen(experiment: Experiment) -> list[Case]:
    blades = experiment.arguments.blade
    cases = QUICK if experiment.quick else FULL
    chosen = [case for case in cases if not blades or case.blade in blades]
    if not chosen:
        raise ExperimentError(f"--quick has no case of {' or '.join(blades)}: leave it out.")
    return chosen


@experiment_named("coherent-memory", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every byte read at every stop is what the harts have stored by then."""
    stops = experiment.arguments.stops or (20 if experiment.quick else 1000)
    rows, total, wrong = [], 0, 0
    runs = [_recorded(experiment, case) for case in _chosen(experiment)]
    for one in runs:
        found = _bytes_that_differ(experiment, one, stops)
        if len(found) < stops // 2:
            return Verdict(
                False, f"{len(found)} stops in {one.case.blade}", f"{stops // 2} of them"
            )
        differ = sum(count > 0 for count in found)
        rows.append([one.case.blade, one.case.harts, one.case.kib, len(found), differ, sum(found)])
        experiment.keep(**{one.case.blade: {"stops": len(found), "wrong": differ}})
        total, wrong = total + len(found), wrong + differ
    columns = ["blade", "harts", "memory (KiB)", "stops", "that differ", "bytes that do"]
    experiment.table("What a debugger reads of memory", columns, rows)
    # Where other harts go on while a line leaves, a stop may meet it; that is rare.
    lesser: dict[str, list[Any]] = {}
    shared = next((one for one in runs if one.case.harts > 1), runs[0])
    for name, file in _lesser_maps(experiment.folder, shared.case.blade, shared.case.harts).items():
        found = _bytes_that_differ(experiment, shared, LESSER_STOPS, file)
        lesser[name] = [name, len(found), sum(count > 0 for count in found), sum(found)]
    columns = ["left out", "stops", "that differ", "bytes that do"]
    experiment.table(f"With less of the map of {shared.case.blade}", columns, [*lesser.values()])
    unseen = [name for name in MUST_MATTER if not lesser[name][2]]
    return Verdict(
        wrong == 0 and not unseen,
        f"{total} stops, {wrong} differ; {len(MUST_MATTER) - len(unseen)} of {len(MUST_MATTER)} "
        "lesser maps show less,",
        "0 that differ, and each lesser map shows less",
    )
