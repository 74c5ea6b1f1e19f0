# SPDX-License-Identifier: BSD-3-Clause
"""Runs thousands of cases of a unit beside a core: as many programs as they need, four nodes a run.

Nodes do not talk to each other: each has a program with a part of the cases, so that threads of the
host share the work. What a case takes is the same whatever the host has.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict
from regression.support.near_core_cases import (
    Linked,
    Operation,
    Outcome,
    check_outputs,
    recipe,
    unit_of,
)
from regression.support.simulate import Run

MOST_BYTES = 1_400_000
"""Of inputs in one program, which ends below the device tree."""
NODES = 4
"""Programs in one run."""
_TABLE_BYTES = 48
"""Of a case in a program, with its padding."""
STEPS = ("inputs", "speed", "engines")
"""What an experiment of a unit does."""
GOOD, BAD = 10_000, 2_000
"""Inputs of the full form, and bad ones."""

C = TypeVar("C", bound=Linked)
P = TypeVar("P", bound=Operation)
F = TypeVar("F", bound=Outcome)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f'found "{text}", expected a number from 1 on')
    return int(text)


def input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of experiments that run thousands of inputs."""
    parser.add_argument(
        "--inputs",
        type=_count,
        help=f"good inputs (default {GOOD:,}; fewer with --quick); a fifth as many bad ones",
    )
    parser.add_argument(
        "--only",
        choices=STEPS,
        help="inputs, speed, or what runs some inputs on other engines and from snapshots",
    )


def how_many(experiment: Experiment, quick: tuple[int, int]) -> tuple[int, int]:
    """Return the numbers of good and of bad inputs; `quick` are those with --quick."""
    if (given := experiment.arguments.inputs) is not None:
        return given, max(1, given * BAD // GOOD)
    return quick if experiment.quick else (GOOD, BAD)


def in_steps(
    experiment: Experiment, steps: Sequence[Callable[[], tuple[bool, str]]], goal: str
) -> Verdict:
    """Do the steps, in the order of `STEPS`, or the one of `--only`; return what all have shown.

    A step returns whether it holds, and its figure, if it has one.
    """
    only = experiment.arguments.only
    done = [step() for name, step in zip(STEPS, steps, strict=True) if only in (None, name)]
    figures = [figure for _, figure in done if figure]
    return Verdict(all(fine for fine, _ in done), "; ".join(figures) or f"{only}:", goal)


def batches(cases: Sequence[C], most_bytes: int) -> list[list[C]]:
    """Return the cases in programs of at most `most_bytes` of sources, if a case has no more.

    More than one program are a multiple of `NODES` or a few less, all about as large.
    """
    sizes = [len(case.source) + _TABLE_BYTES for case in cases]
    if (programs := -(-sum(sizes) // most_bytes)) > 1:
        programs = -(-programs // NODES) * NODES
        most_bytes = min(most_bytes, sum(sizes) // programs + max(sizes))
    out: list[list[C]] = [[]]
    filled = 0
    for case, size in zip(cases, sizes, strict=True):
        filled += size
        if filled > most_bytes and out[-1]:
            out.append([])
            filled = size
        out[-1].append(case)
    return out


def _rack(blade: str, elves: Sequence[Path], threads: int) -> Config:
    """Return nodes with a program each, by the keys of a user's file."""
    config = recipe(blade, elves[0], threads=threads)
    config["system"]["topology"] = f"rack_{len(elves)}"
    nodes = {f"node{index}": {"elf": str(elf)} for index, elf in enumerate(elves)}
    config["workload"] = {"nodes": nodes}
    return config


def run_batches(
    experiment: Experiment,
    name: str,
    blade: str,
    cases: Sequence[C],
    build: Callable[[list[C], Path], Path],
    check: Callable[[Run, list[C], str], list[F]],
    most_bytes: int = MOST_BYTES,
) -> list[F]:
    """Run all cases in as many programs as they need; return what came of them, in their order.

    `build` links cases into a program in a folder, `check` compares what a node printed with its
    cases.
    """
    found: list[F] = []
    programs = batches(cases, most_bytes)
    cpu_s, cycles = 0.0, 0
    for first in range(0, len(programs), NODES):
        group = programs[first : first + NODES]
        folder = experiment.folder / f"{name}-{first // NODES}"
        elves = [build(batch, folder / f"program{node}") for node, batch in enumerate(group)]
        run = run_cluster(
            experiment, folder.name, _rack(blade, elves, min(experiment.threads, len(group)))
        )
        cpu_s, cycles = cpu_s + run.process_cpu_s, cycles + run.node_cycles
        for node, batch in enumerate(group):
            found += check(run, batch, f"node{node}")
    experiment.say(
        f"{name}: {len(cases):,} cases in {len(programs)} programs, {cycles:,} cycles of nodes, "
        f"{cpu_s:.0f} s of processor time"
    )
    return found


def run_operations(
    experiment: Experiment,
    name: str,
    part: str,
    cases: Sequence[P],
    build: Callable[[str, Sequence[P], Path], Path],
) -> list[tuple[P, Outcome]]:
    """Run cases whose output is bytes on the unit of a part and compare them.

    `build` links cases into the program of the unit behind an opcode, in a folder.
    """
    unit = unit_of(part)
    own = partial(build, unit.opcode)
    outcomes = run_batches(experiment, name, unit.blade, cases, own, check_outputs)
    return list(zip(cases, outcomes, strict=True))
