# SPDX-License-Identifier: BSD-3-Clause
"""Writes the report of a run, and says so in one sentence when it cannot."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError
from rich.console import Console

from firesim.report.page import write_report
from firesim.timeline.write import has_timeline, write_timeline


def report_of(folder: Path, console: Console) -> Path | None:
    """Write report.html; return its path, or None when the disk is full or a file is missing.

    The timeline of a run that kept its events comes first, so that the report links it.
    """
    try:
        if has_timeline(folder):
            write_timeline(folder)
    except (OSError, InputError) as error:
        console.print(f"The timeline cannot be written: {error}", style="red", markup=False)
    try:
        return write_report(folder)
    except OSError as error:
        console.print(f"The report cannot be written: {error}.", style="red", markup=False)
        return None
