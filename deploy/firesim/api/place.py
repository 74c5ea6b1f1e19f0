# SPDX-License-Identifier: BSD-3-Clause
"""The line of the user's program that an error points at."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)


def callers_place() -> str:
    """Return "file:line" of the call that came from outside of the API."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
