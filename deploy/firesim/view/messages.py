# SPDX-License-Identifier: BSD-3-Clause
"""The messages with which a page acts on a simulation: their shapes and their bounds."""

from __future__ import annotations

from typing import Annotated, TypeVar

from firesim_common.errors import InputError
from firesim_common.json_text import parsed
from pydantic import BaseModel, ConfigDict, Field, ValidationError

MOST_BYTES = 16 * 1024
"""Of one message."""
MOST_TYPED = 4096
"""Characters typed at once."""
MOST_NAME = 256
"""Characters of a name, or of a signal's."""
MOST_SIGNALS, MOST_CYCLES = 16, 16
"""Looked at in one go."""

_Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
M = TypeVar("M", bound="Message")


class Message(BaseModel):
    """What all have in common: these keys, of these kinds, and no others."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Typed(Message):
    """Text for the console of a node."""

    node: _Name
    text: Annotated[str, Field(min_length=1, max_length=MOST_TYPED)]


class TakeSnapshot(Message):
    """A name for a snapshot of the run as it is now."""

    name: _Name


class Peeked(Message):
    """Signals of a node whose values in some cycles are wanted."""

    node: _Name
    signals: Annotated[list[_Name], Field(min_length=1, max_length=MOST_SIGNALS)]
    cycles: Annotated[
        list[Annotated[int, Field(ge=0, lt=2**63)]], Field(min_length=1, max_length=MOST_CYCLES)
    ]


class Sought(Message):
    """Texts that the names of a node's signals have to hold."""

    node: _Name
    texts: Annotated[list[_Name], Field(min_length=1, max_length=MOST_SIGNALS)]


def message(shape: type[M], body: bytes) -> M:
    """Return a message that was sent.

    Raises:
        InputError: it is no JSON, or has another shape.
    """
    try:
        return shape.model_validate(parsed(body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "message"
        raise InputError(f"{where}: {first['msg']}.") from error
    except ValueError as error:
        raise InputError("found no whole JSON, expected a message.") from error
