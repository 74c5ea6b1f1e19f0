# SPDX-License-Identifier: BSD-3-Clause
"""Chipyard's Verilog behind our parts: programs end by tohost in one cycle, however they are run.

The small SoC of target-design/examples/chipyard-soc plays its list of words to the host by TSI: on
both RTL engines, metasimulated with random stalls, saved in the middle of a command and gone on
from there, and as two nodes with one thread and two. All runs must end in the same cycle.

With `--collateral`, a folder that Chipyard has generated, programs in C run on it. `hello` says
what its core is. `work` computes: on both engines alone and side by side, every output of every
cycle compared, and saved and gone on from there; it must print what it prints on this computer.
`hello` runs once more in each of these ways, to the same cycle: metasimulated with random stalls,
with the hash of the engine rtl; on two nodes beside two of Rocket that ping each other, by one
thread and by two. With `--core`, the path of a Rocket core in it, `hello` and `work` are traced and
their instructions counted: both engines and the metasimulation write one trace, with as many
instructions as were counted. With `--chip-top` it runs on the chip without its harness, too, where
the host looks for tohost in memory. With `--riscv-tests`, the core runs each of riscv-tests that it
has the extensions for.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from regression.support import riscv_tests, tethered, traced_run
from regression.support.as_user import UserRun, run_as_user
from regression.support.chipyard_soc import (
    COMMAND_CYCLE,
    END_CYCLE,
    PRINTED,
    assembled,
    small_recipe,
)
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rtl_pair import both_engines

RECIPE = """\
system:
  topology: {{nodes: [{nodes}], switches: [], links: []}}
  clock_hz: 500_000_000
  blades: {{mine: {{chipyard: "{folder}", {watched}}}}}
  node: {{blade: mine, bridges: {{tsi: {{poll_cycles: 2000}}}}}}
workload: {{nodes: {{{programs}}}}}
simulation: {{max_cycles: 1_000_000, threads: {threads}, autocounter: {{enabled: true}}}}
"""
CLUSTER = """\
system:
  topology: {{tree: {{tor0: [left, right, client, server]}}}}
  clock_hz: 500_000_000
  link: {{latency: 2us}}
  blades: {{mine: {{chipyard: "{folder}", {watched}}}}}
  nodes:
    left: {{blade: mine, bridges: {{tsi: {{poll_cycles: 2000}}}}}}
    right: {{blade: mine, bridges: {{tsi: {{poll_cycles: 2000}}}}}}
workload:
  nodes:
    left: {{elf: "{elf}"}}
    right: {{elf: "{elf}"}}
    client: {{program: ping, args: ["role=client", "peer=${{server.mac}}", "count=3"]}}
    server: {{program: ping, args: ["role=server"]}}
simulation: {{engine: functional, engines: {{left: rtl, right: rtl}}, max_cycles: 10_000_000}}
"""
CHIP = """\
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  clock_hz: 500_000_000
  blades: {{mine: {{chipyard: "{folder}", top: ChipTop}}}}
  node: {{blade: mine}}
