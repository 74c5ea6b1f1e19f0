# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end by tohost, in RTL: one end for threads, batches, snapshots and engines.

A program of the shape of riscv-tests passes, another fails with code 3, and a third prints by
system calls: on a small Rocket with the part `htif`, whose host asks for words that are in the
core's cache. All runs of a program must end in one cycle with one token hash: in RTL with other
threads and batches, with a snapshot while the host talks and going on from it, and metasimulated
with random stalls. The functional engine must give the same exit codes and the same text.
--quick leaves out the metasimulation, and the runs beside the first of the program that fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regression.support.as_user import run_as_user
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.tohost_programs import PRINTED, PRINTS, built, program

RECIPE = """\
system:
  topology: rack_1
  link: {{latency_cycles: 2000}}
  node: {{blade: {blade}, memory: {{size_mib: 16}}}}
workload: {{node: {{elf: program.elf}}}}
simulation: {{max_cycles: 400000, throughput_interval_cycles: 0, threads: 1}}
"""
SMALL, FUNCTIONAL = "rocket-1-small", "rocket-1"
SAVED_AT = 1100
"""Within the first look at tohost."""


def _run(recipe: Path, results: Path, *settings: str) -> dict[str, Any]:
    """Run a recipe, from a snapshot where a word begins with @; return its result.json."""
    starts = [Path(text[1:]) for text in settings if text.startswith("@")]
    given = [text for text in settings if not text.startswith("@")]
    start = starts[0] if starts else None
    return run_as_user(recipe, results, *given, start=start, may_fail=True).result


def _programs(folder: Path) -> dict[str, tuple[Path, int, str]]:
    """Build the programs; return of each its recipe, its exit code, and what it prints."""
    made = {}
    for name, value, code in (("passes", 1, 0), ("fails", 7, 3), ("prints", 0, 0)):
        own = folder / name
        own.mkdir()
        built(own, PRINTS, "prints.c") if name == "prints" else program(own, value)
        recipe = own / "recipe.yaml"
        recipe.write_text(RECIPE.format(blade=SMALL))
        made[name] = (recipe, code, PRINTED if name == "prints" else "")
    return made


QUICK_FAILS = ("rtl", "functional")


def _ways(experiment: Experiment, name: str, results: Path) -> dict[str, tuple[str, ...]]:
    """Return the settings of each run of the program `name`, by what the run is called."""
    seed = experiment.seed
    snapshot = results / "saved/snapshots" / f"cycle-{SAVED_AT}"
    stalled = f"simulation.metasim={{stall_seed: {seed}, stall_rate: 32}}"
    every = {
        "rtl": (),
        "other batches": (f"simulation.random_batch_seed={seed}", "simulation.threads=2"),
        "saved": (f"simulation.snapshots.at_cycles=[{SAVED_AT}]",),
        "restored": (f"@{snapshot}",),
        "metasim": ("simulation.engine=metasim", stalled),
        "functional": ("simulation.engine=functional", f"system.node.blade={FUNCTIONAL}"),
    }
    if not experiment.quick:
        return every
    del every["metasim"]
    return {way: every[way] for way in (QUICK_FAILS if name == "fails" else every)}


@experiment_named("tohost")
def main(experiment: Experiment) -> Verdict:
    """Run every program in every way."""
    rows, holds, ends = [], True, 0
    for name, (recipe, code, text) in _programs(experiment.folder).items():
        seen = set()
        for way, settings in _ways(experiment, name, experiment.folder / name).items():
            results = experiment.folder / name / way.replace(" ", "-")
            result = _run(recipe, results, *settings)
            (node,) = result["nodes"]
            said = (results / "node0/uart.log").read_text()
            if way != "functional":
                seen.add((result["token_hash"], node["ended_at_cycle"]))
            # A restored run prints from its snapshot on.
            said_right = text.endswith(said) if way == "restored" else said == text
            good = node["exit_code"] == code and said_right and result["reason"] == "ended"
            holds &= good
            cells = [node["exit_code"], f"{node['ended_at_cycle']:,}", result["token_hash"]]
            rows.append([f"{name}, {way}", *cells, "yes" if good else "NO"])
        holds &= len(seen) == 1
        ends += len(seen)
    columns = ["run", "exit code (measured)", "end cycle (measured)", "token hash", "as expected"]
    experiment.table("programs with tohost", columns, rows)
    experiment.keep(runs=len(rows), ends=ends)
    return Verdict(holds, f"{len(rows)} runs of 3 programs gave {ends} ends", "3 ends")
