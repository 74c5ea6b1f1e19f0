# SPDX-License-Identifier: BSD-3-Clause
"""The functional blade's harts against QEMU and the Rocket RTL: seeded random RV64GC programs.

The programs are those of rtl-oracle. Each runs six times: in QEMU; on a functional hart that
reports every instruction (compared one by one, with every trap, cause and value, then all registers
and memory); and on harts that run decoded blocks at full speed, whole and with time cut at random
places, interpreted and with each block translated at once (compared by registers and memory). Some
also run on the Rocket blade and on a functional node, and are compared with the traces of both
instruction by instruction. With `--blade` the nodes alone are compared, on another blade: in M mode
where it has no other, as `rocket-1-small`.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from firesim.build.rtl_blade import load_blade

from regression.oracles.rtl_oracle import state_differences
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.functional_hart import runner
from regression.support.random_programs.machines import (
    MAX_CYCLES,
    START,
    Outcome,
    Program,
    build,
    run_qemu,
    run_rocket,
)
from regression.support.random_programs.trace import first_difference, tracerv_events

QUICK_PROGRAMS, PROGRAMS = 28, 400
WAYS = {"interpreted": ("--translate-after", "-1"), "translated": ("--translate-after", "0")}
"""How a functional hart runs decoded blocks: none is translated, or each at once."""
QUICK_RTL_PROGRAMS, RTL_PROGRAMS = 2, 16


@dataclass(frozen=True)
class Comparison:
    """What comparing one program on all machines gave."""

    program: Program
    events: int
    problems: list[str]


def run_functional(binary: Path, program: Program, *options: str) -> list[str]:
    """Run a program on a functional hart; return the words it printed.

    Raises:
        ExperimentError: the program or the runner failed.
    """
    command = [str(binary), "--max-cycles", str(MAX_CYCLES), *options, str(program.for_rocket)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        text = f"{' '.join(command)}: exit status {done.returncode}. {done.stderr.strip()}"
        raise ExperimentError(text)
    return done.stdout.split()


def run_logged(binary: Path, program: Program) -> Outcome:
    """Run a program on a functional hart that reports every instruction."""
    log = program.folder / "functional.log"
    span = ("--log", str(log), "--from", hex(START), "--to", hex(program.end))
    state = run_functional(binary, program, *span)
    events = tracerv_events(log)
    log.unlink()
    return Outcome(events, state)


def _differences(what: str, first: Outcome, second: Outcome) -> Iterable[str]:
    difference = first_difference(first.events, second.events)
    if difference:
        yield difference.describe((f"{what}  ", "functional"))
    for line in state_differences(first.state, second.state)[:8]:
        yield f"{what} and functional: {line.replace('Rocket', 'functional')}"


def compare(binary: Path, program: Program) -> Comparison:
    """Run a program in QEMU and five times on a functional hart."""
    qemu = run_qemu(program)
    logged = run_logged(binary, program)
    problems = list(_differences("QEMU", qemu, logged))
    cut = ("--cut-seed", str(program.seed + 1))
    for name, options in (
        ("blocks", (*WAYS["interpreted"],)),
        ("cut", (*WAYS["interpreted"], *cut)),
        ("translated", (*WAYS["translated"],)),
        ("translated and cut", (*WAYS["translated"], *cut)),
    ):
        state = run_functional(binary, program, *options)
        found = state_differences(logged.state, state)[:4]
        problems += [f"one by one and {name}: {line}" for line in found]
    program.remove_logs()
    return Comparison(program, len(qemu.events), problems)


def _on_both(
    experiment: Experiment, programs: list[Program], blade: str
) -> Iterator[tuple[Program, Outcome, Outcome]]:
    """Run programs on functional nodes of a blade and in RTL, eight in a simulation."""
    for begin in range(0, len(programs), 8):
        group = programs[begin : begin + 8]
        nodes = run_rocket(experiment, group, blade, engine="functional")
        yield from zip(group, nodes, run_rocket(experiment, group, blade), strict=True)


def _with_rocket(experiment: Experiment, binary: Path, programs: list[Program]) -> list[str]:
    """Compare programs with the Rocket blade; return what differs."""
    problems: list[str] = []
    for program, node, rocket in _on_both(experiment, programs, "rocket-1"):
        logged = run_logged(binary, program)
        found = [
            *_differences("Rocket", rocket, logged),
            *_differences("trace of a node", node, logged),
        ]
        problems += [f"seed {program.seed}: {line}" for line in found]
    return problems


def _only_nodes(experiment: Experiment, blade: str, count: int) -> Verdict:
    """Compare nodes of a blade whose cores have other features; hold when none differs."""
    cores = load_blade(blade).cores
    seeds = range(experiment.seed, experiment.seed + count)
    experiment.say(f"seeds {seeds.start} to {seeds.stop - 1}")
    programs = [build(seed, experiment.folder, cores) for seed in seeds]
    unlike = [
        f"seed {program.seed}: {line}"
        for program, node, rocket in _on_both(experiment, programs, blade)
        for line in _differences("Rocket", rocket, node)
    ]
    for line in unlike[:10]:
        experiment.say(line)
    experiment.keep(blade=blade, rtl_programs=count, unlike_rtl=unlike)
    figure = f"{count} programs on nodes of {blade}, {len(unlike)} differences from the RTL"
    return Verdict(not unlike, figure, "no difference")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--blade", help="compare nodes of this blade alone, of any cores")
    parser.add_argument(
        "--programs", type=int, default=0, help=f"number of programs (default {PROGRAMS})"
    )
    parser.add_argument(
        "--rtl-programs", type=int, help=f"how many also on the RTL (default {RTL_PROGRAMS})"
    )


@experiment_named("functional-oracle", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold only when nothing differs."""
    quick = experiment.quick
    count: int = experiment.arguments.programs or (QUICK_PROGRAMS if quick else PROGRAMS)
    rtl: int | None = experiment.arguments.rtl_programs
    if rtl is None:
        rtl = QUICK_RTL_PROGRAMS if quick else RTL_PROGRAMS
    if blade := experiment.arguments.blade:
        return _only_nodes(experiment, blade, rtl)
    binary = runner()
    seeds = range(experiment.seed, experiment.seed + count)
    experiment.say(f"seeds {seeds.start} to {seeds.stop - 1}")
    events, differing = 0, []

    def one(seed: int) -> Comparison:
        return compare(binary, build(seed, experiment.folder))

    with ThreadPoolExecutor(experiment.threads) as pool:
        for comparison in pool.map(one, seeds):
            events += comparison.events
            if comparison.problems:
                seed = comparison.program.seed
                differing.append(seed)
                for line in comparison.problems if len(differing) <= 3 else []:
                    experiment.say(f"seed {seed}: {line}")
    replay = "./firesim experiment functional-oracle --programs 1 --rtl-programs 0 --seed"
    for seed in differing[:3]:
        experiment.say(f"replay: {replay} {seed}")
    programs = [build(seed, experiment.folder) for seed in list(seeds)[:rtl]]
    unlike = _with_rocket(experiment, binary, programs) if programs else []
    for line in unlike[:10]:
        experiment.say(line)
    experiment.keep(
        programs=count, compared=events, differing=differing, rtl_programs=rtl, unlike_rtl=unlike
    )
    figure = (
        f"{events:,} instructions and traps of {count} programs, {len(differing)} programs differ "
        f"from QEMU; {rtl} programs on the RTL, {len(unlike)} differences"
    )
    return Verdict(not differing and not unlike, figure, "no difference")
