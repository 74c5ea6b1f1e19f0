# SPDX-License-Identifier: BSD-3-Clause
"""The interrupts of a blade's parts: which a part has beyond the first, and that none is shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firesim_common.positions import Source

from firesim.build.parts import CoprocessorPart, PeripheralPart, soc_part


def further(spec: PeripheralPart | CoprocessorPart, options: Mapping[str, int]) -> tuple[int, ...]:
    """Return the interrupts that a part with these options has beyond the first."""
    more = spec.more_interrupts if isinstance(spec, PeripheralPart) else None
    return tuple(more.sources[: options[more.option] - 1]) if more else ()


def described(numbers: Sequence[int]) -> dict[str, Any]:
    """Return the further interrupts as a part's description has them: nothing without any."""
    return {"more_interrupts": list(numbers)} if numbers else {}


def check_interrupts(parts: Sequence[tuple[str, Sequence[int]]], source: Source) -> None:
    """Refuse a number that the PLIC has not, or that two of the parts, by their names, have.

    Raises:
        InputError: there is one.
    """
    most = soc_part().interrupts
    for index, (name, numbers) in enumerate(parts):
        for number in numbers:
            if number > most:
                text = f"found interrupt {number}, expected 1 to {most}."
                raise source.error(("parts", index), text)
            for other, taken in parts[:index]:
                if number in taken:
                    text = f'found interrupt {number} at "{name}", which "{other}" has.'
                    raise source.error(("parts", index), text)
