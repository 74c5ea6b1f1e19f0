# SPDX-License-Identifier: BSD-3-Clause
"""The last step: a run is watched to its end, and what came of it is put together."""

from __future__ import annotations

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console

from firesim.pipeline.beside import Beside, completed
from firesim.pipeline.start import Ready, start
from firesim.results.outcome import Outcome
from firesim.results.outputs import collect_outputs
from firesim.results.pause_circle import pause_circle
from firesim.topology.describe import CONTROL_SOCKET
from firesim.watch.status import StatusReader
from firesim.watch.watch import Watch
from firesim.work.folder import FULL_BYTES, note_begun, release_reserve, release_rooms, write_json
from firesim.work.process import how_it_ended
from firesim.work.process_tree import ended_by_signals

BAD_DESCRIPTION = 2
"""Exit status of firesim-sim for a description that it refuses."""


class _Held:
    """Holds back what would interrupt, so that what is being started is known when it comes."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self, holds: bool) -> None:
        self.holds = holds
        self.seen = False
        self.old: dict[int, Any] = {}

    def __enter__(self) -> _Held:
        if self.holds and threading.current_thread() is threading.main_thread():
            self.old = {number: signal.signal(number, self._note) for number in self.NUMBERS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, previous in self.old.items():
            signal.signal(number, previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.seen = True

    def let_through(self) -> None:
        """Interrupt now, if anything would have."""
        if self.seen:
            raise KeyboardInterrupt


def collect(ready: Ready, console: Console, beside: Beside | None = None) -> Outcome:
    """Start a run, watch it to its end and return what came of it; the report is not written here.

    See `run` for `beside`.

    Raises:
        InputError: they cannot be started; nothing runs.
    """
    try:
        if beside is not None and threading.current_thread() is threading.main_thread():
            return _apart(lambda: _followed(ready, console, beside), beside)
        return _followed(ready, console, beside)
    finally:
        if ready.metrics is not None and beside is not None:
            ready.metrics.close()
        with suppress(OSError):
            release_rooms(ready.folder)


def _apart(follow: Callable[[], Outcome], beside: Beside) -> Outcome:
    """Follow a run in a thread of its own, where no KeyboardInterrupt comes.

    Else one that came while a simulator was being started would leave it, known to nobody; and a
    run beside others sets no handler that could hold it back.
    """
    outcome: Future[Outcome] = Future()
    begun = threading.Lock()

    def work() -> None:
        if begun.acquire(blocking=False):
            try:
                outcome.set_result(follow())
            except BaseException as error:
                outcome.set_exception(error)

    while True:
        try:
            if not begun.locked():  # It may come here, too: then a second thread finds that out.
                threading.Thread(target=work, name="firesim run").start()
            return next(completed([outcome])).result()
        except KeyboardInterrupt:
            beside.stopped.set()
            if outcome.done():
                raise


def _followed(ready: Ready, console: Console, beside: Beside | None) -> Outcome:
    plan, folder = ready.plan, ready.folder
    interrupted = False
    watch: Watch | None = None
    began_s = time.monotonic()
    with ended_by_signals() if beside is None else nullcontext():
        with _Held(beside is None) as held:
            simulator = start(ready)
        try:
            held.let_through()
            note_begun(folder)
            watch = Watch(plan, folder, ready.start_cycle, simulator, ready.metrics)
            watch.to_the_end(console, beside.check if beside else None)
            status = simulator.wait()
            watch.say_news(console)
        except KeyboardInterrupt:
            interrupted = True
            status = simulator.stop()
        except BaseException:
            simulator.stop()
            raise
        finally:
            is_full = _disk_is_full(folder)
    words = simulator.last_words()
    if is_full:
        words = f"{words} (the disk that holds {folder} is full)".strip()
    unended = simulator.unended
    result = _result(folder, status, interrupted, time.monotonic() - began_s, words, unended)
    if circle := pause_circle(plan, result):
        result["message"] = f"{result['message']}; pauses wait in a circle: {' → '.join(circle)}"
        with suppress(OSError):
            write_json(folder / "result.json", result)
    with suppress(OSError):  # A full disk: what was sent is still in the console's log.
        collect_outputs(plan, folder)
    if watch is not None:
        watch.over()
    exit_status = _exit_status(status, interrupted)
    # Who was lost to the others, but not to us, is taken for lost as well.
    lost = [] if interrupted else simulator.lost() or result.get("lost", [])
    return Outcome(folder, plan, exit_status, result, ready.start_cycle, lost)


def _disk_is_full(folder: Path) -> bool:
    """Return whether the disk of the results was full, and make it a little less so."""
    is_full = False
    with suppress(OSError):
        is_full = shutil.disk_usage(folder).free < FULL_BYTES
        release_reserve(folder)
        # Left behind by a simulator that was killed.
        (folder / CONTROL_SOCKET).unlink(missing_ok=True)
    return is_full


def _exit_status(status: int, interrupted: bool) -> int:
    if interrupted:
        return 130
    return status if status in (0, 1, 2, 3, 130) else 3


def _result(
    folder: Path, status: int, interrupted: bool, wall_s: float, words: str, unended: str
) -> dict[str, Any]:
    """Return result.json, or write one in the simulator's place when it left none."""
    file = folder / "result.json"
    try:
        value = json.loads(file.read_text())
        if isinstance(value, dict):
            return value
    except (OSError, ValueError):
        pass
    reader = StatusReader(folder / "status.jsonl")
    last = reader.update()
    message = f"firesim-sim ended with {how_it_ended(status)} before it wrote its results"
    if unended:
        message = unended
    elif words and status == BAD_DESCRIPTION:
        message = words  # A whole sentence about something that only the model itself knows.
    elif words:
        message += f"; its last line was: {words}"
    result: dict[str, Any] = {
        "reason": "interrupted" if interrupted else "error",
        "message": message,
        "end_cycle": last.cycle if last else 0,
        "token_hash": "",
        "wall_s": round(wall_s, 3),
        "cpu_s": 0,
        "nodes": [],
        "links": [],
    }
    try:
        write_json(file, result)
    except OSError as error:
        result["message"] += f"; and result.json cannot be written: {error.strerror}"
    return result
