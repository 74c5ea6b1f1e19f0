# SPDX-License-Identifier: BSD-3-Clause
"""Events of a blade, as its file and the `part.yaml` of its SoC list them, and of each hart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal

from firesim_common.base import Strict
from firesim_common.positions import KeyPath, Source
from pydantic import StringConstraints, model_validator

from firesim.config.event_source import Expression, check_one_source
from firesim.topology.counted_event import CountedEvent

_HART = re.compile(r"\{(?:tile|hart)\}")

EventName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]


class BladeEvent(Strict):
    """A wire of the design whose ones AutoCounter counts, or a vector whose values it counts."""

    name: EventName
    """Name of the counter; with for_each "hart", "hart<n>_" is put before it."""
    signal: str | None = None
    """Path of a one-bit wire below the top; {hart} is the hart's number, {tile} its tile. For a
    histogram it has at most 6 bits."""
    expression: Expression | None = None
    """Instead of a signal: a SystemVerilog expression over wires, each by its path below the top,
    with {hart} and {tile} in them. All are unsigned: $signed(a.b) makes a value signed."""
    description: str
    """What one count means, for people."""
    for_each: Literal["hart"] | None = None
    """Make one counter for each hart."""
    histogram: bool = False
    """Count for each value of the signal the cycles in which it has it, as NAME[VALUE]."""

    @model_validator(mode="after")
    def one_source(self) -> BladeEvent:
        check_one_source(self.signal, self.expression)
        return self

    @property
    def source(self) -> str:
        """What is counted, as it was written."""
        return self.signal or self.expression or ""


def check_events(events: list[BladeEvent], source: Source) -> None:
    """Check the names and signals of the list at the key `events`.

    Raises:
        InputError: a name given twice, or braces that do not fit for_each.
    """
    for index, event in enumerate(events):
        kind = "signal" if event.signal is not None else "expression"
        path: KeyPath = ("events", index, kind)
        others = _HART.sub("", event.signal or "")  # Verilog has braces of its own.
        if (event.for_each is None and _HART.search(event.source)) or set("{}") & set(others):
            where = "" if event.for_each else " without for_each: hart"
            message = f'found "{event.source}", expected no braces{where}.'
            raise source.error(path, message)
        if event.for_each == "hart" and not _HART.search(event.source):
            message = f'found "{event.source}", expected {{tile}} or {{hart}} in it.'
            raise source.error(path, message)
        if event.name in [other.name for other in events[:index]]:
            message = f'found "{event.name}" twice, expected each name once.'
            raise source.error(("events", index, "name"), message)


def tile_name(hart: int) -> str:
    """Return the instance name of a hart's tile inside the system."""
    return f"tile_{hart}" if hart else "tile"


def of_hart(text: str, hart: int) -> str:
    """Return a path or an expression of this hart: its number and its tile for their names."""
    return text.replace("{tile}", tile_name(hart)).replace("{hart}", str(hart))


def events_of(events: Iterable[BladeEvent], harts: int) -> list[CountedEvent]:
    """Return the events of a blade, one for each hart where it asks for that."""
    found = []
    for event in events:
        if event.for_each is None:
            found.append(_event(event, event.name, event.description))
            continue
        for hart in range(harts):
            description = f"{event.description} (hart {hart})"
            found.append(_event(event, f"hart{hart}_{event.name}", description, hart))
    return found


def _event(event: BladeEvent, name: str, description: str, hart: int | None = None) -> CountedEvent:
    signal, expression = event.signal or "", event.expression or ""
    if hart is not None:
        signal, expression = of_hart(signal, hart), of_hart(expression, hart)
    return CountedEvent(name, signal, description, event.histogram, expression)
