# SPDX-License-Identifier: BSD-3-Clause
"""Samples of programs whose true figures are known, as they also run whole in RTL.

25 loops (integer, floating point, pointers, sorting, compression, text, an interpreter, requests)
run whole in RTL once, and are sampled until the error is met, with functional warming and a
warm-up that is doubled until that changes nothing. The true CPI must lie in the 95 % confidence
interval: of 20 programs in 19 at least. A client and a server, in full three clients, are sampled
at the same cycles: so must the mean, the median and the 95th percentile of what requests take. Both
are sampled again with other threads: the same sample hashes. The quick samples are taken over two
hosts, too, and say the same (in the quick form one loop and the requests). `--part long`, which
only runs if it is asked for, has a program of 140 million instructions, a quicksort, and compares
processor times; with `--times 547` it has 10⁹.
"""

from __future__ import annotations

import argparse
import csv
import os
from dataclasses import dataclass
from pathlib import Path

import yaml
from firesim.pipeline.load import load_text
from firesim.sampling.folder import make
from firesim.sampling.go import go
from firesim.sampling.result import Result
from firesim.sampling.settings import Settings
from rich.console import Console

from regression.oracles.sample import cluster, hosts
from regression.oracles.sample.programs import LOOPS, QUICK_ROUNDS, recipe
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named

RESET_CYCLES = 16
LEAST_INSIDE = 0.95
WHOLE_LIMIT_S = 4 * 3600
"""Of a whole run in RTL: 10⁹ instructions take 20 minutes on a processor of their own."""
PROGRAMS, REQUESTS, HOSTS, LONG = PARTS = ("programs", "requests", "hosts", "long")
LONG_LOOP, LONG_TIMES = "quicksort", 80
"""A program of 140 million instructions: as often a loop of the full form, if nothing is said."""
CHECKED = ("mean", "p50", "p95")
SETTINGS = Settings(interval=5000, chooses_warm_up=True, first=30, most=60)
QUICK_SETTINGS = Settings(interval=1000, chooses_warm_up=True, first=8, most=8)
COUNTED: Config = {"simulation": {"autocounter": {"enabled": True, "interval_cycles": 10**9}}}


@dataclass(frozen=True)
class Row:
    """A program that ran both ways."""

    name: str
    instructions: int
    cpi: float
    cpu_s: float
    """Of the whole run in RTL."""
    sample: Result

    @property
    def is_inside(self) -> bool:
        """Whether the true CPI lies in the confidence interval."""
        return abs(self.sample.wanted.mean - self.cpi) <= self.sample.wanted.half_width


def sampled(
    experiment: Experiment, name: str, config: Config, settings: Settings, jobs: int
) -> Result:
    """Take a sample of a recipe."""
    folder: Path = experiment.folder / f"{name}-sample-{jobs}"
    loaded = load_text(yaml.safe_dump(config), name=name)
    return go(make(loaded, settings, folder), jobs, Console(quiet=True))


def measured(experiment: Experiment, name: str, rounds: int) -> Row:
    """Run a program whole in RTL, and sample it."""
    settings = QUICK_SETTINGS if experiment.quick else SETTINGS
    return true_and_sampled(experiment, name, rounds, settings)


def true_and_sampled(experiment: Experiment, name: str, rounds: int, settings: Settings) -> Row:
    """Run a program whole in RTL, and sample it with these settings."""
    config = recipe(name, rounds)
    run = run_cluster(experiment, name, merged(config, COUNTED), timeout_s=WHOLE_LIMIT_S)
    with (run.folder / "node0/counters.csv").open(newline="") as file:
        *_, last = csv.DictReader(file)
    instructions = int(last["hart0_instructions"])
    cycles = int(last["cycle"]) - RESET_CYCLES
    sample = sampled(experiment, name, config, settings, experiment.threads)
    row = Row(name, instructions, cycles / instructions, float(run.result["cpu_s"]), sample)
    verdict = "inside" if row.is_inside else "outside"
    experiment.say(f"{name}: CPI {row.cpi:.4f}, {sample.wanted.mean:.4f} sampled, {verdict}")
    return row


def show(experiment: Experiment, rows: list[Row]) -> None:
    """Print what came of each program."""
    experiment.table(
        "CPI of samples",
        [
            "program",
            "instructions",
            "true CPI",
            "estimate",
            "half width",
            "intervals",
            "warm-up",
            "bias",
            "whole (CPU s)",
            "sample (CPU s)",
            "sample hash",
        ],
        [
            [
                row.name,
                row.instructions,
                f"{row.cpi:.4f}",
                f"{row.sample.wanted.mean:.4f}",
                f"{row.sample.wanted.half_width:.4f}{'' if row.is_inside else ' outside'}",
                len(row.sample.intervals),
                row.sample.warm_up,
                f"{row.sample.bias.change.mean:+.4f}" if row.sample.bias else "-",
                f"{row.cpu_s:.2f}",
                f"{row.sample.cpu_s:.2f}",
                row.sample.sample_hash,
            ]
            for row in rows
        ],
    )


