# SPDX-License-Identifier: BSD-3-Clause
"""Where the registers of a core are in its RTL: a file beside the core, or one that users name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from firesim_common.base import Strict
from firesim_common.errors import unknown
from firesim_common.explain import checked
from firesim_common.positions import read_yaml
from pydantic import Field

from firesim.build.cores import SIZES, Cores
from firesim.build.events import of_hart
from firesim.build.parts import PARTS, SOC
from firesim.build.registers import every

FILE = "registers.yaml"
ROCKET = PARTS / SOC / FILE
"""The map of the big cores of our own blades."""
_OF_SIZES = {"big": ROCKET, "small": PARTS / SOC / "registers-small.yaml"}
"""Those that there are, by the cores whose features and data cache they are for."""

Bit = Annotated[int, Field(ge=0, le=63)]
Count = Annotated[int, Field(ge=1, le=1 << 20)]


class Piece(Strict):
    """Some bits of a register of the architecture."""

    signal: str | None = None
    """A register of the RTL, or a row of a memory: `core.regs[3]`. {hart} is the number of the
    hart, {tile} the instance of its tile in our own blades."""
    bits: Annotated[int, Field(ge=1, le=64)] = 64
    """How many of its lowest bits are meant."""
    at: Bit = 0
    """Where the lowest one stands in the register of the architecture."""
    signed: bool = False
    """Whether all bits above repeat the highest one."""
    value: int = 0
    """What stands there always, in place of a signal."""


class Store(Strict):
    """A store whose instruction has retired and which waits for the data array: registers."""

    valid: str
    """Whether there is one."""
    address: str
    """Its address, of which the bits within a way count."""
    way: str | None = None
    """A bit for each way of the cache: where it goes. None in a cache of one way."""
    mask: str
    """A bit for each byte of the word that it changes."""
    data: list[str]
    """Its word of 8 bytes; of several registers the first one is lowest."""


class Leaves(Strict):
    """Which line's state ceases to be a newer one in a cycle: registers."""

    address: str
    """The line's address."""
    state: str
    """What the cache does with lines."""
    states: list[int]
    """Its values in a cycle in which the line's state may be changed."""


class Cache(Strict):
    """A write-back data cache in RTL, whose newest lines memory does not have."""

    tags: str
    """Memory with a row for each set: of each way its tag, as wide as there is room, and above it
    the line's state."""
    data: str
    """Memory with a row for each word of 8 bytes of each set: of each way its word."""
    sets: Count
    ways: Count
    line_bytes: Count
    state_bits: Count
    newer: list[int]
    """The states of lines that are newer than memory."""
    stores: list[Store] = Field(default_factory=list)
    """Where stores wait, the oldest first; at last where one is when its instruction commits."""
    leaves: Leaves | None = None
    """How a line leaves towards memory."""


class RegisterMap(Strict):
    """The map of one kind of core."""

    registers: dict[str, list[Piece]]
    """By the names of the RISC-V manuals: x1 to x31, CSRs, and priv, the privilege."""
    cache: Cache | None = None


def read_map(file: Path) -> RegisterMap:
    """Read a map.

    Raises:
        InputError: it is wrong; the message says where and what was expected.
    """
    source = read_yaml(file)
    made = checked(RegisterMap, source)
    names = every()
    for name, pieces in made.registers.items():
        if name not in names:
            raise source.error(("registers", name), unknown(name, "one of the registers", names))
        for index, piece in enumerate(pieces):
            if piece.signal is not None and "value" in piece.model_fields_set:
                text = f'found "{piece.signal}" and a value, expected one of them.'
                raise source.error(("registers", name, index), text)
    return made


def of_cores(cores: Cores) -> Path | None:
    """Return the map of the cores of a blade of ours, None when there is none for such cores."""

    def shape(one: Cores) -> tuple[object, ...]:
        return one.virtual_memory, one.fpu, one.dcache

    wanted = shape(cores)
    return next((file for size, file in _OF_SIZES.items() if shape(SIZES[size]) == wanted), None)


def of_harts(made: RegisterMap, harts: int) -> list[dict[str, Any]]:
    """Return the map as the simulator reads it: one entry a hart, braces filled in."""
    return [_of_hart(made.model_dump(exclude_none=True), hart) for hart in range(harts)]


def _of_hart(value: Any, hart: int) -> Any:
    if isinstance(value, str):
        return of_hart(value, hart)
    if isinstance(value, Mapping):
        return {key: _of_hart(each, hart) for key, each in value.items()}
    if isinstance(value, list):
        return [_of_hart(each, hart) for each in value]
    return value
