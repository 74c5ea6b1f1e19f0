# SPDX-License-Identifier: BSD-3-Clause
"""What a replay told up to an event, against the run: consoles, prints, packets at switches."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from firesim_common.errors import InputError

from firesim.report.results import Results
from firesim.timeline.captures import CAPTURE, Seen, read_capture
from firesim.topology.describe import CONSOLE_LOG
from firesim.why.cause import find, prints
from firesim.why.packets import MOST_SEEN
from firesim.why.wanted import Cause, Wanted


def is_told(run: Results, end: int) -> bool:
    """Return whether a run has told anything before cycle `end` that a replay can be held to.

    A console counts as a whole: its lines have no cycles.
    """
    folders = _folders(run)
    if any(_console(folder) for folder in folders):
        return True
    if any(cycle < end for folder in folders for cycle, _ in prints(folder)):
        return True
    return any(seen.cycle < end for name in _switches(run) for seen in _packets(run, name))


def check_told(run: Results, replay: Results, end: int, cause: Cause, wanted: Wanted) -> str:
    """Compare a replay, which ended in cycle `end`, with the run; return what was compared.

    Raises:
        InputError: the replay told something else.
    """
    lines = packets = 0
    for old, new in zip(_folders(run), _folders(replay), strict=True):
        console = _console(new)
        _check(run, f"console of {old.name}", console in _console(old))
        both = [_before(prints(folder), replay.start_cycle, end) for folder in (old, new)]
        _check(run, f"print of {old.name}", both[0] == both[1])
        lines += console.count(b"\n") + len(both[1])
    for name in _switches(run):
        seen = [
            [one for one in _packets(side, name) if replay.start_cycle <= one.cycle < end]
            for side in (run, replay)
        ]
        _check(run, f"packet at {name}", seen[0] == seen[1])
        packets += len(seen[1])
    if wanted.kind not in ("at", "drop"):  # Which packets stay in a switch, only the end tells.
        _check(run, "event", find(replay, wanted) == cause)
    return f"up to cycle {end:,}: {lines:,} lines and {packets:,} packets are as recorded"


def _check(run: Results, what: str, same: bool) -> None:
    if not same:
        raise InputError(
            f"why: found another {what} in the replay of {run.folder}, expected that of the run: "
            "the files it was made of (recipe, software, hardware, this FireSim) have changed "
            "since."
        )


def _folders(results: Results) -> list[Path]:
    return [results.folder / str(node["name"]) for node in results.description.get("nodes", [])]


def _console(folder: Path) -> bytes:
    file = folder / CONSOLE_LOG
    return file.read_bytes() if file.is_file() else b""


def _before(lines: Iterable[tuple[int, str]], start: int, end: int) -> list[tuple[int, str]]:
    return [(cycle, line) for cycle, line in lines if start <= cycle < end]


def _switches(run: Results) -> list[str]:
    """Return the switches of which the run has captures of both directions."""
    return [
        str(one["name"])
        for one in run.description.get("switches", [])
        if not one.get("capture_side") and (run.folder / str(one["name"]) / CAPTURE).is_file()
    ]


def _packets(results: Results, switch: str) -> list[Seen]:
    file = results.folder / switch / CAPTURE
    return read_capture(file, switch, MOST_SEEN, f"{switch}/{CAPTURE}")[0]
