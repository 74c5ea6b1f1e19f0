# SPDX-License-Identifier: BSD-3-Clause
"""Linux nodes of experiments: their configuration, and what their programs print on the console."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass

from firesim.report.console import NUMBER, WHOLE_NUMBER, records

from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulate import Run

ENGINE = "functional engine, 1 cycle per instruction"
"""What plots and tables call the machine that was measured."""
RTL_ENGINE = "RTL engine, warm start, Rocket, memory of 40 cycles"
LABELS = {"functional": ENGINE, "rtl": RTL_ENGINE}
CLOCK_HZ = 3.2e9
LIMIT_CYCLES = int(20 * CLOCK_HZ)
"""A cluster that does not end by itself is cut off here."""
BOOT_LIMIT_CYCLES = 400_000_000
"""One boot that does not end by itself, likewise."""
COMPLAINT = re.compile(
    r"BUG:|Oops|Call Trace|Kernel panic|Unable to handle|WARNING:|rcu.*stall|soft lockup"
    r"|nobody cared|transmit queue.*timed out|Hardware error|segfault|illegal instruction"
)
"""What a kernel says when something is wrong, or a program that it ended."""
LOAD_FIELDS = ("asked_per_s", "answered_per_s", "p50_us", "p95_us", "p99_us", "misses", "overflows")


@dataclass(frozen=True)
class Stream:
    """One TCP stream, as nuttcp reports it; `retransmissions` counts segments."""

    mbps: float
    megabytes: float
    retransmissions: int


@dataclass(frozen=True)
class Load:
    """One run of memload: requests a second and percentiles of latency in microseconds."""

    asked_per_s: float
    answered_per_s: float
    p50_us: float
    p95_us: float
    p99_us: float
    failures: int


def linux_config(topology: str, linux: str, over: Config | None = None) -> Config:
    """Return functional Linux nodes behind 2 us links, with `over` laid over the configuration."""
    base: Config = {
        "system": {"topology": topology, "link": {"latency": "2us"}},
        "workload": {"node": {"linux": linux}},
        "simulation": {
            "engine": "functional",
            "throughput_interval_cycles": 0,
            "max_cycles": LIMIT_CYCLES,
        },
    }
    return merged(base, over or {})


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the option that says which engine the measured part runs on."""
    parser.add_argument(
        "--engine", choices=tuple(LABELS), default="functional", help="of what is measured"
    )


def check_one_thread(experiment: Experiment, name: str, config: Config, run: Run) -> None:
    """Run a configuration again with one worker thread; its token hash must be that of `run`.

    Raises:
        ExperimentError: it is another.
    """
    single = merged(config, {"simulation": {"threads": 1}})
    one = run_cluster(experiment, f"{name}-1-thread", single)
    if one.token_hash != run.token_hash:
        raise ExperimentError(
            f"{one.folder}: token hash {one.token_hash} with 1 thread, expected {run.token_hash}."
        )
    experiment.say(
        f"{name}: token hash {run.token_hash} with {experiment.threads} threads and with 1"
    )


def ping_times_us(console: str) -> list[float]:
    """Return the round trips that busybox' ping printed, in microseconds."""
    return [float(found) * 1e3 for found in re.findall(rf"\btime=({NUMBER}) ms", console)]


def streams(console: str, node: str, expected: int) -> list[Stream]:
    """Return the streams that nuttcp sent from a node.

    Raises:
        ExperimentError: there are more or fewer than `expected`.
    """
    line = rf"megabytes=({NUMBER}) .*\brate_Mbps=({NUMBER}) .*\bretrans=({WHOLE_NUMBER})\b"
    found = [Stream(float(x[1]), float(x[0]), int(x[2])) for x in re.findall(line, console)]
    if len(found) != expected:
        raise ExperimentError(f"{node}: found {len(found)} results of nuttcp, expected {expected}.")
    return found


def loads(console: str, node: str, expected: int) -> list[Load]:
    """Return what memload measured on a node, in order.

    Raises:
        ExperimentError: there are more or fewer than `expected`, or a line lacks a value.
    """
    found = []
    for record in records(console):
        if record.kind != "memload":
            continue
        values = [record.number(name) for name in LOAD_FIELDS]
        asked, answered, p50, p95, p99, misses, overflows = [value or 0.0 for value in values]
        if None in values:
            raise ExperimentError(f"{node}: memload's line lacks one of {', '.join(LOAD_FIELDS)}.")
        found.append(Load(asked, answered, p50, p95, p99, int(misses + overflows)))
    if len(found) != expected:
        raise ExperimentError(f"{node}: found {len(found)} lines of memload, expected {expected}.")
    return found


def one_boot(engine: str, blade: str, memory_mib: int, over: Config | None = None) -> Config:
    """Return one Linux node behind a switch, with `over` laid over the configuration."""
    node = {"blade": blade, "memory": {"size_mib": memory_mib}}
    base: Config = {
        "system": {"topology": "rack_1", "link": {"latency": "2us"}, "node": node},
        "workload": {"node": {"linux": "linux-hello", "args": ["firesim.instructions=1"]}},
        "simulation": {
            "engine": engine,
            "throughput_interval_cycles": 0,
            "max_cycles": BOOT_LIMIT_CYCLES,
        },
    }
    return merged(base, over or {})
