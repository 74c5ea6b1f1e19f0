# SPDX-License-Identifier: BSD-3-Clause
"""The first hour: every tutorial and how-to done to its last step, and every example of help.

Each page is executed from its own text in a fresh folder, and what it shows is compared with what
comes out (`regression/support/pages.py`). The examples of `--help`, of which
docs/reference/commands.md is made, are typed in scenes that set up what they need (`scenes.py`).
What is not run says why. --quick takes some pages and scenes, and names the others.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import unknown
from firesim_common.paths import ROOT

from regression.docs.first_hour.help_examples import Example, commands
from regression.docs.first_hour.scenes import SCENES, Scene, not_run, note_of
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    Verdict,
    experiment_named,
)
from regression.support.pages import NOT_RUN, PageError, blocks, run_page
from regression.support.shell_session import CommandError, ShellSession

FOLDERS = ("tutorials", "how-to")
QUICK_PAGES = ("your-first-cluster", "log-into-a-node", "look-at-packets")
"""With --quick. Seven others and the switch's are Python tests: deploy/tests/test_pages.py."""
LEAVES = {"linux-workloads": "sw/firesim-software/workloads/linux-count"}
"""What a page leaves in the clone, by page."""
LIMIT_S = 7200.0
"""For one command, such as the synthesis of a Rocket blade, also on a loaded machine."""


@dataclass(frozen=True)
class Row:
    """What came of a page or a scene."""

    name: str
    ran: int
    not_run: tuple[str, ...]
    seconds: float
    wrong: str = ""


def pages() -> list[Path]:
    """Return every tutorial and how-to."""
    return [page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))]


def followed(page: Path) -> Row:
    """Do what a page says in a fresh folder."""
    began = time.monotonic()
    left_out = tuple(block.not_run for block in blocks(page) if block.not_run is not None)
    ran, wrong = 0, ""
    with tempfile.TemporaryDirectory(prefix="first-hour-") as folder:
        try:
            ran = len(run_page(page, Path(folder), LIMIT_S))
        except PageError as error:
            wrong = str(error)
        finally:
            if page.stem in LEAVES:
                shutil.rmtree(ROOT / LEAVES[page.stem], ignore_errors=True)
    return Row(f"{page.parent.name}/{page.stem}", ran, left_out, time.monotonic() - began, wrong)


def played(scene: Scene, examples: list[Example]) -> Row:
    """Type examples in a scene."""
    began = time.monotonic()
    left_out = {example.text: key for example in examples if (key := not_run(example.text))}
    ran, wrong, at = 0, "", scene.name
    with tempfile.TemporaryDirectory(prefix="first-hour-") as folder:
        try:
            with ShellSession(Path(folder), LIMIT_S) as session:
                for name, text in scene.files.items():
                    (Path(folder) / name).write_text(text)
                if scene.before:
                    session.run(scene.before)
                for example in examples:
                    if example.text in left_out:
                        continue
                    at = example.text
                    if before := scene.before_each.get(example.command.removeprefix("firesim ")):
                        session.run(before)
                    session.run(example.text + note_of(example.text))
                    ran += 1
        except CommandError as error:
            wrong = f"{at}: {error}"
    reasons = tuple(f"{text}: {NOT_RUN[key]}" for text, key in left_out.items())
    return Row(f"help: {scene.name}", ran, reasons, time.monotonic() - began, wrong)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", help="pages and scenes whose name contains this")


@experiment_named("first-hour", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every page and every example does what it says."""
    found = commands()
    placed = {name for scene in SCENES for name in scene.commands}
    homeless = [name for name in found if name.removeprefix("firesim ") not in placed]
    only: str = experiment.arguments.only
    names = [*(page.stem for page in pages()), *(f"help: {scene.name}" for scene in SCENES)]
    if not any(only in name for name in names):
        raise ExperimentError(f"--only: {unknown(only, 'part of a page or scene', names)}")
    rows: list[Row] = []
    left: list[str] = []
    for page in pages():
        if experiment.quick and page.stem not in QUICK_PAGES:
            left.append(page.stem)
        elif only in page.stem:
            rows.append(_said(experiment, followed(page)))
    for scene in SCENES:
        if experiment.quick and not scene.quick:
            left.append(f"help: {scene.name}")
        elif only in f"help: {scene.name}":
            examples = [one for name in scene.commands for one in found[f"firesim {name}"]]
            rows.append(_said(experiment, played(scene, examples)))
    _table(experiment, rows, left)
    wrong = [row for row in rows if row.wrong]
    for name in homeless:
        experiment.say(f"{name}: found in no scene of scenes.py, so its examples are not run")
    done = sum(row.ran for row in rows)
    experiment.keep(rows=[vars(row) for row in rows], left_to_default_size=left)
    return Verdict(
        not wrong and not homeless,
        f"{len(rows) - len(wrong)} of {len(rows)} pages and scenes, {done} blocks and examples,",
        "every page and every example to its last step",
    )


def _said(experiment: Experiment, row: Row) -> Row:
    """Say at once what is wrong, since all takes long; return the row."""
    experiment.say(f"{row.name}: {row.seconds:.1f} s{' WRONG: ' if row.wrong else ''}{row.wrong}")
    return row


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
