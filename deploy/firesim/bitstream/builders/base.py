# SPDX-License-Identifier: BSD-3-Clause
"""What every bit builder can do: say what a host must have, and make a job of a build."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from goldengate.fpga_form import FpgaForm

from firesim.bitstream.outcome import Outcome
from firesim.boards.board import Board
from firesim.config.bitstream import Builders, BuildRecipe

RESULT = "result.json"
"""What a job leaves beside its other results: an Outcome."""
STAGE = "firesim stage: "
"""Begins a line of a job's output that says what comes next."""
FAULT = "firesim fault: "
"""Begins the line that says in a sentence why a job failed."""


@dataclass(frozen=True)
class Wanted:
    """A build with all that was looked up for it."""

    name: str
    recipe: BuildRecipe
    board_name: str
    board: Board
    form: FpgaForm
    frequency_mhz: float

    @property
    def fingerprint(self) -> str:
        """The design's, which the board's register gives."""
        return self.form.manifest.design_hash


@dataclass(frozen=True)
class Job:
    """What runs on a host: files and texts by their places in its folder, words, and results."""

    files: Mapping[str, Path]
    texts: Mapping[str, str]
    words: Sequence[str]
    results: Sequence[str]
    """Files it leaves, each of which must be there when it succeeds."""
    logs: Sequence[str] = ()
    """Files it may leave, kept also when it fails."""
    environment: Mapping[str, str] = field(default_factory=dict)


class BitBuilder(ABC):
    """A set of tools."""

    name: str
    flow: Literal["open_flow", "vivado_flow", "aws_flow"]
    """The key of a board's file by which it builds for the board."""

    def __init__(self, settings: Builders) -> None:
        """Take the recipe file's settings; nothing is looked for."""
        self.settings = settings

    @abstractmethod
    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Return why it cannot make this of any host, None when it can."""

    @abstractmethod
    def clock_mhz(self, board: Board) -> float:
        """Return the host clock of a board that a recipe says none for."""

    @abstractmethod
    def check(self, local: bool) -> Job:
        """Return the job that fails with one sentence where a tool is missing.

        A job that succeeds leaves versions of the tools as JSON in RESULT. `local` says that the
        host is this computer.
        """

    @abstractmethod
    def job(self, wanted: Wanted, local: bool) -> Job:
        """Return the job that builds; only its tools may depend on `local`."""

    def finish(self, wanted: Wanted, folder: Path, outcome: Outcome) -> dict[str, Any]:
        """Do what comes after the host's work; return where the bitstream is, for the database.

        Raises:
            ToolError: it failed.
        """
        return {"bitstream": "firesim.bit"}
