# SPDX-License-Identifier: BSD-3-Clause
"""Finds what a user asks about in a results folder, with its cycle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown

from firesim.report.results import Results
from firesim.timeline.events import EventFile, read_events
from firesim.topology.describe import CONSOLE_LOG, PRINTS_LOG
from firesim.why.drops import find_drop
from firesim.why.wanted import PANIC, Cause, Wanted

CONSOLE_EVENTS = "uart.events"
_ASSERT = re.compile(r"assert failed in cycle (\d+): '(?P<text>.*)' at (?P<source>\S+)$", re.DOTALL)
_PRINT = re.compile(rb"(\d{1,19}): (.*)")


def find(results: Results, wanted: Wanted) -> Cause | None:
    """Return the event that is asked about; None if the files of this run do not tell its cycle.

    Raises:
        InputError: nothing of the kind has happened, or there is no such node or switch.
    """
    names = [str(node["name"]) for node in results.description.get("nodes", [])]
    if wanted.node is not None and wanted.node not in names:
        raise InputError(f"why: {unknown(wanted.node, 'one of the nodes', names)}")
    chosen = names if wanted.node is None else [wanted.node]
    if wanted.kind == "drop":
        return find_drop(results, wanted)
    if wanted.kind == "at":
        return _at(results, wanted, chosen)
    if wanted.kind == "assert":
        return _of_assert(results, chosen)
    if wanted.kind == "print":
        return _of_text(results, chosen, wanted.text, wanted.nth)
    if wanted.kind == "panic":
        return _of_text(results, chosen, PANIC, 1)
    return _first(results, chosen)


def _at(results: Results, wanted: Wanted, chosen: Sequence[str]) -> Cause:
    end = int((results.result or {}).get("end_cycle", 0))
    begin = results.start_cycle
    if not begin <= wanted.cycle < end:
        raise InputError(
            f"why: found --at {wanted.cycle:,}, expected a cycle of the run: {begin:,} to "
            f"{end - 1:,}."
        )
    return Cause(f"cycle {wanted.cycle:,}", wanted.cycle, chosen[0])


def _first(results: Results, chosen: Sequence[str]) -> Cause | None:
    """Return what went wrong first: an assert, a panic, a node that failed."""
    if asserts := _asserts(results, chosen):
        return asserts[0]
    count, panics = _lines(results, chosen, PANIC)
    if count:
        return _nth(panics, 1)
    failed = [node for node in _ended(results, chosen) if node.get("exit_code")]
    if not failed:
        raise InputError(
            f"why: found no failed node in {results.folder}, expected what is asked about: "
            "--print TEXT, --drop SWITCH or --at CYCLE."
        )
    first = min(failed, key=lambda node: int(node["ended_at_cycle"]))
    name, cycle = str(first["name"]), int(first["ended_at_cycle"])
    message = first.get("message") or f"{name} ended with exit code {first['exit_code']}"
    return Cause(str(message), cycle, name)


def _ended(results: Results, chosen: Sequence[str]) -> Iterator[dict[str, Any]]:
    for node in (results.result or {}).get("nodes", []):
        if node.get("name") in chosen and node.get("ended_at_cycle") is not None:
            yield node


def _asserts(results: Results, chosen: Sequence[str]) -> list[Cause]:
    found = []
    for node in _ended(results, chosen):
        if match := _ASSERT.search(str(node.get("message") or "")):
            what = f"assert failed: {match['text']}"
            found.append(Cause(what, int(match[1]), str(node["name"]), match["source"]))
    return sorted(found, key=lambda cause: cause.cycle)


def _of_assert(results: Results, chosen: Sequence[str]) -> Cause:
    if found := _asserts(results, chosen):
        return found[0]
    raise InputError(f"why: found no failed assert in {results.folder}, expected one.")


def _of_text(results: Results, chosen: Sequence[str], text: str, nth: int) -> Cause | None:
    count, causes = _lines(results, chosen, text)
    if count < nth:
        raise InputError(
            f'why: found {count or "no"} lines with "{text}" in consoles and prints of '
            f"{', '.join(chosen[:4])}{' …' if len(chosen) > 4 else ''}, expected at least {nth}."
        )
    return _nth(causes, nth)


def _nth(causes: list[Cause] | None, nth: int) -> Cause | None:
    if causes is None or len(causes) < nth:
        return None
    return sorted(causes, key=lambda cause: cause.cycle)[nth - 1]


def _lines(results: Results, chosen: Sequence[str], text: str) -> tuple[int, list[Cause] | None]:
    """Return how many lines of consoles and prints have a text, and the lines with their cycles.

    These are None where a console has one and nobody kept its cycles: only a timeline does.
    """
    wanted, count, causes, is_known = text.encode(), 0, list[Cause](), True
    for name in chosen:
        folder = results.folder / name
        printed = [Cause(line, cycle, name) for cycle, line in prints(folder) if text in line]
        logged = sum(wanted in line for line in _bytes(folder / CONSOLE_LOG).splitlines())
        count += len(printed) + logged
        causes += printed
        if logged:
            lines = console_lines(folder)
            is_known = is_known and lines is not None
            causes += [Cause(line, cycle, name) for cycle, line in lines or [] if text in line]
    return count, causes if is_known else None


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def prints(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield what the RTL of a node has printed, with its cycles."""
    for line in _bytes(folder / PRINTS_LOG).splitlines():
        if match := _PRINT.match(line):
            yield int(match[1]), match[2].decode(errors="replace")


def console_lines(folder: Path) -> list[tuple[int, str]] | None:
    """Return the lines of a node's console with the cycles of their ends, None if not kept."""
    file = folder / CONSOLE_EVENTS
    if not file.is_file():
        return None
    found = EventFile()
    events = list(read_events(file, found, f"{folder.name}/{file.name}"))
    return [(event.begin, found.names[event.name].text) for event in events]
