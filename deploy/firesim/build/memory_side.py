# SPDX-License-Identifier: BSD-3-Clause
"""Where a part that is a cache in front of memory has its newest data: a file beside the part."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from firesim_common.base import Strict
from firesim_common.errors import unknown
from firesim_common.explain import checked
from firesim_common.positions import read_yaml
from pydantic import Field

from firesim.build.register_map import RegisterMap, of_harts
from firesim.build.rtl_blade import BladePart

FILE = "memory.yaml"


class Misses(Strict):
    """Blocks on their way in; {part} is the part's name, {slot} a number from 0 on."""

    slots: str
    """The option of the part that says how many there can be."""
    filling: str
    """Register: not all of the block is there."""
    block: str
    """Register: its address without the lowest 6 bits."""
    way: str
    """Register: where it goes."""
    written: Annotated[list[str], Field(min_length=8, max_length=8)]
    """Registers, one for each word of the block: a bit for each byte that was written meanwhile."""
    evicting: str
    """Register: the block whose place it takes is still there."""
    victim: str
    """Register: the address of that block without the lowest 6 bits."""


class MemorySide(Strict):
    """A write-back cache with blocks of 64 bytes that is the only way to memory."""

    directory: str
    """Memory with a row for each set: of each way its tag, whether it is newer than memory, and
    whether there is a block."""
    data: str
    """Memory of words of 8 bytes, by way, set and word of the block."""
    misses: Misses


def described_map(made: RegisterMap, harts: int, parts: Iterable[BladePart]) -> dict[str, Any]:
    """Return the map of a node as the simulator reads it: of its harts, and of its parts.

    Raises:
        InputError: the file of a part is wrong.
    """
    return {"harts": of_harts(made, harts), "memory_side": of_parts(parts)}


def of_parts(parts: Iterable[BladePart]) -> list[dict[str, Any]]:
    """Return the memory-side caches among a blade's parts as the simulator reads them.

    Raises:
        InputError: a file is wrong; the message says where and what was expected.
    """
    return [_of_part(part) for part in parts if (part.folder / FILE).exists()]


def _of_part(part: BladePart) -> dict[str, Any]:
    made = _read(part.folder / FILE, part.options)
    miss = made.misses.model_dump(exclude={"slots"})
    return {
        "directory": _named(made.directory, part.name),
        "data": _named(made.data, part.name),
        "misses": [
            {key: _named(value, part.name, slot) for key, value in miss.items()}
            for slot in range(part.options[made.misses.slots])
        ],
    }


def _read(file: Path, options: dict[str, int]) -> MemorySide:
    source = read_yaml(file)
    made = checked(MemorySide, source)
    if made.misses.slots not in options:
        text = unknown(made.misses.slots, "one of the part's options", list(options))
        raise source.error(("misses", "slots"), text)
    return made


def _named(value: Any, part: str, slot: int = 0) -> Any:
    if isinstance(value, list):
        return [_named(each, part, slot) for each in value]
    return str(value).replace("{part}", part).replace("{slot}", str(slot))
