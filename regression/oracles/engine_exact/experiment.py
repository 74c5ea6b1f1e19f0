# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine against Verilator: every output of every cycle, on real programs.

Both models of a blade run in lockstep inside firesim-sim: one gets the inputs of the other, and the
first output that differs ends the run with its name and cycle. The programs reach the core, the
floating-point unit, traps, virtual memory, the network and the disk. Designs without a program, and
open cores on random instructions, are driven with random inputs, in every way in which the
generated engine evaluates a design, and in plain Verilator on the original text. Then the
quickstart's cluster hash must be the published one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firesim.build.model import blade_model
from firesim_common.paths import ROOT

from regression.oracles.engine_exact.designs import compare_designs
from regression.support.cluster import Cluster, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.lockstep import lockstep
from regression.support.one_blade import ENGINES, one_blade
from regression.support.random_programs.machines import build
from regression.support.simulate import Run, simulate

QUICKSTART_HASH = "dddd1ba6da304c7e"
PEER = "peer=00:12:6D:00:00:03"
LINUX: dict[str, Any] = {"node": {"linux": "linux-hello"}}
LINUX_CYCLES = 5_000_000


@dataclass(frozen=True)
class Case:
    """A program on a blade, for at most `max_cycles`."""

    name: str
    blade: str
    workload: dict[str, Any]
    max_cycles: int


def _oracle_program(experiment: Experiment, seed: int) -> dict[str, Any]:
    program = build(seed, experiment.folder / "oracle")
    return {"nodes": {"node0": {"elf": str(program.for_rocket)}}}


def cases(experiment: Experiment) -> list[Case]:
    """Return what is run; quick ones take a minute with the models built."""
    quick = experiment.quick
    end = 120_000 if quick else 900_000
    stream = ["role=sender", PEER, "start=20000", f"end={end}", "size=1504"]
    counters = {"program": "counters", "args": [f"rounds={500 if quick else 6000}"]}
    limit = 250_000 if quick else 3_000_000
    found = [
        Case("counters", "rocket-1", {"node": counters}, limit),
        Case("random", "rocket-1", _oracle_program(experiment, experiment.seed), limit),
        Case("stream", "rocket-1", {"node": {"program": "saturate", "args": stream}}, limit),
    ]
    if not quick:
        seed = experiment.seed
        more = range(seed + 1, seed + 4)
        found += [
            Case(f"random-{n}", "rocket-1", _oracle_program(experiment, n), limit) for n in more
        ]
        found += [
            Case("block", "rocket-1", {"node": {"program": "block"}}, limit),
            Case("four-cores", "rocket-4", {"node": {"program": "cores"}}, 500_000),
            Case("linux", "rocket-1", LINUX, LINUX_CYCLES),
            Case("linux-four-cores", "rocket-4", LINUX, LINUX_CYCLES),
        ]
    return found


def _run_case(experiment: Experiment, case: Case) -> Run:
    watched = {"max_cycles": case.max_cycles, "autocounter": {"enabled": True}}
    config = one_blade(case.blade, case.workload, watched)
    folder = experiment.folder / case.name
    description = Cluster(experiment, config).description(folder)
    models = [blade_model(case.blade, engine) for engine in ENGINES]
    library = lockstep(models[0], models[1], folder / "lockstep")
    for node in description["nodes"]:
        node["model"] = str(library)
    return simulate(description, folder, expect=(0, 1))


def _quickstart_hash(experiment: Experiment) -> str:
    import yaml

    config = yaml.safe_load((ROOT / "deploy/recipes/quickstart.yaml").read_text())
    config["simulation"]["rtl_engine"] = "generated"
    return run_cluster(experiment, "quickstart", config).token_hash


@experiment_named("engine-exact")
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing differs and the cluster hash is the known one."""
    rows, total = [], 0
    for case in cases(experiment):
        run = _run_case(experiment, case)
        rows.append([case.name, case.blade, f"{run.node_cycles:,}", run.result["reason"], ""])
        total += run.node_cycles
    for one in compare_designs(experiment):
        speeds = f"{one.generated_kcycles_per_s:,.0f} / {one.verilator_kcycles_per_s:,.0f}"
        rows.append([f"random inputs, {one.way}", one.design, f"{one.cycles:,}", "ended", speeds])
        total += one.cycles
    columns = ["what ran", "design", "cycles", "ending", "thousand cycles/CPU s, Verilator's"]
    experiment.table("Cycles in which all outputs were equal", columns, rows)
    found = _quickstart_hash(experiment)
    experiment.keep(cycles=total, quickstart_hash=found)
    figure = f"{total:,} cycles equal in every output, quickstart's hash {found},"
    return Verdict(found == QUICKSTART_HASH, figure, f"the hash {QUICKSTART_HASH}")
