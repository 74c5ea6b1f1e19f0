# SPDX-License-Identifier: BSD-3-Clause
"""Save, restore, continue equals never stopping, at random cycles, on both engines.

Two bare-metal nodes ping and stream, in RTL and on the functional engine. One run is never
stopped; one is saved at random cycles; and each of its snapshots is loaded by a run of its own that
goes on to the end. The whole result must be equal every time: token hash, end cycle, the totals of
every link and the statistics of every node and switch; consoles of a run that goes on are the end
of the whole console. Then a cluster of eight nodes is saved and loaded, and timed.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.simulate import Run
from regression.support.snapshots import (
    Simulated,
    bytes_on_disk,
    outcome,
    pair_config,
    saved_folders,
)

ENGINES = ("rtl", "functional")
LINUX_CYCLE = 200_000_000
"""Where the cluster of Linux nodes is saved: in the middle of its boot."""
BARE_CYCLE = 100_000
GOAL_S = 5.0
"""For saving eight Linux nodes, and for loading them."""


def _consoles_go_on(whole: Run, again: Run) -> bool:
    nodes = [node["name"] for node in whole.result["nodes"]]
    return all(whole.console(node).endswith(again.console(node)) for node in nodes)


def _engine(experiment: Experiment, engine: str, count: int) -> tuple[int, int]:
    """Return how many runs went on from a snapshot, and how many of them were equal."""
    rng = random.Random(f"{experiment.seed} {engine}")
    system = Simulated(experiment, pair_config(engine, 2, 8192), engine)
    whole = system.run("whole")
    cycles = sorted(rng.sample(range(1, whole.end_cycle), count))
    saved = system.run("saved", snapshots={"directory": "snapshots", "at_cycles": cycles})
    rows: list[list[object]] = [["never stopped", whole.token_hash, f"{whole.end_cycle:,}", ""]]
    same = "yes" if outcome(saved) == outcome(whole) else "NO"
    rows.append([f"saved {count} times", saved.token_hash, f"{saved.end_cycle:,}", same])
    equal = int(same == "yes")
    for folder in saved_folders(saved.folder):
        again = system.run(f"from-{folder.name}", restore=folder)
        fits = outcome(again) == outcome(whole) and _consoles_go_on(whole, again)
        equal += fits
        rows.append(
            [
                f"from cycle {again.result['start_cycle']:,}",
                again.token_hash,
                f"{again.end_cycle:,}",
                "yes" if fits else "NO",
            ]
        )
    columns = ["run", "token hash (measured)", "end cycle (measured)", "equal"]
    experiment.table(f"Two nodes, {engine}", columns, rows)
    return len(rows) - 1, equal


def _cluster(experiment: Experiment) -> tuple[float, float, bool]:
    """Save and load eight nodes; return the seconds each took, and whether they were equal."""
    quick = experiment.quick
    cycle = BARE_CYCLE if quick else experiment.arguments.linux_cycle
    workload: dict[str, Any] = {"node": {"linux": "linux-base"}}
    if quick:
        workload = {"node": {"program": "quickstart", "args": ["role=server"]}}
    config = {
        "system": {"topology": "rack_8"},
        "workload": workload,
        "simulation": {
            "engine": "functional",
            "captures": False,
            "throughput_interval_cycles": 0,
        },
    }
    system = Simulated(experiment, config, "cluster")
    wanted = {"directory": "snapshots", "at_cycles": [cycle]}
    saved = system.run("saved", snapshots=wanted, max_cycles=cycle + 1)
    folder = saved_folders(saved.folder)[0]
    save_s = float(saved.result["snapshots"][0]["wall_s"])
    loaded = system.run("loaded", restore=folder, max_cycles=cycle + 1)
    load_s = loaded.process_wall_s - loaded.wall_s
    mib = bytes_on_disk(folder) / 2**20
    equal = outcome(loaded) == outcome(saved)
    experiment.table(
        "Eight functional nodes" + (", bare metal" if quick else ", Linux"),
        ["cycle", "save (s)", "load (s)", "on disk (MiB)", "equal"],
        [
            [
                f"{cycle:,}",
                f"{save_s:.2f}",
                f"{load_s:.2f}",
                f"{mib:.1f}",
                "yes" if equal else "NO",
            ]
        ],
    )
    experiment.keep(save_s=save_s, load_s=load_s, mib=mib)
    return save_s, load_s, equal


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cycles", type=int, default=0, help="random cycles for each engine")
    parser.add_argument(
        "--linux-cycle", type=int, default=LINUX_CYCLE, help="where eight Linux nodes are saved"
    )


@experiment_named("snapshot", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when going on equals never stopping."""
    count: int = experiment.arguments.cycles or (2 if experiment.quick else 20)
    runs, equal = 0, 0
    for engine in ENGINES:
        more, good = _engine(experiment, engine, count)
        runs, equal = runs + more, equal + good
    save_s, load_s, same = _cluster(experiment)
    experiment.keep(runs=runs, equal=equal)
    whole = same and equal == runs == len(ENGINES) * (count + 1)
    return Verdict(
        whole and max(save_s, load_s) < GOAL_S,
        f"{equal} of {runs} runs equal one that never stopped, "
        f"8 nodes saved in {save_s:.2f} s and loaded in {load_s:.2f} s,",
        f"{len(ENGINES) * (count + 1)} equal ones, and less than {GOAL_S:g} s each",
        timed_only=whole,
    )