def programs(experiment: Experiment, names: list[str], rounds: dict[str, int]) -> tuple[bool, str]:
    """Run and sample programs; return whether all is as it should be, and the figure."""
    rows = [measured(experiment, name, rounds[name]) for name in names]
    show(experiment, rows)
    first = rows[0]
    other = 1 if experiment.threads > 1 else 2
    config = recipe(first.name, rounds[first.name])
    again = sampled(experiment, first.name, config, first.sample.settings, other)
    same = again.sample_hash == first.sample.sample_hash
    inside = sum(row.is_inside for row in rows)
    worst = max(abs(row.sample.wanted.mean / row.cpi - 1) for row in rows)
    whole_s, sample_s = sum(row.cpu_s for row in rows), sum(row.sample.cpu_s for row in rows)
    experiment.keep(
        inside=inside,
        programs=len(rows),
        worst_error=worst,
        same_hash=same,
        whole_cpu_s=whole_s,
        sample_cpu_s=sample_s,
    )
    return same and inside >= LEAST_INSIDE * len(rows), (
        f"{inside} of {len(rows)} true CPIs in the 95 % interval, worst true error {worst:.1%}, "
        f"{'one' if same else 'another'} hash with {other} threads, {sample_s:.0f} s of processor "
        f"time for samples and {whole_s:.0f} s for whole runs"
    )


def requests(experiment: Experiment) -> tuple[bool, str]:
    """Run and sample a server with clients; return whether its figures hold, and the figure."""
    quick = experiment.quick
    clients = cluster.QUICK_CLIENTS if quick else cluster.CLIENTS
    config = cluster.recipe(clients, cluster.QUICK_REQUESTS if quick else cluster.REQUESTS)
    settings = cluster.QUICK_SETTINGS if quick else cluster.SETTINGS
    values, cpu_s = cluster.whole(experiment, config)
    sample = sampled(experiment, "service", config, settings, experiment.threads)
    found = cluster.Requests(cluster.truth(values), len(values), cpu_s, sample)
    cluster.show(experiment, found)
    other = 1 if experiment.threads > 1 else 2
    again = sampled(experiment, "service", config, settings, other)
    same = again.sample_hash == sample.sample_hash
    inside = [name for name in CHECKED if found.is_inside(name)]
    experiment.keep(requests=found.true, sampled=found.sampled, requests_same_hash=same)
    return same and len(inside) == len(CHECKED), (
        f"{len(inside)} of {len(CHECKED)} of mean, p50 and p95 of requests to a server of "
        f"{clients} in it"
    )


def _processor_s() -> float:
    """Return the processor time of this process and of those it waited for, in seconds."""
    return sum(os.times()[:4])


def long(experiment: Experiment) -> tuple[bool, str]:
    """Run and sample a long program; return whether its CPI holds, and what both took."""
    rounds = LOOPS[LONG_LOOP].rounds * experiment.arguments.times
    began = _processor_s()
    row = true_and_sampled(experiment, LONG_LOOP, rounds, SETTINGS)
    every_s = _processor_s() - began
    show(experiment, [row])
    ratio = row.cpu_s / row.sample.cpu_s
    rtl_share = row.sample.rtl_cycles / (row.cpi * row.instructions)
    experiment.keep(
        long_instructions=row.instructions,
        long_whole_cpu_s=row.cpu_s,
        long_sample_cpu_s=row.sample.cpu_s,
        long_every_cpu_s=every_s,
    )
    return row.is_inside, (
        f"{row.instructions:,} instructions of {LONG_LOOP}: {row.cpu_s:.1f} s of processor time "
        f"whole, {row.sample.cpu_s:.2f} s sampled ({ratio:.0f} times less), {rtl_share:.1%} of the "
        f"cycles in RTL, {every_s:.0f} s with building and the manager"
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--programs", default="", help="names of loops, with commas between (default: all)"
    )
    parser.add_argument("--part", choices=PARTS, help="only this part (default: all but long)")
    parser.add_argument(
        "--times",
        type=int,
        default=LONG_TIMES,
        help="of the long part: its rounds, by those of the full form",
    )


@experiment_named("sample", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when the confidence intervals hold the true figures, and threads change nothing."""
    rounds = QUICK_ROUNDS if experiment.quick else {k: one.rounds for k, one in LOOPS.items()}
    names = [name for name in experiment.arguments.programs.split(",") if name]
    part = experiment.arguments.part
    found = [long(experiment)] if part == LONG else []
    if part in (None, PROGRAMS):
        found.append(programs(experiment, names or list(rounds), rounds))
    if part in (None, REQUESTS):
        found.append(requests(experiment))
    if part in (None, HOSTS):
        quick = dict.fromkeys(QUICK_ROUNDS, QUICK_SETTINGS) | {"service": cluster.QUICK_SETTINGS}
        found.append(hosts.compared(experiment, sampled, quick))
    return Verdict(
        all(holds for holds, _ in found),
        f"{'; '.join(figure for _, figure in found)};",
        f"{LEAST_INSIDE:.0%} of the CPIs, all of the others, one hash each",
    )
