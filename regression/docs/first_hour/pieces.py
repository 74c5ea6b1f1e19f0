# SPDX-License-Identifier: BSD-3-Clause
"""Does one piece of the first hour, a page or a scene of examples, and says what came of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from unittest import mock

from firesim_common.paths import ROOT
from firesim_common.progress import step

from regression.docs.first_hour.grounds import GROUNDS
from regression.docs.first_hour.help_examples import Example, commands
from regression.docs.first_hour.scenes import SCENES, Scene, not_run, note_of
from regression.support.hosts.bed import BedError
from regression.support.pages import NOT_RUN, PageError, blocks, run_page
from regression.support.shell_session import CommandError, ShellSession

FOLDERS = ("tutorials", "how-to")
LEAVES = {"linux-workloads": "sw/firesim-software/workloads/linux-count"}
"""What a page leaves in the clone, by page."""
LIMIT_S = 7200.0
"""For one command, such as the synthesis of a Rocket blade, also on a loaded machine."""


@dataclass(frozen=True)
class Row:
    """What came of a page or a scene."""

    name: str
    key: str
    """Changes with what was done: the text of the page, or scene and examples."""
    ran: int
    not_run: tuple[str, ...]
    seconds: float
    wrong: str = ""


@dataclass(frozen=True)
class Done:
    """How far a piece went."""

    ran: int
    wrong: str


@dataclass(frozen=True)
class Piece:
    """A page or a scene, which can be done in a process of its own."""

    name: str
    text: str
    """What is done, whole: when it differs, what came of it before counts no longer."""
    left_out: tuple[str, ...]
    """Why blocks or examples of it are not run, each."""
    quick: bool
    """Whether it is done with --quick."""
    do: Callable[[Path], Done]
    """Does it, and writes what was typed and answered to a file."""

    @property
    def key(self) -> str:
        """What changes with its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    @property
    def step(self) -> str:
        """The name under which this computer remembers how long it took."""
        return f"first-hour: {self.name}"

    @property
    def file(self) -> str:
        """Its name as that of a file, without an ending."""
        return re.sub(r"[^\w-]+", "-", self.name)

    def done(self, transcript: Path) -> Row:
        """Do it; return what came of it."""
        began = time.monotonic()
        try:
            with step(self.step):
                ran, wrong = self._to_its_end(transcript), ""
        except _WrongError as error:
            ran, wrong = error.ran, str(error)
        return Row(self.name, self.key, ran, self.left_out, time.monotonic() - began, wrong)

    def _to_its_end(self, transcript: Path) -> int:
        came = self.do(transcript)
        if came.wrong:  # What ended early says nothing of the time that all of it takes.
            raise _WrongError(came)
        return came.ran


class _WrongError(AssertionError):
    def __init__(self, came: Done) -> None:
        super().__init__(came.wrong)
        self.ran = came.ran


def keep(row: Row, file: Path) -> None:
    """Write what came of a piece."""
    part = file.with_suffix(".part")  # A run may be cut while this is written.
    part.write_text(json.dumps(asdict(row), indent=1) + "\n", encoding="utf-8")
    part.replace(file)


def kept(file: Path) -> Row | None:
    """Read what came of a piece, None where nothing was written."""
    if not file.exists():
        return None
    values = json.loads(file.read_text(encoding="utf-8"))
    return Row(**{**values, "not_run": tuple(values["not_run"])})


def pages() -> list[Path]:
    """Return every tutorial and how-to."""
    return [page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))]


def page_piece(page: Path, quick: bool) -> Piece:
    """Return what follows a page in a fresh folder."""
    given = _given(page)
    left_out = tuple(block.not_run for block in blocks(page, given) if block.not_run is not None)
    name = f"{page.parent.name}/{page.stem}"
    return Piece(name, page.read_text(encoding="utf-8"), left_out, quick, partial(_follow, page))


def scene_piece(scene: Scene) -> Piece:
    """Return what types examples in a scene."""
    found = commands()
    examples = [one for name in scene.commands for one in found[f"firesim {name}"]]
    left_out = tuple(
        f"{example.text}: {NOT_RUN[key]}" for example in examples if (key := not_run(example.text))
    )
    text = "\n".join([repr(scene), *(example.text for example in examples)])
    play = partial(_play, scene, examples)
    return Piece(f"help: {scene.name}", text, left_out, scene.quick, play)


def every_piece(quick_pages: tuple[str, ...]) -> list[Piece]:
    """Return all scenes and pages."""
    followed = [page_piece(page, page.stem in quick_pages) for page in pages()]
    return [*map(scene_piece, SCENES), *followed]


def _given(page: Path) -> str:
    """Return the key of the blocks that run on a ground of their own, where there can be one."""
    ground = GROUNDS.get(page.stem)
    return "" if ground is None or ground.why_not() else ground.key


def _follow(page: Path, transcript: Path) -> Done:
    given = _given(page)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="first-hour-"))
        try:
            if given:
                variables = stack.enter_context(GROUNDS[page.stem].start(Path(folder)))
                stack.enter_context(mock.patch.dict(os.environ, variables))
            return Done(len(run_page(page, Path(folder), LIMIT_S, transcript, given)), "")
        except (PageError, BedError) as error:
            return Done(0, str(error))
        finally:
            if page.stem in LEAVES:
                shutil.rmtree(ROOT / LEAVES[page.stem], ignore_errors=True)


def _play(scene: Scene, examples: list[Example], transcript: Path) -> Done:
    ran, at = 0, scene.name
    with tempfile.TemporaryDirectory(prefix="first-hour-") as folder:
        try:
            with ShellSession(Path(folder), LIMIT_S, transcript=transcript) as session:
                for name, text in scene.files.items():
                    (Path(folder) / name).write_text(text)
                if scene.before:
                    session.run(scene.before)
                for example in examples:
                    if not_run(example.text):
                        continue
                    at = example.text
                    if before := scene.before_each.get(example.command.removeprefix("firesim ")):
                        session.run(before)
                    session.run(example.text + note_of(example.text))
                    ran += 1
        except CommandError as error:
            return Done(ran, f"{at}: {error}")
    return Done(ran, "")
