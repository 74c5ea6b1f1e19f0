# SPDX-License-Identifier: BSD-3-Clause
"""Nodes whose parts have a state go on in RTL in the middle of what the parts do.

Two nodes run a program for the part on the functional blade and are saved at random cycles. Each
snapshot goes on in RTL to the end, and both nodes must say what the whole functional run said: the
estimate and a hash of all registers, or hashes of both memories.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from firesim.build.rtl_blade import load_blade

from regression.linux.warm_start.bare_metal import (
    LIMIT_CYCLES,
    gone_on,
    random_cycles,
    warm_facts,
)
from regression.linux.warm_start.linux import NODES
from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment
from regression.support.simulate import Run
from regression.support.warm import WarmStart


@dataclass(frozen=True)
class Program:
    """A program for a part, and the lines of it that no engine may change."""

    config: Config
    says: re.Pattern[str]
    span: tuple[float, float]
    """Between which parts of a functional run the part is at work."""


PROGRAMS = {
    "hll": Program(
        {
            "workload": {
                "node": {"program": "hll"},
                "nodes": {
                    "node0": {
                        "args": ["role=sender", "peer=${node1.mac}", "keys=random", "count=20000"]
                    },
                    "node1": {"args": ["role=counter", "peer=${node0.mac}"]},
                },
            }
        },
        re.compile(r"^hll (?:sent|estimate)=.*$|^hll .*packets=\d+ keys=\d+", re.MULTILINE),
        (0.1, 0.5),
    ),
    "rdma": Program(
        {
            "workload": {
                "node": {"program": "rdma"},
                "nodes": {
                    "node0": {"args": ["role=client", "peer=${node1.mac}", "sleep=1"]},
                    "node1": {"args": ["role=server", "peer=${node0.mac}"]},
                },
            }
        },
        re.compile(r"^rdma (?:memory|receives)=.*$|^rdma messages=\d+ bytes=\d+", re.MULTILINE),
        (0.1, 0.7),
    ),
}
"""By the kind of the part."""
POINTS = 3


def _said(run: Run, says: re.Pattern[str]) -> list[list[str]]:
    return [says.findall(run.console(name).replace("\r", "")) for name in NODES]


def _differs(whole: Run, run: Run, says: re.Pattern[str]) -> str:
    """Return what is wrong with what a run says that went on; the whole run says it at its end."""
    for name, was, found in zip(NODES, _said(whole, says), _said(run, says), strict=True):
        if not was:
            return f"the whole run of {name} says nothing"
        if found != was:
            return f"{name} says {'; '.join(found)!r}, and of the whole run {'; '.join(was)!r}"
    return ""


def parts_go_on(experiment: Experiment, blade: str) -> str:
    """Save nodes while their part has a state, and go on; return what is wrong, or nothing."""
    wrong: list[str] = []
    for part in load_blade(blade).parts:
        program = PROGRAMS.get(part.kind)
        if program is not None:
            wrong += _points(experiment, blade, program)
    return ", ".join(wrong)


def _points(experiment: Experiment, blade: str, program: Program) -> Sequence[str]:
    system: Config = {
        "system": {"topology": "two_nodes", "node": {"blade": blade, "memory": {"size_mib": 16}}}
    }
    warm = WarmStart(
        experiment, merged(system, program.config), experiment.folder / f"{blade}-part"
    )
    whole = warm.whole(LIMIT_CYCLES)
    rng = random.Random(f"{experiment.seed} {blade} part")
    cycles = random_cycles(rng, whole, POINTS, program.span)
    warm.save(cycles, LIMIT_CYCLES)
    wrong = []
    for cycle in cycles:
        run, what = gone_on(warm, cycle)
        what = what or _differs(whole, run, program.says)
        extra, restore = warm_facts(run)
        experiment.say(
            f"{blade}: its part saved at cycle {cycle:,}, goes on after {extra:,} cycles and "
            f"{restore:,} of the restore program: {what or 'as it should'}"
        )
        wrong += [f"cycle {cycle}: {what}"] if what else []
    return wrong
