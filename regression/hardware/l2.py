# SPDX-License-Identifier: BSD-3-Clause
"""A blade with an L2 in RTL: load latencies, both engines, snapshots, and its own token hash.

Latencies: a program chases pointers through growing amounts of memory, with and without the L2.
What fits the L1 must cost the same; what fits the L2 must be faster by what memory takes and a hit
does not; what fits neither must be slower by the look-up. Engines: programs run in lockstep on the
generated engine and Verilator, every output compared in every cycle. Snapshots: runs that go on
from random cycles must equal one that never stopped. Hash: quickstart's cluster with an L2 on each
blade must give the pinned one, which is not that without. --quick leaves out the lockstep, which
needs a model by Verilator.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from firesim.build.model import blade_model
from firesim_common.paths import ROOT

from regression.support.cluster import Cluster, merged, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.lockstep import lockstep
from regression.support.one_blade import ENGINES, one_blade
from regression.support.random_programs.machines import build
from regression.support.simulate import simulate
from regression.support.snapshots import equal_from_snapshots, pair_config

BLADE, PLAIN = "rocket-1-l2", "rocket-1"
QUICKSTART_HASH = "23e67e56f7f19e88"
MEMORY_CYCLES = 160
"""50 ns at 3.2 GHz."""
L1_KIB, L2_KIB = 16, 256
HIT_CYCLES, MISS_CYCLES = 4, 15
"""What a hit takes; what a miss of a clean victim adds to memory (peripherals' README)."""
TOLERANCE_CYCLES = 3.0
"""What is left of the L1's hits, and loads that are not of the chase."""
_LINE = re.compile(r"^latency kib=(\d+) loads=\d+ cycles=\d+ cycles_per_load_x100=(\d+)", re.M)


def _load_cycles(experiment: Experiment, blade: str) -> dict[int, float]:
    """Return the cycles of a load by the KiB it is chased through."""
    most, loads = (512, 500) if experiment.quick else (1024, 2000)
    workload = {"node": {"program": "latency", "args": [f"most_kib={most}", f"loads={loads}"]}}
    timing = {"model": "fixed", "latency_cycles": MEMORY_CYCLES}
    config = merged(
        one_blade(blade, workload, {}), {"system": {"node": {"memory": {"timing": timing}}}}
    )
    run = run_cluster(experiment, f"latency-{blade}", config)
    found = _LINE.findall(run.console("node0"))
    return {int(kib): int(hundredths) / 100 for kib, hundredths in found}


def _latencies(experiment: Experiment) -> list[str]:
    """Measure both blades; return what is not as it must be."""
    plain, cached = (_load_cycles(experiment, blade) for blade in (PLAIN, BLADE))
    rows, wrong = [], []
    for kib, without in plain.items():
        if kib < L1_KIB:
            level, expected = "L1", without
        elif kib <= 2 * L1_KIB:  # the L1, which replaces at random, keeps some of it
            level, expected = "L1 and beyond", None
        elif kib < L2_KIB:
            level, expected = "L2", without - MEMORY_CYCLES + HIT_CYCLES
        elif kib > L2_KIB:
            level, expected = "memory", without + MISS_CYCLES
        else:
            level, expected = "L2 and beyond", None
        rows.append([f"{kib}", f"{without:.2f}", f"{cached[kib]:.2f}", level])
        if expected is not None and abs(cached[kib] - expected) > TOLERANCE_CYCLES:
            wrong.append(f"{kib} KiB: {cached[kib]:.2f} cycles a load, expected {expected:.2f}")
    columns = ["KiB", f"{PLAIN} (cycles a load)", f"{BLADE} (cycles a load)", "served from"]
    experiment.table(f"Load latency, memory of {MEMORY_CYCLES} cycles", columns, rows)
    experiment.keep(without=plain, with_l2=cached)
    return wrong


def _lockstep(experiment: Experiment) -> int:
    """Run programs on both engines at once; return the cycles, all of them equal.

    Raises:
        ExperimentError: an output differs; the message says which and when.
    """
    oracle = build(experiment.seed, experiment.folder / "oracle")
    cases: dict[str, tuple[dict[str, Any], int]] = {
        "latency": ({"node": {"program": "latency", "args": ["loads=500"]}}, 2_000_000),
        "random": ({"nodes": {"node0": {"elf": str(oracle.for_rocket)}}}, 2_000_000),
        "linux": ({"node": {"linux": "linux-hello"}}, 5_000_000),
    }
    models = [blade_model(BLADE, engine) for engine in ENGINES]
    rows, total = [], 0
    for name, (workload, limit) in cases.items():
        folder = experiment.folder / f"lockstep-{name}"
        config = one_blade(BLADE, workload, {"max_cycles": limit, "autocounter": {"enabled": True}})
        description = Cluster(experiment, config).description(folder)
        library = lockstep(models[0], models[1], folder / "lockstep")
        for node in description["nodes"]:
            node["model"] = str(library)
        run = simulate(description, folder, expect=(0, 1))
        rows.append([name, f"{run.node_cycles:,}", run.result["reason"]])
        total += run.node_cycles
    experiment.table("Cycles in which both engines agreed", ["program", "cycles", "ending"], rows)
    return total


def _quickstart_hash(experiment: Experiment) -> str:
    config = yaml.safe_load((ROOT / "deploy/recipes/quickstart.yaml").read_text())
    config["system"]["node"]["blade"] = BLADE
    return run_cluster(experiment, "quickstart", config).token_hash


@experiment_named("l2")
def run(experiment: Experiment) -> Verdict:
    """Hold when every latency, cycle, snapshot and hash is right."""
    wrong = _latencies(experiment)
    cycles = 0 if experiment.quick else _lockstep(experiment)
    config = merged(pair_config("rtl", 2, 8192), {"system": {"node": {"blade": BLADE}}})
    count = 2 if experiment.quick else 8
    equal = equal_from_snapshots(experiment, config, count)
    found = _quickstart_hash(experiment)
    for text in wrong:
        experiment.say(text)
    experiment.keep(lockstep_cycles=cycles, snapshots=count, equal=equal, quickstart_hash=found)
    engines = "" if experiment.quick else f"{cycles:,} cycles equal on both engines, "
    figure = (
        f"{len(wrong)} latencies off, {engines}"
        f"{equal} of {count} snapshots equal, hash {found},"
    )
    goal = f"0 latencies off, {count} snapshots and the hash {QUICKSTART_HASH}"
    return Verdict(not wrong and equal == count and found == QUICKSTART_HASH, figure, goal)
