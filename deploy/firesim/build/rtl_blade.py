# SPDX-License-Identifier: BSD-3-Clause
"""The blade files of `target-design/blades`: one YAML file describes one kind of server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from firesim.build.paths import ROOT
from firesim.config.base import Strict
from firesim.config.errors import InputError, unknown
from firesim.config.explain import explain
from firesim.config.positions import Source, read_yaml

BLADES = ROOT / "target-design" / "blades"

CYCLES_PER_TICK = 100
"""The SoC's real-time clock ticks every 100 target cycles."""

_ONE_PER_HART = r"[^{}]*\{(?:tile|hart)\}[^{}]*"

EventName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]


class Soc(Strict):
    """The processor half of a blade."""

    kind: Literal["rocket"]
    """The generator: Rocket Chip, wrapped in target-design/rocket."""
    cores: Annotated[int, Field(ge=1, le=8)]
    """Number of harts."""


class BladeEvent(Strict):
    """A wire of the design whose ones AutoCounter counts."""

    name: EventName
    """Name of the counter; with for_each "hart", "hart<n>_" is put before it."""
    signal: str
    """Path of a one-bit wire below the top; {hart} is the hart's number, {tile} its tile."""
    description: str
    """What one count means, for people."""
    for_each: Literal["hart"] | None = None
    """Make one counter for each hart."""


Peripheral = Literal["uart", "block_device", "nic", "finisher"]


class Blade(Strict):
    """One kind of server."""

    description: str
    """One line for people."""
    clock_hz: Annotated[int, Field(ge=1_000_000, le=4_294_967_200, multiple_of=CYCLES_PER_TICK)]
    """Nominal target clock; the time base is a hundredth of it."""
    soc: Soc
    """The SoC."""
    peripherals: list[Peripheral]
    """Devices software finds in the device tree."""
    bridges: list[str]
    """Keys of the bridge kinds the elaborated blade must hold, no more and no less."""
    events: list[BladeEvent] = Field(default_factory=list)
    """Core events; covers inside the peripherals are counted without being named here."""


@dataclass(frozen=True)
class Event:
    """A wire to count, with its path made definite."""

    name: str
    signal: str
    description: str


def blade_names() -> list[str]:
    """Return the names of all blade files, sorted."""
    return sorted(path.stem for path in BLADES.glob("*.yaml"))


def load_blade(name: str) -> Blade:
    """Read a blade file by its name.

    Raises:
        InputError: no such blade, or a bad value; the message says where and what was expected.
    """
    path = BLADES / f"{name}.yaml"
    if name not in blade_names():
        raise InputError(f"blade: {unknown(name, 'one of the blades', blade_names())}")
    return read_blade(path)


def read_blade(path: Path) -> Blade:
    """Read one blade file.

    Raises:
        InputError: a bad value; the message says where and what was expected.
    """
    shown = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    source = read_yaml(path, shown)
    try:
        blade = Blade.model_validate(source.data)
    except ValidationError as error:
        raise InputError(explain(error, Blade, source)) from error
    _check(blade, source)
    return blade


def _check(blade: Blade, source: Source) -> None:
    from goldengate.bridges import stock_bridges

    keys = [kind.key for kind in stock_bridges().values()]
    for index, bridge in enumerate(blade.bridges):
        if bridge not in keys:
            raise source.error(("bridges", index), unknown(bridge, "one of the bridges", keys))
    for key, values in (("peripherals", blade.peripherals), ("bridges", blade.bridges)):
        for index, value in enumerate(values):
            if value in values[:index]:
                raise source.error((key, index), f'found "{value}" twice, expected it once.')
    for index, event in enumerate(blade.events):
        path = ("events", index, "signal")
        if event.for_each is None and "{" in event.signal:
            message = f'found "{event.signal}", expected no braces without for_each: hart.'
            raise source.error(path, message)
        if event.for_each == "hart" and not re.fullmatch(_ONE_PER_HART, event.signal):
            message = f'found "{event.signal}", expected {{tile}} or {{hart}} in it once.'
            raise source.error(path, message)
        if event.name in [other.name for other in blade.events[:index]]:
            message = f'found "{event.name}" twice, expected each name once.'
            raise source.error(("events", index, "name"), message)


def tile_name(hart: int) -> str:
    """Return the instance name of a hart's tile inside the system."""
    return f"tile_{hart}" if hart else "tile"


def events_of(blade: Blade) -> list[Event]:
    """Return the blade's events, one for each hart where the blade asks for that."""
    events = []
    for event in blade.events:
        if event.for_each is None:
            events.append(Event(event.name, event.signal, event.description))
            continue
        for hart in range(blade.soc.cores):
            signal = event.signal.format(tile=tile_name(hart), hart=hart)
            description = f"{event.description} (hart {hart})"
            events.append(Event(f"hart{hart}_{event.name}", signal, description))
    return events
