# SPDX-License-Identifier: BSD-3-Clause
"""JSON that may be anybody's into plain values, within limits.

Python's own reader ends a command by a stack trace on lists that lie deep within each other, and
takes numbers that nothing can be counted with. Who walks what comes from here meets neither.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from firesim_common.errors import InputError
from firesim_common.regular_file import read_regular

MOST_BYTES = 256 << 20
"""Of a file: a description of whole clusters has a tenth of that."""
_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
_MAYBE_TOO_LARGE = (b"0" * 19, b"0e000", b"0e+000")
"""What a number beyond 64 bits holds, with all digits alike: found many times faster than by a
regular expression, which begins at each digit."""


def parsed(text: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none, lies more than 200 levels deep, or has a number beyond 64 bits.
    """
    data = text.encode() if isinstance(text, str) else text
    value = from_json(data, allow_inf_nan=False)
    alike = data.translate(_ALIKE)
    if any(shape in alike for shape in _MAYBE_TOO_LARGE):
        _check_numbers(value)
    return value


def _check_numbers(value: Any) -> None:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, float) and not math.isfinite(one):
            raise ValueError("found a number that no computer has room for")
        elif isinstance(one, int) and not -(2**63) <= one < 2**64:
            raise ValueError("found a number beyond 64 bits")


def read_json(path: Path, most_bytes: int = MOST_BYTES) -> Any:
    """Return the value of a JSON file.

    Raises:
        InputError: no regular file, too large, or not JSON; one sentence that names it.
    """
    content, _ = read_regular(path, most_bytes, follow=True)
    try:
        return parsed(content)
    except ValueError as error:
        raise InputError(f"{path}: found no whole JSON, expected it: {error}.") from error
