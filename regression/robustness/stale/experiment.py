# SPDX-License-Identifier: BSD-3-Clause
"""No old hardware: every input of every cached step is changed alone, and its result must, too.

A copy of the source tree and a user's design, switch, program and Linux workload are built by their
cached steps. Then one input after another is changed: a header beside a source, one that hides
another, a linked folder, a data file, a mode. Key and result must be others; with the input as it
was, the old result is there, and nothing is built. At last the packet reflector runs with the depth
of its queue in a header: with four flits the queue overflows, with 2,048 the token hash is back.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from firesim_common.paths import ROOT, cache_root
from firesim_common.tools import python_command

from regression.robustness.stale.changes import changed
from regression.robustness.stale.mine import write_mine
from regression.robustness.stale.steps import STEPS, Step
from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

BROUGHT = ("maven", "firtool", "linux-source", "linux-ccache", "watch")
"""Kinds of the user's cache that the experiment's has, too: fetched, or slow and never changed."""
NOT_COPIED = (".git", ".venv", "results", "target", "__pycache__", "*.egg-info", ".mypy_cache")
PACKAGES = ("common", "deploy", "sim", "sw/firesim-software", "")
CLUSTER = "cluster"
OVERFLOWED = "the packet queue overflowed"
REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"


@dataclass(frozen=True)
class Answer:
    """What a step gave: its result, what that is, and how much was built for it."""

    result: Path
    content: str
    built: int


class Asked:
    """The process that does the steps, in the copy of the tree."""

    def __init__(self, root: Path) -> None:
        paths = [str(root / "tree" / part) for part in PACKAGES]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "FIRESIM_CACHE": str(root / "cache"),
        }
        words = python_command("-m", "regression.robustness.stale.ask", root / "mine")
        self.process = subprocess.Popen(
            words, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, step: Step) -> Answer:
        """Return what a step gives now.

        Raises:
            ExperimentError: it fails.
        """
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{step.name}\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline() or '{"error": "ended"}')
        if "error" in found:
            raise ExperimentError(f"{step.name}: {found['error']}")
        result = Path(found["result"])
        return Answer(result, content_of(result, step.told_by), sum(found["built"].values()))


def content_of(result: Path, told_by: str) -> str:
    """Hash what tells results apart; of a program what is loaded, as it names its sources."""
    digest = hashlib.sha256()
    files = [result] if result.is_file() else sorted(result.glob(told_by))
    if not files:
        raise ExperimentError(f"{result}: found no {told_by}, expected some.")
    for path in files:
        digest.update(path.name.encode())
        with path.open("rb") as stream:
            if stream.read(4) != b"\x7fELF":
                digest.update(path.read_bytes())
                continue
            for segment in ELFFile(stream).iter_segments("PT_LOAD"):
                digest.update(segment.data())
    return digest.hexdigest()


@contextmanager
def asked(root: Path) -> Iterator[Asked]:
    """Copy the tree, write a user's files, and start what does the steps."""
    shutil.copytree(ROOT, root / "tree", symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
    write_mine(root)
    (root / "cache").mkdir()
    for kind in BROUGHT:
        if (theirs := cache_root() / kind).is_dir():
            (root / "cache" / kind).symlink_to(theirs)
    steps = Asked(root)
    try:
        yield steps
    finally:
        assert steps.process.stdin is not None
        steps.process.stdin.close()
        steps.process.wait()


def try_step(step: Step, steps: Asked, root: Path) -> list[tuple[str, str, str]]:
    """Change each input of a step; return a row for each: step, input, what went wrong."""
    first, again = steps.ask(step), steps.ask(step)
    rows = [(step.name, "nothing", _faults(first, again, is_changed=False))]
    for each in step.inputs:
        with changed(root / each.place, each.change):
            other = steps.ask(step)
        faults = [_faults(first, other, is_changed=True)]
        faults.append(_faults(first, steps.ask(step), is_changed=False))
        rows.append((step.name, each.what, "; ".join(fault for fault in faults if fault)))
    return rows


def _faults(first: Answer, then: Answer, *, is_changed: bool) -> str:
    if not is_changed:
        return "" if then.result == first.result and not then.built else "built without a change"
    if then.result == first.result or not then.built:
        return "the old result"
    return "" if then.content != first.content else "built the same"


def try_reflector(experiment: Experiment) -> list[tuple[str, str, str]]:
    """Run the packet reflector with its depth in a header, deep and shallow; return a row."""
    folder = experiment.folder / "reflector"
    folder.mkdir()
    text = REFLECTOR.read_text().replace("DEPTH = 2048", "DEPTH = `REFLECTED")
    (folder / "reflector.sv").write_text(f'`include "defs.vh"\n{text}')
    blade = {"sources": [str(folder / "reflector.sv")], "top": "PacketReflector"}
    config = {
        "system": {
            "topology": {"tree": {"tor0": ["node0", "echo"]}},
            "node": {"memory": {"size_mib": 16}},
            "blades": {"reflector": blade},
            "nodes": {"echo": {"blade": "reflector"}},
        },
        "workload": {
            "nodes": {"node0": {"program": "ping", "args": ["peer=${echo.mac}", "count=2"]}}
        },
        "simulation": {"engines": {"node0": "functional"}, "max_cycles": 300_000},
    }
    ends: list[str] = []
    for number, depth in enumerate((2048, 4, 2048)):
        (folder / "defs.vh").write_text(f"`define REFLECTED {depth}\n")
        try:
            ends.append(run_cluster(experiment, f"depth-{number}", config).token_hash)
        except ExperimentError as error:  # Four flits are too few for a ping.
            ends.append(OVERFLOWED if OVERFLOWED in str(error) else str(error))
    experiment.keep(ends=ends)
    fault = "" if ends == [ends[0], OVERFLOWED, ends[0]] else f"found {', '.join(ends)}"
    return [(CLUSTER, "depth of the reflector in a header", fault)]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", default=[], help="steps, by name")


@experiment_named("stale", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when no result is an old one, and nothing is built without a change."""
    only: list[str] = experiment.arguments.only
    steps = [
        step
        for step in STEPS
        if (step.name in only if only else step.is_quick or not experiment.quick)
    ]
    rows: list[tuple[str, str, str]] = []
    root = experiment.folder.absolute()
    with asked(root) as process:
        for step in steps:
            rows += try_step(step, process, root)
    if not only or CLUSTER in only:
        rows += try_reflector(experiment)
    for name in ("tree", "cache"):
        shutil.rmtree(root / name)
    columns = ["step", "input that changes", "fault"]
    experiment.table("Inputs of cached steps", columns, rows)
    faults = [row for row in rows if row[2]]
    experiment.keep(steps=len(steps), inputs=len(rows) - len(steps), faults=len(faults))
    figure = (
        f"{len(rows) - len(steps)} inputs of {len(steps)} cached steps changed alone, "
        f"{len(faults)} gave an old result or were built in vain,"
    )
    return Verdict(not faults, figure, "none")
