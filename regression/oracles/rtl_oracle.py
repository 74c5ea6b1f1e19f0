# SPDX-License-Identifier: BSD-3-Clause
"""The Rocket blade against QEMU: seeded random RV64GC programs, instruction by instruction.

Each program runs M-, S- and U-mode code with traps, interrupts, Sv39, PMP, atomics, floating point
and code that changes itself, once on the blade inside firesim-sim, once in QEMU. Compared are every
instruction that commits (address, bits, mode), every trap (address, cause, value), and at the end
all registers, CSRs and memory. Nothing is filtered out of the comparison: what correct cores may do
differently is left out of the programs (support/random_programs/generate.py lists it).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.random_programs.machines import (
    DUMP_NAMES,
    Program,
    build,
    run_qemu,
    run_rocket,
)
from regression.support.random_programs.trace import (
    Commit,
    Difference,
    Event,
    Trap,
    first_difference,
)

QUICK_PROGRAMS, PROGRAMS, GROUP = 16, 160, 8
CAUSES = {
    1: "instruction access fault",
    2: "illegal instruction",
    3: "breakpoint",
    5: "load access fault",
    6: "misaligned atomic",
    7: "store access fault",
    8: "call from U",
    9: "call from S",
    11: "call from M",
    12: "instruction page fault",
    13: "load page fault",
    15: "store page fault",
}
INTERRUPTS = {1: "supervisor software", 3: "machine software", 7: "machine timer"}
OPCODES: dict[str, Callable[[int], bool]] = {
    "multiply, divide": lambda w: w & 0x7F in (0x33, 0x3B) and w >> 25 == 1,
    "atomic": lambda w: w & 0x7F == 0x2F,
    "floating point": lambda w: w & 0x7F in (0x43, 0x47, 0x4B, 0x4F, 0x53, 0x07, 0x27),
    "CSR": lambda w: w & 0x7F == 0x73 and w >> 12 & 3 != 0,
    "compressed": lambda w: w & 3 != 3,
    "fence.i": lambda w: w & 0x707F == 0x100F,
    "sfence.vma": lambda w: w & 0xFE007FFF == 0x12000073,
}


@dataclass(frozen=True)
class Outcome:
    """What comparing one program gave."""

    program: Program
    events: list[Event]
    """Those of QEMU."""
    difference: Difference | None
    state: list[str]
    """Names of what differs in the final state, with both values."""

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return self.difference is None and not self.state


def state_differences(first: list[str], second: list[str]) -> list[str]:
    """Compare two dumps of the final state; return a text for each word that differs."""
    if len(first) != len(second):
        return [f"found {len(first)} and {len(second)} words of final state"]
    names = [*DUMP_NAMES, *(f"memory+{256 * i}" for i in range(len(first) - len(DUMP_NAMES)))]
    pairs = zip(names, first, second, strict=True)
    return [f"{name}: QEMU {a}, Rocket {b}" for name, a, b in pairs if a != b]


def _groups(programs: list[Program]) -> Iterable[list[Program]]:
    for begin in range(0, len(programs), GROUP):
        yield programs[begin : begin + GROUP]


def compare_group(experiment: Experiment, programs: list[Program]) -> list[Outcome]:
    """Run a group of programs on both machines and compare them, one by one."""
    with ThreadPoolExecutor(experiment.threads) as pool:
        expected = list(pool.map(run_qemu, programs))
    found = run_rocket(experiment, programs, experiment.arguments.blade)
    outcomes = []
    for program, qemu, rocket in zip(programs, expected, found, strict=True):
        difference = first_difference(qemu.events, rocket.events)
        state = state_differences(qemu.state, rocket.state)
        outcomes.append(Outcome(program, qemu.events, difference, state))
        if difference is None and not state:
            program.remove_logs()
    return outcomes


def _coverage(experiment: Experiment, outcomes: list[Outcome]) -> list[str]:
    """Print what the programs exercised; return what they should have and did not."""
    seen: Counter[str] = Counter()
    words: Counter[int] = Counter()
    for outcome in outcomes:
        for event in outcome.events:
            if isinstance(event, Commit):
                seen[f"{'USHM'[event.privilege]}-mode instructions"] += 1
                words[event.word] += 1
            else:
                seen[_trap_name(event)] += 1
    for name, matches in OPCODES.items():
        seen[name] = sum(count for word, count in words.items() if matches(word))
    names = [
        *(f"{mode}-mode instructions" for mode in "MSU"),
        *OPCODES,
        *(f"trap: {name}" for name in CAUSES.values()),
        *(f"interrupt: {name}" for name in INTERRUPTS.values()),
    ]
    experiment.table("What was compared", ["kind", "events"], [[n, f"{seen[n]:,}"] for n in names])
    experiment.keep(events={name: seen[name] for name in names})
    return [name for name in names if seen[name] == 0]


def _trap_name(trap: Trap) -> str:
    if trap.interrupt:
        return f"interrupt: {INTERRUPTS.get(trap.cause, trap.cause)}"
    return f"trap: {CAUSES.get(trap.cause, trap.cause)}"


def _explain(experiment: Experiment, outcome: Outcome) -> None:
    experiment.say(f"program of seed {outcome.program.seed} differs:")
    if outcome.difference:
        experiment.say(outcome.difference.describe(("QEMU  ", "Rocket")))
    for line in outcome.state[:20]:
        experiment.say(f"  {line}")
    options = f"--programs 1 --seed {outcome.program.seed} --blade {experiment.arguments.blade}"
    experiment.say(f"replay: ./firesim experiment rtl-oracle {options}")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--programs", type=int, default=0, help=f"number of programs (default {PROGRAMS})"
    )
    parser.add_argument("--blade", default="rocket-1", help="a blade file with one Rocket core")


@experiment_named("rtl-oracle", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold only when nothing differs."""
    count: int = experiment.arguments.programs or (QUICK_PROGRAMS if experiment.quick else PROGRAMS)
    seeds = range(experiment.seed, experiment.seed + count)
    experiment.say(f"seeds {seeds.start} to {seeds.stop - 1}")
    with ThreadPoolExecutor(experiment.threads) as pool:
        programs = list(pool.map(lambda seed: build(seed, experiment.folder), seeds))
    outcomes = []
    for group in _groups(programs):
        outcomes += compare_group(experiment, group)
    wrong = [outcome for outcome in outcomes if not outcome.agrees]
    for outcome in wrong[:3]:
        _explain(experiment, outcome)
    missing = _coverage(experiment, outcomes) if count >= QUICK_PROGRAMS else []
    if missing:
        experiment.say(f"never happened: {', '.join(missing)}")
    events = sum(len(outcome.events) for outcome in outcomes)
    experiment.keep(programs=count, compared=events, differing=[o.program.seed for o in wrong])
    figure = f"{events:,} instructions and traps of {count} programs, {len(wrong)} programs differ"
    return Verdict(not wrong and not missing, figure, "no difference, every kind seen")
