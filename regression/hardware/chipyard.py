# SPDX-License-Identifier: BSD-3-Clause
"""Chipyard's Verilog behind our parts: programs end by tohost in one cycle, however they are run.

The small SoC of target-design/examples/chipyard-soc plays its list of words to the host by TSI: on
both RTL engines, metasimulated with random stalls, saved in the middle of a command and gone on
from there, and as two nodes with one thread and two. All runs must end in the same cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from regression.support.as_user import UserRun, run_as_user
from regression.support.chipyard_soc import (
    COMMAND_CYCLE,
    END_CYCLE,
    PRINTED,
    assembled,
    small_recipe,
)
from regression.support.experiment import Experiment, Verdict, experiment_named

COLUMNS = ("run", "end cycle (measured)", "exit code (measured)", "token hash", "as expected")


def _file_name(text: str) -> str:
    return text.lower().replace(",", "").replace(" ", "-")


def _small_runs(experiment: Experiment, folder: Path) -> dict[str, UserRun]:
    """Run the small SoC in every way."""
    one, two = small_recipe(folder), small_recipe(folder, ("soc", "other"), "two.yaml")
    assembled(folder, 0)
    stalled = f"simulation.metasim={{stall_seed: {experiment.seed}, stall_rate: 64}}"
    saved = f"simulation.snapshots.at_cycles=[{COMMAND_CYCLE}]"
    ways: dict[str, tuple[Path, tuple[str, ...]]] = {
        "generated engine": (one, ()),
        "Verilator": (one, ("simulation.rtl_engine=verilator",)),
        "metasimulation, stalled": (one, ("simulation.engine=metasim", stalled)),
        "saved in a command": (one, (saved,)),
        "two nodes, 1 thread": (two, ()),
        "two nodes, 2 threads": (two, ("simulation.threads=2",)),
    }
    runs = {
        way: run_as_user(recipe, folder / _file_name(way), *settings)
        for way, (recipe, settings) in ways.items()
    }
    snapshot = runs["saved in a command"].folder / f"snapshots/cycle-{COMMAND_CYCLE}"
    runs["gone on from there"] = run_as_user(one, folder / "restored", start=snapshot)
    return runs


def _rows(runs: dict[str, UserRun], end_cycle: int, printed: str) -> list[list[object]]:
    """Return a row for each node of each run; the last cell says whether it is as it must be."""
    rows: list[list[object]] = []
    for way, run in runs.items():
        token_hash, _ = run.end
        for node in run.nodes:
            said = run.console(node["name"])
            # A run that goes on from a snapshot prints what comes after it.
            right = printed.endswith(said) if run.result["start_cycle"] else said == printed
            right &= (node["ended_at_cycle"], node["exit_code"]) == (end_cycle, 0)
            name = way if len(run.nodes) == 1 else f"{way}: {node['name']}"
            end = f"{node['ended_at_cycle']:,}"
            rows.append([name, end, node["exit_code"], token_hash, "yes" if right else "NO"])
    return rows


def _shown(experiment: Experiment, title: str, rows: Sequence[Sequence[object]]) -> bool:
    """Print a table of runs; return whether all are as they must be."""
    experiment.table(title, COLUMNS, rows)
    return all(row[-1] == "yes" for row in rows)


def _small(experiment: Experiment) -> bool:
    folder = experiment.folder / "small"
    folder.mkdir()
    rows = _rows(_small_runs(experiment, folder), END_CYCLE, PRINTED)
    holds = _shown(experiment, "the small SoC", rows)
    experiment.keep(small_soc_end_cycle=END_CYCLE, small_soc_ends=len(rows), small_soc_holds=holds)
    return holds


@experiment_named("chipyard")
def main(experiment: Experiment) -> Verdict:
    """Run the small SoC in every way."""
    holds = _small(experiment)
    return Verdict(holds, f"the small SoC ended at cycle {END_CYCLE:,},", "one end")
