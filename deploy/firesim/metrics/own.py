# SPDX-License-Identifier: BSD-3-Clause
"""The user's own metrics in a results folder."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.json_text import read_json
from firesim_common.user_path import found_in

from firesim.metrics.expression import Expression, read_expression

FILE = "metrics.json"
"""In the results of a run that was given some: the text of each by its name."""
MOST_BYTES = 1 << 20


def read_own(folder: Path) -> dict[str, Expression]:
    """Return the metrics that a run was given, by name, as far as they can be read."""
    if not found_in(folder / FILE, folder):
        return {}
    found: dict[str, Expression] = {}
    try:
        for name, text in read_json(folder / FILE, MOST_BYTES).items():
            found[str(name)[:64]] = read_expression(str(text))
    except (InputError, AttributeError, ValueError):
        pass
    return found
