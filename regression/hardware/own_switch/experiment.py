# SPDX-License-Identifier: BSD-3-Clause
"""A user's own switch, given as C++ in a folder outside the checkout, among Rocket nodes.

The recipe and the switch are those of docs/how-to/write-a-switch.md: four nodes in two racks, whose
switches spread flows over two roots. Every frame in every switch is compared byte by byte with what
the node sent, and its way and cycle with the rule worked out again here. One token hash for 1 and 2
threads, any batches, and both RTL engines. Runs that go on from snapshots at random cycles end
alike; a switch that forgets its flows when it is restored does not, which shows that they count.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any

from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_config
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from rich.console import Console

from regression.hardware.own_switch.rule import Checked, check_traffic, forgetful_cycle
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.pages import HOW_TO, page_file

PAGE = HOW_TO / "write-a-switch.md"
SOURCE, RECIPE = "spreading.cc", "spreading.yaml"
TORS = ("tor_a", "tor_b")
"""The switches of its kind."""
CLIENTS = (("a0", "b0", 3), ("a1", "b1", 5))
"""Each with its server and its pings: chosen so that the two do not send in the same cycles."""
REMEMBERS = "if (port_of_.emplace(std::pair(destination, source), port).second) ++flows_on_[port];"
"""The line of `load` that a forgetful switch does not have."""
COMPARED = ("reason", "end_cycle", "token_hash", "links")


class User:
    """A user's folder outside the checkout, and the runs started there."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        """Write the page's files."""
        self.experiment = experiment
        self.folder = folder
        size = experiment.arguments.bytes or (8_192 if experiment.quick else 65_536)
        self.clients = [
            f"workload.nodes.{client}.args="
            f'[role=client, "peer=${{{server}.mac}}", count={count}, bytes={size}]'
            for client, server, count in CLIENTS
        ]
        for name in (SOURCE, RECIPE):
            (folder / name).write_text(page_file(PAGE, name))
        forgetful = page_file(PAGE, SOURCE).replace(REMEMBERS, "")
        if forgetful == page_file(PAGE, SOURCE):
            raise ExperimentError(f"{PAGE}: found no line {REMEMBERS!r}.")
        (folder / "forgetful.cc").write_text(forgetful)

    def run(self, name: str, *overrides: str, saved: Path | None = None) -> Outcome:
        """Run the recipe to its end, from a snapshot if one is given.

        Raises:
            InputError: it is refused.
            ExperimentError: a node failed.
        """
        common = ["simulation.engine=rtl", "simulation.throughput_interval_cycles=0"]
        common.append(f"simulation.threads={self.experiment.threads}")
        loaded = load_file(self.folder / RECIPE, [*common, *self.clients, *overrides])
        outcome = run_config(
            loaded,
            results=self.experiment.folder / name,
            console=Console(quiet=True),
            restart=lambda plan: restart_from(str(saved), plan, None) if saved else None,
        )
        if outcome.exit_status != 0:
            text = f"{outcome.folder}: the run ended with {outcome.reason}: {outcome.message}"
            raise ExperimentError(text)
        return outcome


def _statistics(outcome: Outcome) -> list[dict[str, Any]]:
    """Return what each node and switch counted, without the name of its engine."""
    models = [*outcome.result["nodes"], *outcome.result["switches"]]
    return [
        {key: value for key, value in model["statistics"].items() if key != "engine"}
        for model in models
    ]


def _same(outcome: Outcome, other: Outcome) -> bool:
    """Whether two runs gave the same tokens and the same statistics of nodes and switches."""
    same_tokens = all(outcome.result[key] == other.result[key] for key in COMPARED)
    return same_tokens and _statistics(outcome) == _statistics(other)


def _row(name: str, outcome: Outcome, same: bool) -> list[object]:
    result = outcome.result
    cycle = f"{result['end_cycle']:,}"
    return [name, result["token_hash"], cycle, f"{result['wall_s']:.1f}", "yes" if same else "NO"]


def _ways(experiment: Experiment) -> list[tuple[str, list[str]]]:
    """Return the ways to run the recipe, each with its overrides."""
    ways = [
        (f"{engine}, {threads} threads", [engine, f"simulation.threads={threads}"])
        for engine in ("generated", "verilator")
        for threads in (1, 2)
        if (engine, threads) != ("generated", 1)  # The first run, with captures.
    ]
    seed = random.Random(experiment.seed).getrandbits(62) | 1
    ways.append((f"random batches, seed {seed}", ["auto", f"simulation.random_batch_seed={seed}"]))
    if experiment.quick:
        ways = [way for way in ways if way[0] != "verilator, 1 threads"]
    return [(name, [f"simulation.rtl_engine={engine}", more]) for name, (engine, more) in ways]


def _alike(experiment: Experiment, user: User, whole: Outcome) -> tuple[int, int]:
    """Run it in every way; return how many ways there are and how many runs were alike."""
    rows, equal = [_row("generated, 1 thread, captures", whole, True)], 1
    for index, (name, overrides) in enumerate(_ways(experiment)):
        outcome = user.run(f"way-{index}", *overrides)
        same = _same(outcome, whole)
        equal += same
        rows.append(_row(name, outcome, same))
    columns = ["run", "token hash (measured)", "end cycle (measured)", "wall (s)", "equal"]
    experiment.table("One cluster, many ways", columns, rows)
    return len(rows), equal


def _restored(
    experiment: Experiment, user: User, whole: Outcome, forgotten: int
) -> tuple[int, int, bool]:
    """Return how many runs went on from a snapshot, how many alike, and if a planted fault showed.

    `forgotten` is a cycle at which the switch must remember its flows.
    """
    rng = random.Random(f"{experiment.seed} snapshots")
    rows, runs, equal = [], 0, 0
    engines = ("generated",) if experiment.quick else ("generated", "verilator")
    count = experiment.arguments.snapshots or (2 if experiment.quick else 8)
    for engine in engines:
        cycles = sorted({*rng.sample(range(1, whole.result["end_cycle"]), count), forgotten})
        by_engine = f"simulation.rtl_engine={engine}"
        saved = user.run(f"saved-{engine}", by_engine, f"simulation.snapshots.at_cycles={cycles}")
        for index, cycle in enumerate(cycles):
            folder = saved.folder / f"snapshots/cycle-{cycle}"
            threads = f"simulation.threads={1 + index % 2}"
            again = user.run(f"from-{engine}-{cycle}", by_engine, threads, saved=folder)
            same = _same(again, whole)
            runs, equal = runs + 1, equal + same
            rows.append(_row(f"{engine}, from cycle {cycle:,}", again, same))
    folder = experiment.folder / f"saved-generated/snapshots/cycle-{forgotten}"
    libraries = [f"system.switches.{tor}.library={user.folder}/forgetful.cc" for tor in TORS]
    planted = user.run("planted", "simulation.rtl_engine=generated", *libraries, saved=folder)
    is_found = not _same(planted, whole)
    rows.append(_row(f"planted: flows forgotten at cycle {forgotten:,}", planted, not is_found))
    columns = ["run", "token hash (measured)", "end cycle (measured)", "wall (s)", "equal"]
    experiment.table("Going on from snapshots", columns, rows)
    return runs, equal, is_found


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bytes", type=int, default=0, help="bytes each client streams")
    parser.add_argument("--snapshots", type=int, default=0, help="random cycles for each engine")


@experiment_named("own-switch", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the switch is as exact as one of ours."""
    with tempfile.TemporaryDirectory(prefix="firesim-own-switch-") as folder:
        user = User(experiment, Path(folder))
        whole = user.run(
            "whole",
            "simulation.rtl_engine=generated",
            "simulation.threads=1",
            "simulation.captures=true",
        )
        checked: Checked = check_traffic(whole)
        for problem in checked.problems:
            experiment.say(problem)
        ways, alike = _alike(experiment, user, whole)
        cycle = forgetful_cycle(whole, TORS[0])
        restored, same, is_found = _restored(experiment, user, whole, cycle)
    experiment.keep(
        frames=checked.frames,
        bytes=checked.bytes,
        problems=len(checked.problems),
        ways=ways,
        alike=alike,
        restored=restored,
        restored_alike=same,
        planted_found=is_found,
        token_hash=whole.result["token_hash"],
    )
    figure = (
        f"{checked.frames:,} frames of {checked.bytes:,} bytes compared in 4 switches, "
        f"{len(checked.problems)} wrong, {alike} of {ways} runs alike, "
        f"{same} of {restored} restored ones, planted fault {'found' if is_found else 'MISSED'},"
    )
    holds = not checked.problems and checked.frames > 0 and alike == ways and same == restored
    return Verdict(holds and is_found, figure, "none wrong, all alike, the fault found")
