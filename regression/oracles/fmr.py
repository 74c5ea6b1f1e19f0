# SPDX-License-Identifier: BSD-3-Clause
"""FMR, host cycles a target cycle of FAME-1 forms: alone, in metasimulations, and what takes them.

FMR is the ratio of host to target cycles (FPGA-cycle to Model-cycle Ratio: Biancolin and others,
FASED, FPGA 2019); the clock of an FPGA over it is the rate of a simulation there. First forms
alone, their channels always going: every token compared with the CPU model's. Then Rocket blades in
metasimulations, with their host's side, each beside the same cluster in RTL, whose token hash they
must have. Where host cycles go: one a step, two a stop, one a word for which the target stands;
what is left over is the memory's where its timing is in RTL, and waits for a DRAM. A trace whose
trigger waits must cost no word: a gate in RTL looks at the commits, and not the host's program.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.oracles.fame_proof.designs import Case, larger, simulate
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.simulate import Run

GOAL_ALONE = 1.05
"""Host cycles a target cycle of a form whose channels always go."""
STEP_HOST_CYCLES = 1
STOP_HOST_CYCLES = 2
"""Of a stop, beside its words: one until the row is there, one until the first token is in."""
ALONE_CYCLES, QUICK_ALONE_CYCLES = 4_000, 1_000
CYCLES, QUICK_CYCLES = 200_000, 30_000
PUBLISHED_KHZ = (2.4, 5.3)
"""The incumbent's metasimulation (../shared/facts/firesim-incumbent.md)."""
TRACED = {"tracing": {"enabled": True, "outputs": ["binary"]}}
WAITING = {"tracing": {**TRACED["tracing"], "trigger": {"kind": "instruction"}}}
"""A trace of what is between two words that this workload does not have."""
COUNTED = {"autocounter": {"enabled": True, "interval_cycles": 1_000}}


@dataclass(frozen=True)
class Blades:
    """Two Rocket nodes in a metasimulation: what they run and what is watched."""

    name: str
    workload: str
    memory: dict[str, Any]
    watched: dict[str, Any]
    as_told: str = ""
    """Blades that the host must hear as many words of."""

    def config(self, engine: str, cycles: int) -> Config:
        """Return the cluster on an engine."""
        base: Config = {
            "system": {
                "topology": "two_nodes",
                "node": {"memory": {"size_mib": 16, **self.memory}},
            },
            "workload": self.workload,
            "simulation": {"engine": engine, "max_cycles": cycles},
        }
        return merged(base, {"simulation": self.watched})


IN_RTL = {"metasim": {"memory": "rtl"}}
FIXED = {"timing": {"model": "fixed", "latency_cycles": 40}}
BLADES = (
    Blades("a memory of 40 cycles", "ping", FIXED, {}),
    Blades("the same in RTL", "ping", FIXED, IN_RTL),
    Blades("FR-FCFS DDR3", "ping", {"timing": {"model": "fr_fcfs"}}, {}),
    Blades("FR-FCFS DDR3 in RTL", "ping", {"timing": {"model": "fr_fcfs"}}, IN_RTL),
    Blades("network at full rate", "bandwidth", FIXED, {}),
    Blades("counters every 1,000 cycles", "ping", FIXED, COUNTED),
    Blades("every instruction traced", "ping", FIXED, TRACED),
    Blades("traced, its trigger waits", "ping", FIXED, WAITING, "a memory of 40 cycles"),
)
QUICK_BLADES = ("a memory of 40 cycles", "every instruction traced", "traced, its trigger waits")
"""All with one build of Rocket."""


def _alone(case: Case, folder: Path, cycles: int, seed: int) -> tuple[list[str], float]:
    """Measure a form whose channels never stall; return its row and FMR."""
    found = simulate(case, folder, cycles, range(seed, seed + 1), eagerness=(1.0,))
    fmr = found.host_cycles[0] / found.target_cycles
    return [case.name, str(found.channels), f"{found.target_cycles:,}", f"{fmr:.3f}"], fmr