workload: {{nodes: {{soc: {{elf: "{elf}"}}}}}}
simulation: {{max_cycles: 1_000_000}}
"""
TRACE = """\
traces: [{{within: {core}.csr, valid: io_trace_0_valid, pc: io_trace_0_iaddr,
  instruction: io_trace_0_insn, exception: io_trace_0_exception, interrupt: "cause[63]",
  cause: cause, tval: io_tval}}]"""
"""What a Rocket core says of its commits, and not in which mode."""
SOCS = (": left", ": right")
COLUMNS = ("run", "end cycle (measured)", "exit code (measured)", "token hash", "as expected")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--collateral", type=Path, help="a folder that Chipyard has generated")
    parser.add_argument(
        "--event", metavar="NAME=PATH", help="a wire of it, whose ones are counted by this name"
    )
    parser.add_argument(
        "--core",
        metavar="PATH",
        help="of a Rocket core in it, below the top module: trace it and count its instructions",
    )
    parser.add_argument(
        "--riscv-tests", type=Path, help="a clone of riscv-tests with riscv-test-env in env/"
    )
    parser.add_argument(
        "--chip-top", action="store_true", help="run on its ChipTop alone, too; it needs an L2"
    )
    parser.add_argument("--nodes", type=int, default=16, help="tests in one simulation")


def _file_name(text: str) -> str:
    return text.lower().replace(",", "").replace(" ", "-")


def _small_runs(experiment: Experiment, folder: Path) -> dict[str, UserRun]:
    """Run the small SoC in every way."""
    one, two = small_recipe(folder), small_recipe(folder, ("soc", "other"), "two.yaml")
    assembled(folder, 0)
    saved = f"simulation.snapshots.at_cycles=[{COMMAND_CYCLE}]"
    ways: dict[str, tuple[Path, tuple[str, ...]]] = {
        "generated engine": (one, ()),
        "Verilator": (one, ("simulation.rtl_engine=verilator",)),
        "metasimulation, stalled": (one, _stalled(experiment)),
        "saved in a command": (one, (saved,)),
        "two nodes, 1 thread": (two, ()),
        "two nodes, 2 threads": (two, ("simulation.threads=2",)),
    }
    runs = {
        way: run_as_user(recipe, folder / _file_name(way), *settings)
        for way, (recipe, settings) in ways.items()
    }
    snapshot = runs["saved in a command"].folder / f"snapshots/cycle-{COMMAND_CYCLE}"
    runs["gone on from there"] = run_as_user(one, folder / "restored", start=snapshot)
    return runs


def _rows(runs: dict[str, UserRun], end_cycle: int, printed: str) -> list[list[object]]:
    """Return a row for each node of each run; the last cell says whether it is as it must be."""
    rows: list[list[object]] = []
    for way, run in runs.items():
        token_hash, _ = run.end
        for node in run.nodes:
            said = run.console(node["name"])
            # A run that goes on from a snapshot prints what comes after it.
            right = printed.endswith(said) if run.result["start_cycle"] else said == printed
            right &= (node["ended_at_cycle"], node["exit_code"]) == (end_cycle, 0)
            name = way if len(run.nodes) == 1 else f"{way}: {node['name']}"
            end = f"{node['ended_at_cycle']:,}"
            rows.append([name, end, node["exit_code"], token_hash, "yes" if right else "NO"])
    return rows


def _shown(experiment: Experiment, title: str, rows: Sequence[Sequence[object]]) -> bool:
    """Print a table of runs; return whether all are as they must be."""
    experiment.table(title, COLUMNS, rows)
    return all(row[-1] == "yes" for row in rows)


def _small(experiment: Experiment) -> bool:
    folder = experiment.folder / "small"
    folder.mkdir()
    rows = _rows(_small_runs(experiment, folder), END_CYCLE, PRINTED)
    holds = _shown(experiment, "the small SoC", rows)
    experiment.keep(small_soc_end_cycle=END_CYCLE, small_soc_ends=len(rows), small_soc_holds=holds)
    return holds


def _events(experiment: Experiment) -> dict[str, str]:
    """Return the wires to count, by the names of their counters."""
    event: str | None = experiment.arguments.event
    core: str | None = experiment.arguments.core
    name, _, signal = (event or "").partition("=")
    events = {name: signal} if event else {}
    return events | ({traced_run.INSTRUCTIONS: f"{core}.wb_valid"} if core else {})


def _watched(experiment: Experiment) -> str:
    """Return events and traces of the blade, the same in all recipes, so one model serves them."""
    events = ", ".join(
        f"{{name: {name}, signal: {signal}}}" for name, signal in _events(experiment).items()
    )
    core: str | None = experiment.arguments.core
    return f"events: [{events}]" + (f", {TRACE.format(core=core)}" if core else "")


def _traced(experiment: Experiment) -> tuple[str, ...]:
    """Return the settings of a run that is traced where a core is named."""
    return (traced_run.SETTING,) if experiment.arguments.core else ()


def _recipe(experiment: Experiment, folder: Path, programs: dict[str, Path]) -> Path:
    """Write a recipe of nodes of the given folder, each with its program."""
    text = RECIPE.format(
        nodes=", ".join(programs),
        folder=experiment.arguments.collateral.resolve(),
        watched=_watched(experiment),
        programs=", ".join(f'{node}: {{elf: "{elf}"}}' for node, elf in programs.items()),
        threads=experiment.threads,
    )
    recipe = folder / "recipe.yaml"
    recipe.write_text(text)
    return recipe


def _hello(experiment: Experiment) -> tuple[UserRun, str]:
    """Say hello on the design; return the run, and the letters of its core's extensions."""
    folder = experiment.folder / "hello"
    folder.mkdir()
    elf = tethered.built(folder, tethered.HELLO)
    recipe = _recipe(experiment, folder, {"soc": elf})
    run = run_as_user(recipe, folder / "generated", *_traced(experiment))
    greeting, _, misa = run.console("soc").strip().rpartition("\nmisa ")
    if greeting != "hello from the target":
        raise ExperimentError(f'{run.folder}: found "{run.console("soc")}", expected a greeting.')
    letters = riscv_tests.letters_of(int(misa, 16))
    (node,) = run.nodes
    cost = f"{run.cpu_s:,.0f} s of processor time, {run.peak_bytes / 1e9:.2f} GB"
    experiment.say(f"hello: misa {misa} ({letters}), end cycle {node['ended_at_cycle']:,}; {cost}")
    experiment.keep(misa=misa, hello_end_cycle=node["ended_at_cycle"], hello_cpu_s=run.cpu_s)
    return run, letters


