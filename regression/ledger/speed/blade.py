# SPDX-License-Identifier: BSD-3-Clause
"""The blade part of the speed ledger: one blade alone under plain Verilator, and in a cluster.

The cluster is two such blades on a switch, with memory timing and counters on and the trace armed
but off; then once more with the trace flowing and call stacks built. All of it is measured in CPU
time, alternately, so that the load of the host falls on every side alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import firesim_software
from firesim.build.rtl import blade_rtl

from regression.support.cluster import run_cluster
from regression.support.experiment import Experiment
from regression.support.plain_verilator import MEMORY_BYTES, memory_image, plain_blade, run_plain

BLADE = "rocket-1"
GOAL_RATIO = 0.9
GOAL_TRACE_SLOWDOWN = 1.5
ARMED: dict[str, Any] = {"kind": "cycle", "start": 2**62, "end": 2**62 + 1}
"""A trigger on a cycle no run reaches: armed, and off."""


@dataclass(frozen=True)
class Program:
    """A program that runs without a peer, its arguments, and what it stresses."""

    name: str
    args: tuple[str, ...]
    stresses: str


def programs(quick: bool) -> list[Program]:
    """Return the programs measured; quick ones run shorter."""
    end = 100_000 if quick else 600_000
    rounds = 500 if quick else 8_000
    peer = "peer=00:12:6D:00:00:03"
    stream = ("role=sender", peer, "start=60000", f"end={end}", "size=1504")
    return [
        Program("counters", (f"rounds={rounds}",), "core"),
        Program("saturate", stream, "core and network at full rate"),
    ]


def cluster_config(program: Program, trigger: dict[str, Any], engine: str) -> dict[str, Any]:
    """Return two blades that both run `program`, memory timing and counters on."""
    return {
        "system": {
            "topology": "two_nodes",
            "node": {"blade": BLADE, "memory": {"size_mib": MEMORY_BYTES >> 20}},
        },
        "workload": {"node": {"program": program.name, "args": list(program.args)}},
        "simulation": {
            "threads": 1,
            "rtl_engine": engine,
            "tracing": {"enabled": True, "trigger": trigger},
            "autocounter": {"enabled": True},
        },
    }


def _cluster_hz(experiment: Experiment, name: str, config: dict[str, Any]) -> float:
    """Return node-cycles per CPU second of one run; cycles after a node's end do not count."""
    run = run_cluster(experiment, name, config)
    return run.node_cycles / float(run.result["cpu_s"])


def _alone_hz(binary: Path, image: Path) -> float:
    cycles, cpu_s = run_plain(binary, image)
    return cycles / cpu_s


def measure_blade(experiment: Experiment) -> tuple[float, float]:
    """Measure every program; return (least ratio, largest slow-down by the trace)."""
    repeats: int = experiment.arguments.repeats or (1 if experiment.quick else 5)
    binary = plain_blade(BLADE)
    dts = blade_rtl(BLADE) / "blade.dts"
    rows, ratios, slowdowns = [], [], []
    for program in programs(experiment.quick):
        tree = firesim_software.device_tree(
            dts, memory_bytes=MEMORY_BYTES, bootargs=" ".join(program.args), mac="00:12:6D:00:00:02"
        )
        elf = firesim_software.program(program.name)
        image = memory_image(elf, tree, experiment.folder / f"{program.name}.hex")
        engine: str = experiment.arguments.engine
        config = cluster_config(program, ARMED, engine)
        traced = cluster_config(program, {"kind": "always"}, engine)
        alone, inside, tracing = [], [], []
        for index in range(repeats):
            alone.append(_alone_hz(binary, image))
            inside.append(_cluster_hz(experiment, f"{program.name}-{index}", config))
            tracing.append(_cluster_hz(experiment, f"{program.name}-trace-{index}", traced))
        ratios.append(median(inside) / median(alone))
        slowdowns.append(median(inside) / median(tracing))
        rows.append(
            [
                f"{program.name}: {program.stresses}",
                f"{median(alone) / 1e3:,.1f}",
                f"{median(inside) / 1e3:,.1f}",
                f"{ratios[-1]:.2f}",
                f"{median(tracing) / 1e3:,.1f}",
                f"{slowdowns[-1]:.2f}",
            ]
        )
        experiment.keep(**{program.name: {"alone": alone, "inside": inside, "tracing": tracing}})
    experiment.table(
        f"One {BLADE} blade, thousand node-cycles per CPU second, median of {repeats}",
        [
            "program",
            "alone, plain Verilator 5.48 -O3 (kHz)",
            "in a cluster, trace armed (kHz)",
            f"ratio (aim {GOAL_RATIO})",
            "trace flowing (kHz)",
            f"slow-down (aim {GOAL_TRACE_SLOWDOWN})",
        ],
        rows,
    )
    return min(ratios), max(slowdowns)