def _per_cycle(run: Run) -> list[dict[str, float]]:
    """Return host cycles, rows and words a target cycle of each node."""
    found = []
    for node in run.result["nodes"]:
        facts, cycles = node["statistics"], int(node["cycles"])
        totals = {"host_cycles": facts["host_cycles"], **facts["host_traffic"]}
        found.append({key: value / cycles for key, value in totals.items()})
    return found


def _words(run: Run) -> list[int]:
    """Return the words up of each node."""
    return [node["statistics"]["host_traffic"]["words_up"] for node in run.result["nodes"]]


def _blades(
    experiment: Experiment, number: int, blades: Blades, told: dict[str, list[int]]
) -> tuple[list[list[str]], str]:
    """Measure two nodes; return their rows, and what is wrong, if anything.

    Their words up go into `told`, where those of blades before them are.
    """
    cycles = QUICK_CYCLES if experiment.quick else CYCLES
    rtl = run_cluster(experiment, f"rtl-{number}", blades.config("rtl", cycles))
    run = run_cluster(experiment, f"host-{number}", blades.config("metasim", cycles))
    rows = []
    for node, each in zip(run.result["nodes"], _per_cycle(run), strict=True):
        beyond = each["host_cycles"] - STEP_HOST_CYCLES
        known = each["words_up_at_stops"] + each["words_down"] + STOP_HOST_CYCLES * each["runs"]
        rows.append(
            [
                blades.name,
                node["name"],
                f"{each['host_cycles']:.2f}",
                f"{beyond:.2f}",
                f"{each['runs']:.3f}",
                f"{each['rows']:.3f}",
                f"{each['words_up']:.2f}",
                f"{each['words_up_at_stops']:.2f}",
                f"{each['words_down']:.2f}",
                f"{beyond - known:+.3f}",
                f"{int(node['cycles']) / float(node['cpu_s']) / 1e3:,.0f}",
            ]
        )
    told[blades.name] = _words(run)
    if run.token_hash != rtl.token_hash:
        return rows, f"{blades.name}: another token hash"
    if blades.as_told and told[blades.name] != told[blades.as_told]:
        return rows, f"{blades.name}: {told[blades.name]} words up, not {told[blades.as_told]}"
    return rows, ""


@experiment_named("fmr")
def run(experiment: Experiment) -> Verdict:
    """Hold when forms alone are near one and metasimulations have the hash of RTL."""
    cycles = QUICK_ALONE_CYCLES if experiment.quick else ALONE_CYCLES
    found = [
        _alone(case, experiment.folder / "forms" / case.name, cycles, experiment.seed)
        for case in larger(experiment.quick)
    ]
    columns = ["form alone", "channels", "target cycles", "host cycles a target cycle"]
    experiment.table("FAME-1 forms whose channels always go", columns, [row for row, _ in found])
    rows, wrong = [], []
    told: dict[str, list[int]] = {}
    for number, blades in enumerate(BLADES):
        if experiment.quick and blades.name not in QUICK_BLADES:
            continue
        more, problem = _blades(experiment, number, blades, told)
        rows += more
        wrong += [problem] if problem else []
    columns = ["two nodes, rocket-1", "node", "host cycles", "beyond one", "stops",
               "rows", "words up", "at stops", "words down", "left over",
               "kHz of a CPU second"]  # fmt: skip
    experiment.table("Metasimulated blades, each figure a target cycle", columns, rows)
    worst = max(fmr for _, fmr in found)
    experiment.keep(alone={row[0]: fmr for row, fmr in found}, blades=rows, wrong=wrong)
    published = " to ".join(str(value) for value in PUBLISHED_KHZ)
    return Verdict(
        worst <= GOAL_ALONE and not wrong,
        f"forms alone at most {worst:.3f}, metasimulations {len(rows) // 2} with RTL's hash but "
        f"{len(wrong)}, at {rows[0][-1]} kHz of a CPU second (published {published}),",
        f"{GOAL_ALONE} alone and no other hash",
    )
