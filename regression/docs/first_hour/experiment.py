# SPDX-License-Identifier: BSD-3-Clause
"""The first hour: every tutorial and how-to done to its last step, and every example of help.

Each page is executed from its own text in a fresh folder, and what it shows is compared with what
comes out (`regression/support/pages.py`). The examples of `--help`, of which
docs/reference/commands.md is made, are typed in scenes that set up what they need (`scenes.py`).
What is not run says why. --quick takes some pages and scenes, and names the others. --threads says
how many are done side by side, at most four. What each came to, and what was typed and answered, is
in the results folder as soon as it has ended; --resume goes on with a run that was cut.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from firesim_common.errors import unknown

from regression.docs.first_hour.help_examples import commands
from regression.docs.first_hour.pieces import Piece, Row, every_piece, keep, kept
from regression.docs.first_hour.scenes import SCENES
from regression.docs.first_hour.side_by_side import SideBySide
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)

QUICK_PAGES = ("your-first-cluster",)
"""With --quick. Others and the switch's are Python tests: deploy/tests/test_pages.py."""
MOST_AT_ONCE = 4
"""Each may compile a blade or boot Linux, with gigabytes of memory."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", help="pages and scenes whose name contains this")
    parser.add_argument(
        "--resume",
        type=Path,
        help="results of a run before this: what came to its last step there is not done again "
        "unless its text is another",
    )


def taken_over(pieces: list[Piece], before: Path, folder: Path) -> list[Row]:
    """Return what was right in a run before this one, and keep it in `folder` too.

    Raises:
        ExperimentError: that folder has nothing of such a run.
    """
    if not any(kept(before / f"{piece.file}.json") for piece in pieces):
        raise ExperimentError(f"--resume: found no page or scene in {before}, expected some there.")
    rows = []
    for piece in pieces:
        row = kept(before / f"{piece.file}.json")
        if row is not None and not row.wrong and row.key == piece.key:
            keep(row, folder / f"{piece.file}.json")
            rows.append(row)
    return rows


@experiment_named("first-hour", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every page and every example does what it says."""
    placed = {name for scene in SCENES for name in scene.commands}
    homeless = [name for name in commands() if name.removeprefix("firesim ") not in placed]
    only: str = experiment.arguments.only
    every = every_piece(QUICK_PAGES)
    chosen = [piece for piece in every if only in piece.name]
    if not chosen:
        names = [piece.name for piece in every]
        raise ExperimentError(f"--only: {unknown(only, 'part of a page or scene', names)}")
    left = [piece.name for piece in chosen if experiment.quick and not piece.quick]
    chosen = [piece for piece in chosen if piece.quick or not experiment.quick]
    before: Path | None = experiment.arguments.resume
    old = taken_over(chosen, before, experiment.folder) if before else []
    if old:
        experiment.say(f"from {before}: {', '.join(row.name for row in old)}")
    known = {row.name: row for row in old}
    at_once = max(1, min(experiment.threads, MOST_AT_ONCE))
    doing = SideBySide(experiment.folder, at_once, experiment.say)
    new = doing.do([piece for piece in chosen if piece.name not in known])
    known.update((row.name, row) for row in new)
    rows = [known[piece.name] for piece in chosen]
    _table(experiment, rows, left)
    wrong = [row for row in rows if row.wrong]
    for name in homeless:
        experiment.say(f"{name}: found in no scene of scenes.py, so its examples are not run")
    done = sum(row.ran for row in rows)
    experiment.keep(
        rows=[vars(row) for row in rows],
        left_to_default_size=left,
        from_a_run_before=[row.name for row in old],
    )
    again = f" ({len(old)} of them in a run before)" if old else ""
    return Verdict(
        not wrong and not homeless,
        f"{len(rows) - len(wrong)} of {len(rows)} pages and scenes{again}, {done} blocks and "
        "examples,",
        "every page and every example to its last step",
    )


def _table(experiment: Experiment, rows: list[Row], left: list[str]) -> None:
    experiment.table(
        "pages and examples",
        ["page, or scene of examples", "run", "not run", "to its last step", "wall time (s)"],
        [
            [r.name, r.ran, len(r.not_run), "NO" if r.wrong else "yes", f"{r.seconds:.1f}"]
            for r in rows
        ],
    )
    reasons = [[row.name, reason] for row in rows for reason in row.not_run]
    experiment.table("not run, and why", ["page or scene", "why"], reasons)
    if left:
        experiment.say(f"left to the default size: {', '.join(left)}")
