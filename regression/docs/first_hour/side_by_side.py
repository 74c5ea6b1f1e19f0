# SPDX-License-Identifier: BSD-3-Clause
"""Does pieces side by side, each in a process of its own, and says how far it is and how long yet.

Processes, since a Ctrl-C must reach whatever each has started. What came of a piece is on disk as
soon as it has ended, so that a run that was cut can be continued.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from firesim_common.progress import expected_s

from regression.docs.first_hour.pieces import Piece, Row, keep, kept

SAY_S = 60.0
"""Seconds after which it is said again what runs."""
UNKNOWN_S = 120.0
"""The least that a piece should take that was never done here."""
INTERRUPTED_STATUS = 130


@dataclass
class SideBySide:
    """Pieces that are being done."""

    folder: Path
    """Where what comes of each is written, and what was typed."""
    at_once: int
    say: Callable[[str], None]
    waiting: list[Piece] = field(default_factory=list)
    running: dict[int, tuple[Piece, BaseProcess, float]] = field(default_factory=dict)
    """By sentinel: with the time at which it began."""
    rows: list[Row] = field(default_factory=list)
    count: int = 0

    def do(self, pieces: list[Piece]) -> list[Row]:
        """Do all pieces; return what came of each, in their order."""
        self.waiting, self.count = list(pieces), len(pieces)
        signal.signal(signal.SIGTERM, _cut)
        try:
            while self.waiting or self.running:
                while self.waiting and len(self.running) < self.at_once:
                    self._begin(self.waiting.pop(0))
                ended = wait(list(self.running), timeout=SAY_S)
                for sentinel in ended:
                    assert isinstance(sentinel, int)
                    self._end(sentinel)
                if not ended:
                    self.say(f"  {self._now()}")
        finally:
            self._interrupt()
        by_name = {row.name: row for row in self.rows}
        return [by_name[piece.name] for piece in pieces]

    def _begin(self, piece: Piece) -> None:
        process = multiprocessing.get_context("fork").Process(
            target=_do, args=(piece, self._row_file(piece), self.folder / f"{piece.file}.log")
        )
        process.start()
        self.running[process.sentinel] = (piece, process, time.monotonic())

    def _end(self, sentinel: int) -> None:
        piece, process, began = self.running.pop(sentinel)
        process.join()
        row = kept(self._row_file(piece))
        if row is None:
            wrong = f"found its process ended with status {process.exitcode}, expected 0."
            seconds = time.monotonic() - began
            row = Row(piece.name, piece.key, 0, piece.left_out, seconds, wrong)
        self.rows.append(row)
        came = f"WRONG: {row.wrong}" if row.wrong else f"{row.ran} to the last step"
        self.say(f"{row.name}: {row.seconds:.1f} s, {came}")
        if self.waiting or self.running:
            self.say(f"  {self._now()}")

    def _now(self) -> str:
        going = ", ".join(
            f"{piece.name} ({time.monotonic() - began:.0f} s)"
            for piece, _, began in self.running.values()
        )
        left_min = self.left_s() / 60
        done = f"{len(self.rows)} of {self.count} done, about {left_min:.0f} min left"
        return f"{done}; running: {going}" if going else done

    def left_s(self) -> float:
        """Return the seconds that all of it should yet take, by what each piece took here before.

        One that was never done here takes the mean of those that have ended or run.
        """
        now = time.monotonic()
        spent = [row.seconds for row in self.rows]
        spent += [now - began for _, _, began in self.running.values()]
        usual_s = max(UNKNOWN_S, sum(spent) / len(spent) if spent else 0.0)
        parts = [_expected_s(piece, usual_s) for piece in self.waiting]
        for piece, _, began in self.running.values():
            parts.append(max(0.0, _expected_s(piece, usual_s) - (now - began)))
        return max(sum(parts) / self.at_once, max(parts, default=0.0))

    def _row_file(self, piece: Piece) -> Path:
        return self.folder / f"{piece.file}.json"

    def _interrupt(self) -> None:
        for _, process, _ in self.running.values():
            with suppress(ProcessLookupError):
                if process.pid is not None:
                    os.kill(process.pid, signal.SIGINT)
        for _, process, _ in self.running.values():
            process.join()


def _expected_s(piece: Piece, usual_s: float) -> float:
    known_s = expected_s(piece.step)
    return usual_s if known_s is None else known_s


def _cut(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _do(piece: Piece, row_file: Path, transcript: Path) -> None:
    signal.signal(signal.SIGINT, _cut)  # What runs in the background ignores it otherwise.
    try:
        keep(piece.done(transcript), row_file)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_STATUS)
