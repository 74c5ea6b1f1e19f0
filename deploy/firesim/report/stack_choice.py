# SPDX-License-Identifier: BSD-3-Clause
"""The call stacks of a run that a user chooses: of some nodes, harts and tasks, added up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError, unknown

from firesim.report.flamegraph import merge_folded, shown_name
from firesim.report.results import NodeFiles, read_results

_TASK = re.compile(r"(?P<command>.+)-\d{1,10}(?:/\d{1,10})?")
"""The second frame of a stack, when the run was traced with processes."""


@dataclass(frozen=True)
class Chosen:
    """Which stacks count; an empty sequence means all."""

    nodes: Sequence[str] = ()
    harts: Sequence[int] = ()
    tasks: Sequence[str] = ()
    """Commands (`sh`), or tasks with their numbers (`sh-41`, `sh-41/43`)."""
    with_ids: bool = False
    """Whether tasks of one command stay apart by their process and thread numbers."""


def chosen_stacks(folder: Path, chosen: Chosen) -> dict[str, int]:
    """Return target cycles by folded stack of the run in `folder`.

    Raises:
        InputError: it is no results folder, was not traced, or has none of what is chosen.
    """
    try:
        nodes = read_results(folder).nodes
    except FileNotFoundError as error:
        raise InputError(f"runs stacks: {error}") from error
    traced = [node for node in nodes if node.folded]
    if not traced:
        raise InputError(
            f"runs stacks: found no call stacks in {folder}, expected a run with "
            "-x simulation.tracing.enabled=true and simulation.tracing.outputs with folded."
        )
    for name in chosen.nodes:
        if name not in (names := [node.name for node in traced]):
            raise InputError(f"runs stacks: {unknown(name, 'one of the traced nodes', names)}")
    wanted = [node for node in traced if not chosen.nodes or node.name in chosen.nodes]
    stacks = merge_folded(_files(folder, wanted, chosen.harts))
    total: Counter[str] = Counter()
    for stack, cycles in _of_tasks(folder, stacks, chosen.tasks).items():
        total[_shown(stack, chosen.with_ids)] += cycles
    if not any(total.values()):
        raise InputError(f"runs stacks: found no cycles in the call stacks of {folder}.")
    return dict(total)


def _files(folder: Path, nodes: list[NodeFiles], harts: Sequence[int]) -> list[Path]:
    files = [file for node in nodes for file in node.folded]
    if not harts:
        return files
    there = sorted({file.stem for file in files})
    for hart in harts:
        if f"hart{hart}" not in there:
            found = unknown(f"hart{hart}", f"one of the harts traced in {folder}", there)
            raise InputError(f"runs stacks: {found}")
    return [file for file in files if file.stem in {f"hart{hart}" for hart in harts}]


def _task(stack: str) -> re.Match[str] | None:
    frames = stack.split(";", 2)
    return _TASK.fullmatch(frames[1]) if len(frames) > 1 else None


def _of_tasks(folder: Path, stacks: dict[str, int], tasks: Sequence[str]) -> dict[str, int]:
    """Return the stacks of some tasks; each that is named must be there."""
    if not tasks:
        return stacks
    kept: dict[str, int] = {}
    commands: set[str] = set()
    named: set[str] = set()
    for stack, cycles in stacks.items():
        if match := _task(stack):
            commands.add(match["command"])
            if hits := {match[0], match["command"]}.intersection(tasks):
                named |= hits
                kept[stack] = cycles
    for task in tasks:
        if task in named:
            continue
        if not commands:
            raise InputError(
                f"runs stacks: found --task {task}, but {folder} has no tasks: expected a run with "
                "-x simulation.tracing.processes=true."
            )
        what = f"one of the tasks traced in {folder}"
        raise InputError(f"runs stacks: {unknown(task, what, sorted(commands))}")
    return kept


def _shown(stack: str, with_ids: bool) -> str:
    frames = stack.split(";")
    if not with_ids and (match := _task(stack)):
        frames[1] = match["command"]
    return ";".join(map(shown_name, frames))
