# SPDX-License-Identifier: BSD-3-Clause
"""What AutoCounter counts of a blade, with its paths made definite."""

from __future__ import annotations

from typing import NamedTuple


class CountedEvent(NamedTuple):
    """A wire of a design, or an expression over wires, in whose place the other text is empty."""

    name: str
    signal: str
    description: str
    histogram: bool = False
    """Whether each value of a vector is counted."""
    expression: str = ""
    clock: str = ""
    """The clock at whose edges it is counted; empty for every cycle."""
