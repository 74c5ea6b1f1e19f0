# SPDX-License-Identifier: BSD-3-Clause
"""Reads and sets signals of a node by name, in cycles of a run that has been."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.errors import InputError, unknown
from rich.console import Console

from firesim.build.design import blade_design
from firesim.build.model import design_model
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.run.replay import check_reached, chosen_run, planned, replay
from firesim.topology.describe import Restart
from firesim.topology.describe_signals import PEEKS
from firesim.topology.plan import Plan
from firesim.work.folder import saved_config

if TYPE_CHECKING:
    from goldengate.harness import SignalShape


@dataclass(frozen=True)
class Value:
    """A signal in a cycle; `row` is None except for memories."""

    cycle: int
    signal: str
    row: int | None
    value: int


def read_peeks(file: Path) -> list[Value]:
    """Return what a peeks.csv says."""
    with file.open(newline="") as stream:
        return [
            Value(
                int(line["cycle"]),
                line["signal"],
                int(line["row"]) if line["row"] else None,
                int(line["value"], 16),
            )
            for line in csv.DictReader(stream)
        ]


def peek(
    folder: Path | None,
    node: str,
    signals: list[str],
    cycles: list[int],
    overrides: list[str],
    results: Path | None,
    console: Console,
) -> list[Value]:
    """Simulate the run in `folder` (default the newest) again; return signals of a node in cycles.

    Raises:
        InputError: no such run, one that cannot be repeated, or a cycle it did not reach.
    """
    last = max(cycles)
    wanted = {"node": node, "cycles": cycles, "signals": signals}
    changes = [f"simulation.peeks=[{json.dumps(wanted)}]", f"simulation.max_cycles={last + 1}"]
    outcome = replay("peeks", chosen_run(folder), min(cycles), changes, overrides, results, console)
    check_reached("peeks", outcome, last)
    return read_peeks(outcome.folder / node / PEEKS)


def poked(
    folder: Path | None,
    node: str,
    values: Iterable[tuple[str, int]],
    cycle: int,
    overrides: list[str],
) -> tuple[Loaded, Callable[[Plan], Restart | None]]:
    """Return the run in `folder` (default the newest) with signals of a node set in a cycle.

    Raises:
        InputError: no such run, or one that cannot be repeated.
    """
    pokes = [
        {"node": node, "cycle": cycle, "signal": name, "value": value} for name, value in values
    ]
    changes = [f"simulation.pokes={json.dumps(pokes)}"]
    return planned("pokes", chosen_run(folder), cycle, changes, overrides)


def list_signals(
    folder: Path | None, node: str, texts: list[str], overrides: list[str]
) -> list[SignalShape]:
    """Return the signals of a node of the run in `folder` whose names hold all the texts.

    Raises:
        InputError: no such run or node, or none of its signals is called so.
    """
    from goldengate.harness import Model

    loaded = load_file(saved_config(chosen_run(folder), "peeks"), overrides)
    plan = resolve(loaded)
    if node not in (names := [one.name for one in plan.nodes]):
        raise InputError(f"peek: {unknown(node, 'one of the nodes', names)}")
    built = design_model(blade_design(plan, plan.node(node).blade), "generated", waves=True)
    with Model(built / "model.so") as model:
        known = model.signals()
        found = [model.shape(name) for name in known if all(text in name for text in texts)]
    if not found:
        text = unknown(texts[0], "a part of one of the signals", known)
        raise InputError(f"peek: {text}")
    return found