def _stalled(experiment: Experiment) -> tuple[str, str]:
    """Return the settings of a metasimulation whose host stalls at random."""
    stall = f"simulation.metasim={{stall_seed: {experiment.seed}, stall_rate: 64}}"
    return "simulation.engine=metasim", stall


def _everywhere(experiment: Experiment, alone: UserRun) -> bool:
    """Run hello metasimulated and beside other nodes; return whether it ends as it did alone."""
    folder = experiment.folder / "hello"
    end, printed = experiment.figures["hello_end_cycle"], alone.console("soc")
    settings = (*_stalled(experiment), *_traced(experiment))
    metasim = run_as_user(folder / "recipe.yaml", folder / "metasim", *settings)
    cluster = folder / "cluster.yaml"
    design = experiment.arguments.collateral.resolve()
    cluster.write_text(
        CLUSTER.format(folder=design, elf=folder / "hello.elf", watched=_watched(experiment))
    )
    runs = {"generated engine": alone, "metasimulation, stalled": metasim}
    rows = _rows(runs, end, printed)
    holds = metasim.end == alone.end
    if experiment.arguments.core:
        holds &= traced_run.same_trace(alone, metasim)
    cost = f"{metasim.cpu_s:,.0f} s of processor time, {metasim.peak_bytes / 1e9:.2f} GB"
    experiment.say(f"metasimulation: from the text to the end {cost}")
    experiment.keep(metasim_cpu_s=metasim.cpu_s, metasim_peak_bytes=metasim.peak_bytes)
    for threads in (1, 2):
        setting = f"simulation.threads={threads}"
        run = run_as_user(cluster, folder / f"cluster-{threads}", setting)
        way = f"beside Rocket, {threads} thread{'s' * (threads > 1)}"
        rows += [row for row in _rows({way: run}, end, printed) if str(row[0]).endswith(SOCS)]
        runs[way] = run
    holds &= len({run.end[0] for way, run in runs.items() if way.startswith("beside")}) == 1
    experiment.keep(hello_everywhere=holds)
    return _shown(experiment, "hello.c on the collateral", rows) and holds


def _chip(experiment: Experiment, printed: str) -> bool:
    """Run hello on the chip without its harness, on both engines."""
    folder = experiment.folder / "chip"
    folder.mkdir()
    elf = tethered.built(folder, tethered.HELLO, flush=tethered.L2_FLUSH)
    recipe = folder / "recipe.yaml"
    recipe.write_text(CHIP.format(folder=experiment.arguments.collateral.resolve(), elf=elf))
    runs = {
        engine: run_as_user(recipe, folder / engine, f"simulation.rtl_engine={engine}")
        for engine in ("generated", "verilator")
    }
    first = runs["generated"]
    end = first.nodes[0]["ended_at_cycle"]
    rows = _rows(runs, end, printed)
    holds = len({run.end[0] for run in runs.values()}) == 1
    cost = f"{first.cpu_s:,.0f} s of processor time, {first.peak_bytes / 1e9:.2f} GB"
    experiment.say(f"ChipTop: from the text to the end on the generated engine {cost}")
    experiment.keep(chip_end_cycle=end, chip_cpu_s=first.cpu_s, chip_peak_bytes=first.peak_bytes)
    return _shown(experiment, "hello.c on ChipTop", rows) and holds


def _same_counts(experiment: Experiment, first: UserRun, second: UserRun) -> bool:
    """Say what was counted in two runs; return whether it is the same, and not nothing."""
    same = True
    for event in _events(experiment):
        counts = [traced_run.counted(run, event) for run in (first, second)]
        experiment.say(f"{event}: {counts[0]:,}")
        experiment.keep(**{f"event_{event}": counts[0]})
        same &= counts[0] == counts[1] > 0
    return same


