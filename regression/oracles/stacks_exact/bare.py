# SPDX-License-Identifier: BSD-3-Clause
"""A program without a system that knows its stacks, in RTL and on a functional node.

Up to where it prints, no instruction of it depends on time: both nodes commit the same ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from firesim_software import own_program

from regression.oracles.stacks_exact.truth import Part, plain, told, traced_bare
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment
from regression.support.random_programs.trace import (
    Event,
    between,
    first_difference,
    tracerv_events,
)
from regression.support.simulate import Run

CALLS = Path(__file__).resolve().parent / "calls.c"
BEGIN, END = "main", "tell"
"""The functions from which on, and up to which, instructions are compared."""
TRACED: Config = {
    "simulation": {"threads": 2, "tracing": {"enabled": True, "outputs": ["text", "folded"]}}
}

FINER: Config = {"simulation": {"tracing": {"enabled": True, "inlined": True, "lines": True}}}


def both(experiment: Experiment) -> list[Part]:
    """Run the program on nodes of both kinds, with and without a trace."""
    elf = own_program([CALLS], experiment.folder / "calls.elf")
    commits: dict[str, list[Event]] = {}
    parts = []
    for engine, name in (("rtl", "bare in RTL"), ("functional", "bare functional")):
        config = _config(elf, engine)
        alone = run_cluster(experiment, f"{engine}-plain", merged(config, _threads(1)))
        run = run_cluster(experiment, f"{engine}-traced", merged(config, TRACED))
        finer = run_cluster(experiment, f"{engine}-finer", merged(config, FINER))
        commits[engine] = _commits(elf, run)
        hashes = {(each.token_hash, each.end_cycle) for each in (alone, run, finer)}
        folded, detail = (
            (each.folder / "node0/trace/hart0.folded").read_text() for each in (run, finer)
        )
        same = len(hashes) == 1 and plain(detail) == plain(folded)
        truth, inlined = told(run.console("node0")), told(run.console("node0"), inlined=True)
        parts += [
            Part(name, truth, traced_bare(folded), same, run.token_hash),
            Part(f"{name}, inlined", inlined, traced_bare(detail), same, run.token_hash),
        ]
    *others, functional, in_detail = parts
    return [*others, _compared(experiment, functional, commits), in_detail]


def _threads(number: int) -> Config:
    return {"simulation": {"threads": number}}


def _config(elf: Path, engine: str) -> Config:
    memory = {"size_mib": 16, "timing": {"model": "fixed", "latency_cycles": 10}}
    return {
        "system": {"topology": "rack_1", "node": {"blade": "rocket-1", "memory": memory}},
        "workload": {"node": {"elf": str(elf)}},
        "simulation": {"engine": engine},
    }


def _address(elf: Path, function: str) -> int:
    with elf.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".symtab")
        (found,) = symbols.get_symbol_by_name(function)
        return int(found["st_value"])


def _commits(elf: Path, run: Run) -> list[Event]:
    log = run.folder / "node0/trace/hart0.log"
    events = between(tracerv_events(log), _address(elf, BEGIN), _address(elf, END), str(log))
    log.unlink()
    return events


def _compared(experiment: Experiment, part: Part, commits: dict[str, list[Event]]) -> Part:
    """Return a part that is only the same if both nodes committed the same instructions."""
    names = ("rtl", "functional")
    difference = first_difference(commits["rtl"], commits["functional"])
    if difference is not None:
        experiment.say(difference.describe(names))
    number = len(commits["functional"])
    experiment.say(f"{number:,} instructions and traps of a program, in RTL and functional")
    experiment.keep(commits=number, commits_equal=difference is None)
    same = part.same and difference is None
    return Part(part.name, part.truth, part.found, same, part.token_hash)
