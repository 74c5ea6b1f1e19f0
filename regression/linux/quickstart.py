# SPDX-License-Identifier: BSD-3-Clause
"""`firesim quickstart` as a user runs it: bare metal and Linux on two RTL blades in two minutes.

Everything it needs is built first, so what is timed is a second run. Checked are the exact hash of
the bare-metal part, both nodes' round trips, the TCP stream, and that Linux' flame graph holds what
it must: boot, system calls of programs, the network. --quick takes functional nodes, which are not
traced, and lets no time decide.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from firesim.engines import RtlEngine
from firesim.report.console import records, round_trips
from firesim_common.tools import python_command

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

GOAL_S = 120.0
HASHES = {"rtl": "dddd1ba6da304c7e", "functional": "b79643426619b78e"}
"""Of the bare-metal part, by engine."""
COMMAND = python_command("-m", "firesim.cli.main", "quickstart")
NODES = ("node0", "node1")
STACKS = {
    "boot": r"^hart0(;[^;]+)*;start_kernel;",
    "system calls of programs": r"^hart0;\[user\];\[exception 8\];",
    "tasks of the kernel": r"^hart0;kthread;",
    "TCP": r";tcp_sendmsg;",
}
"""What the folded stacks of the node that sends must hold."""


@dataclass(frozen=True)
class Part:
    """The results of one part."""

    folder: Path

    @property
    def result(self) -> dict[str, Any]:
        """result.json."""
        value: dict[str, Any] = json.loads((self.folder / "result.json").read_text())
        return value

    def console(self, node: str) -> str:
        """What a node printed."""
        return (self.folder / node / "uart.log").read_text(errors="replace").replace("\r", "")


def _quickstart(experiment: Experiment, results: Path) -> float:
    """Run it once; return its wall time in seconds.

    Raises:
        ExperimentError: it ended with another exit status than 0.
    """
    words = [*COMMAND, "--results", str(results), "-x", f"simulation.threads={experiment.threads}"]
    if experiment.quick:
        words += ["-x", "simulation.engine=functional"]
    words += ["-x", f"simulation.rtl_engine={experiment.arguments.rtl_engine}"]
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    wall_s = time.monotonic() - start
    (experiment.folder / "output.txt").write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-8:])
        raise ExperimentError(f"firesim quickstart: exit status {done.returncode}:\n{tail}")
    return wall_s


def _prepare(experiment: Experiment) -> None:
    from firesim.build.model import blade_model
    from firesim.build.simulator import simulator
    from firesim_software import linux, program

    simulator()
    program("quickstart")
    linux.workload("linux-quickstart")
    if not experiment.quick:
        blade_model("rocket-1", experiment.arguments.rtl_engine)


def _checks(experiment: Experiment, bare: Part, linux: Part) -> Iterator[tuple[str, bool]]:
    expected = HASHES["functional" if experiment.quick else "rtl"]
    found = bare.result["token_hash"]
    yield f"the bare-metal part's token hash is {found}", found == expected
    yield "it has 10 round trips", len(round_trips(bare.console("node0"))) == 10
    for node in NODES:
        text = linux.console(node)
        yield f"Linux of {node} has 5 round trips", len(round_trips(text)) == 5
        yield f"Linux of {node} powers off", "reboot: Power down" in text
    streams = [r for r in records(linux.console("node1")) if r.kind == "tcp"]
    good = len(streams) == 1 and streams[0].fields.get("errors") == "0"
    yield "every word of the TCP stream is right", good
    if experiment.quick:
        return
    folded = (linux.folder / "node0/trace/hart0.folded").read_text()
    for what, pattern in STACKS.items():
        yield f"the flame graph shows {what}", bool(re.search(pattern, folded, re.MULTILINE))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rtl-engine",
        choices=get_args(RtlEngine),
        default="auto",
        help="what compiles the RTL (default: auto)",
    )


@experiment_named("quickstart", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every check holds."""
    _prepare(experiment)
    results = experiment.folder / "run"
    wall_s = _quickstart(experiment, results)
    bare, linux = Part(results / "bare-metal"), Part(results / "linux")
    rows = []
    for name, part in (("bare metal", bare), ("Linux", linux)):
        cycles, spent_s = part.result["end_cycle"], part.result["wall_s"]
        cpu_s = [f"{node['cpu_s']:.1f}" for node in part.result["nodes"]]
        rows.append([name, f"{cycles:,}", f"{spent_s:.1f}", " and ".join(cpu_s)])
    columns = ["part", "cycles", "wall time (s)", "processor time of the nodes (s)"]
    experiment.table("parts (measured)", columns, rows)
    checks = dict(_checks(experiment, bare, linux))
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    experiment.keep(wall_s=wall_s, checks=checks, token_hash=linux.result["token_hash"])
    right = all(checks.values())
    in_time = experiment.quick or wall_s < GOAL_S
    figure = f"{sum(checks.values())} of {len(checks)} checks, {wall_s:.1f} s"
    goal = f"all of them, and {GOAL_S:g} s"
    return Verdict(right and in_time, figure, goal, timed_only=right)