def _work(experiment: Experiment) -> bool:
    """Run the other program on both engines, side by side, and from a snapshot."""
    folder = experiment.folder / "work"
    folder.mkdir()
    elf = tethered.built(folder, tethered.WORK)
    printed = tethered.expected(folder, tethered.WORK)
    recipe = _recipe(experiment, folder, {"soc": elf})
    first = run_as_user(recipe, folder / "generated", *_traced(experiment))
    end = first.nodes[0]["ended_at_cycle"]
    saved_at = end // 2
    runs = {"generated engine": first}
    setting = f"simulation.snapshots.at_cycles=[{saved_at}]"
    runs["saved"] = run_as_user(recipe, folder / "saved", setting)
    snapshot = folder / f"saved/snapshots/cycle-{saved_at}"
    runs["gone on from there"] = run_as_user(recipe, folder / "restored", start=snapshot)
    settings = ("simulation.rtl_engine=verilator", *_traced(experiment))
    verilator = run_as_user(recipe, folder / "verilator", *settings)
    runs["Verilator"] = verilator
    pair = both_engines(first.folder, verilator.folder, folder / "pair")
    runs["side by side"] = UserRun(pair.folder, pair.result, pair.process_wall_s, 0, 0)
    rows = _rows(runs, end, printed)
    holds = _shown(experiment, "work.c on the collateral", rows)
    holds &= len({row[3] for row in rows}) == 1
    experiment.keep(work_end_cycle=end, work_token_hash=rows[0][3], work_holds=holds)
    holds &= _same_counts(experiment, first, verilator)
    if experiment.arguments.core:
        holds &= traced_run.same_trace(first, verilator)
        holds &= {"body", "sum_rule"} <= traced_run.functions(first)
    return holds


def _tests(experiment: Experiment, letters: str) -> bool:
    """Run every test that the core has the extensions for; return whether all passed."""
    folder = experiment.folder / "riscv-tests"
    folder.mkdir()
    groups = [group for group, can in riscv_tests.runnable(letters).items() if can]
    tests = riscv_tests.tests(experiment.arguments.riscv_tests, groups, folder)
    nodes: dict[str, dict[str, object]] = {}
    for first in range(0, len(tests), experiment.arguments.nodes):
        some = tests[first : first + experiment.arguments.nodes]
        recipe = _recipe(experiment, folder, {test.node: test.elf for test in some})
        run = run_as_user(recipe, folder / f"from-{first}", may_fail=True)
        nodes |= {node["name"]: node for node in run.nodes}
    return _tests_shown(experiment, tests, nodes)


def _tests_shown(
    experiment: Experiment,
    tests: Sequence[riscv_tests.Test],
    nodes: dict[str, dict[str, object]],
) -> bool:
    """Print how many of each set passed, and each that did not, with why."""
    failed = [test for test in tests if nodes[test.node]["exit_code"] != 0]
    rows: list[list[object]] = []
    for group, letter in riscv_tests.SETS.items():
        mine = [test for test in tests if test.group == group]
        bad = sum(test.group == group for test in failed)
        left_out = "" if mine else f"no {letter} in misa"
        rows.append([f"{group}-p", len(mine) - bad, bad, left_out])
    experiment.table("riscv-tests", ["set", "passed", "did not pass", "not run"], rows)
    holds, whys = True, []
    for test in failed:
        node = nodes[test.node]
        lacks = riscv_tests.excuse(test, node)
        holds &= lacks is not None
        name = f"{test.group}-p-{test.name}"
        whys.append([name, riscv_tests.ending(node), f"the core lacks {lacks}" if lacks else "NO"])
    if whys:
        columns = ["test", "how it ended", "may a core do that"]
        experiment.table("riscv-tests that did not pass", columns, whys)
    experiment.keep(tests=len(tests), tests_failed=[why[0] for why in whys])
    return holds


@experiment_named("chipyard", _arguments)
def main(experiment: Experiment) -> Verdict:
    """Run the small SoC, and what is given."""
    holds = _small(experiment)
    figure = f"the small SoC ended at cycle {END_CYCLE:,}"
    if experiment.arguments.collateral is None:
        return Verdict(holds, f"{figure},", "one end")
    hello, letters = _hello(experiment)
    if experiment.arguments.riscv_tests is not None:
        holds &= _tests(experiment, letters)
        passed = experiment.figures["tests"] - len(experiment.figures["tests_failed"])
        figure += f", {passed} of {experiment.figures['tests']} riscv-tests passed"
    holds &= _work(experiment)
    holds &= _everywhere(experiment, hello)
    if experiment.arguments.chip_top:
        holds &= _chip(experiment, hello.console("soc"))
        figure += f", hello.c on ChipTop at {experiment.figures['chip_end_cycle']:,}"
    end = experiment.figures["work_end_cycle"]
    return Verdict(holds, f"{figure}, work.c ended at cycle {end:,},", "one end of each program")
