# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of the cluster on simulated boards whose forms have scan chains.

Taken on the boards they go on in the engine rtl, and taken there they go on on the boards, at
cycles chosen at random, each to the token hash and the files of the run that never stopped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_loaded
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from rich.console import Console

from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulated_boards import boards, device_at

COLUMNS = [
    "board",
    "saved in",
    "at cycle",
    "went on in",
    "token hash",
    "differs from the whole run",
]
CONSOLES = ("echo/uart.log", "talk/uart.log")
FIRST_CYCLE, LAST_CYCLE = 1_000, 20_000
"""Between which snapshots are taken: frames are on their way, and no node has ended."""
WORDS = 40
"""Registers of 64 bits that the talker has, too: no queue of AMD's holds all of them. With the 256
rows of its memory no queue on the way to any board does."""
ENGINES = {"fpga": "rtl", "rtl": "fpga"}
"""Where a run is saved, and where it goes on."""


def _replace(file: Path, texts: Mapping[str, str]) -> None:
    text = file.read_text()
    for old, new in texts.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def _run(folder: Path, engine: str, name: str, *more: str, start: Path | None = None) -> Outcome:
    engines = {"echo": engine, "talk": engine}
    loaded = load_file(folder / "recipe.yaml", [f"simulation.engines={engines}", *more])
    outcome = run_loaded(
        loaded,
        results=folder / name,
        console=Console(quiet=True),
        restart=None if start is None else lambda plan: restart_from(str(start), plan, None),
    )
    if outcome.exit_status != 0:
        raise ExperimentError(f"{outcome.folder}: {outcome.reason}: {outcome.message}")
    return outcome


def _differs(whole: Outcome, again: Outcome) -> list[str]:
    """Return what of a run that went on is not as in the whole one."""
    wrong = [key for key in ("token_hash", "end_cycle") if whole.result[key] != again.result[key]]
    return wrong + [
        name
        for name in CONSOLES
        if not (whole.folder / name).read_bytes().endswith((again.folder / name).read_bytes())
    ]


def go_on(
    experiment: Experiment, board: str, write: Callable[[Path, str, int], None], frames: int
) -> tuple[list[list[str]], list[str]]:
    """Save and go on with two simulated boards of a kind; return rows, and what differs.

    `write` writes the cluster's recipes into a folder.
    """
    folder = (experiment.folder / f"{board}-snapshots").absolute()
    write(folder, board, frames)
    builds = folder / "builds.yaml"
    _replace(
        builds, {"board:": "scan_chain: true, board:", 'LIMIT: "': f'WORDS: "{WORDS}", LIMIT: "'}
    )
    _replace(folder / "recipe.yaml", {"LIMIT: ": f"WORDS: {WORDS}, LIMIT: "})
    cycles = random.Random(experiment.seed).sample(range(FIRST_CYCLE, LAST_CYCLE), 2)
    asked = f"simulation.snapshots.at_cycles={sorted(cycles)}"
    devices = {device_at(folder, board): "echo-8", device_at(folder, board, 1): "talk-1"}
    rows, differing = [], []
    with boards(builds, devices, folder / "hwdb.yaml", hostile_seed=experiment.seed):
        whole = _run(folder, "rtl", "whole")
        for (saved_in, engine), cycle in zip(ENGINES.items(), cycles, strict=True):
            saved = _run(folder, saved_in, f"saved-in-{saved_in}", asked)
            start = saved.folder / f"snapshots/cycle-{cycle}"
            again = _run(folder, engine, f"from-{saved_in}", start=start)
            wrong = _differs(whole, saved) + _differs(whole, again)
            rows.append([board, saved_in, f"{cycle:,}", engine, str(again.result["token_hash"]),
                         ", ".join(wrong) or "nothing"])  # fmt: skip
            differing += [f"{board}: {saved_in} to {engine} at {cycle}: {what}" for what in wrong]
    return rows, differing
