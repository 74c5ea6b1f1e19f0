# SPDX-License-Identifier: BSD-3-Clause
"""What an event counts, in a recipe as in a blade file: a signal, or an expression."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

Expression = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
"""SystemVerilog over wires of the design."""


def check_one_source(signal: str | None, expression: str | None) -> None:
    """Check that an event has a signal or an expression.

    Raises:
        ValueError: it has both, or none.
    """
    if (signal is None) == (expression is None):
        found = "neither" if signal is None else "both"
        raise ValueError(f"found {found} of signal and expression, expected one of the two.")
