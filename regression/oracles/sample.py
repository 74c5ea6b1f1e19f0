# SPDX-License-Identifier: BSD-3-Clause
"""Samples of programs whose true CPI is known, as they also run whole in RTL.

Ten loops (integer, floating point, pointer chase, sort, phases) run whole in RTL once, and are
sampled until the error is met. The true CPI must lie in the 95 % confidence interval: of ten
programs in nine at least. A program is sampled again with one thread: the same sample hash.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import yaml
from firesim.pipeline.load import load_text
from firesim.sampling.folder import make
from firesim.sampling.go import go
from firesim.sampling.result import Result
from firesim.sampling.settings import Settings
from rich.console import Console

from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named

RESET_CYCLES = 16
PROGRAMS = {
    "sort": (0, 5),
    "chase": (1, 40),
    "phases": (2, 2),
    "float": (3, 90),
    "matrix": (4, 4),
    "sieve": (5, 4),
    "crc": (6, 90),
    "table": (7, 150),
    "recursion": (8, 55),
    "copy": (9, 18),
}
"""Number of each loop, and its rounds in the quick form: some 100,000 to 700,000 instructions."""
QUICK = ("sort", "chase", "phases")
LONGER = 10
"""Times as many rounds in full."""
LEAST_INSIDE = 0.9
SETTINGS = Settings(interval_instructions=1000, warm_up_instructions=40_000, first=16, most=64)
QUICK_SETTINGS = Settings(interval_instructions=1000, warm_up_instructions=20_000, first=8, most=8)
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
        return abs(self.sample.cpi.mean - self.cpi) <= self.sample.cpi.half_width


def config_of(experiment: Experiment, name: str) -> Config:
    """Return the recipe of a program."""
    number, rounds = PROGRAMS[name]
    rounds *= 1 if experiment.quick else LONGER
    job = {"program": "kernels", "args": [f"kernel={number}", f"rounds={rounds}"]}
    return {
        "system": {"topology": "rack_1", "node": {"memory": {"size_mib": 16}}},
        "workload": {"node": job},
    }


def sampled(experiment: Experiment, name: str, config: Config, jobs: int) -> Result:
    """Take a sample of a program."""
    settings = QUICK_SETTINGS if experiment.quick else SETTINGS
    folder: Path = experiment.folder / f"{name}-sample-{jobs}"
    loaded = load_text(yaml.safe_dump(config), name=name)
    return go(make(loaded, settings, folder), jobs, Console(quiet=True))


def measured(experiment: Experiment, name: str) -> Row:
    """Run a program whole in RTL, and sample it."""
    config = config_of(experiment, name)
    run = run_cluster(experiment, name, merged(config, COUNTED))
    with (run.folder / "node0/counters.csv").open(newline="") as file:
        *_, last = csv.DictReader(file)
    instructions = int(last["hart0_instructions"])
    cycles = int(last["cycle"]) - RESET_CYCLES
    sample = sampled(experiment, name, config, experiment.threads)
    return Row(name, instructions, cycles / instructions, float(run.result["cpu_s"]), sample)


@experiment_named("sample")
def run(experiment: Experiment) -> Verdict:
    """Hold when the confidence intervals hold the true CPIs, and threads change nothing."""
    names = QUICK if experiment.quick else tuple(PROGRAMS)
    rows = [measured(experiment, name) for name in names]
    experiment.table(
        "CPI of samples",
        [
            "program",
            "instructions",
            "true CPI",
            "estimate",
            "half width",
            "intervals",
            "whole (CPU s)",
            "sample (CPU s)",
            "sample hash",
        ],
        [
            [
                row.name,
                row.instructions,
                f"{row.cpi:.4f}",
                f"{row.sample.cpi.mean:.4f}",
                f"{row.sample.cpi.half_width:.4f}{'' if row.is_inside else ' outside'}",
                len(row.sample.intervals),
                f"{row.cpu_s:.2f}",
                f"{row.sample.cpu_s:.2f}",
                row.sample.sample_hash,
            ]
            for row in rows
        ],
    )
    first = rows[0]
    other = 1 if experiment.threads > 1 else 2
    again = sampled(experiment, first.name, config_of(experiment, first.name), other)
    same = again.sample_hash == first.sample.sample_hash
    inside = sum(row.is_inside for row in rows)
    worst = max(abs(row.sample.cpi.mean / row.cpi - 1) for row in rows)
    experiment.keep(inside=inside, programs=len(rows), worst_error=worst, same_hash=same)
    return Verdict(
        same and inside >= LEAST_INSIDE * len(rows),
        f"{inside} of {len(rows)} true CPIs in the 95 % interval, worst true error {worst:.1%}, "
        f"{'one' if same else 'another'} hash with {other} threads;",
        f"{LEAST_INSIDE:.0%} of them, one hash",
    )
