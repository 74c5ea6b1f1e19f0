# SPDX-License-Identifier: BSD-3-Clause
"""Triggers that are in the hardware of a FireSim target by annotations: events that begin and end.

Wires annotated as credits begin the time in which triggers are on, debits end it. Here they are two
events, each of all wires of its kind, by which counters open and close their window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firesim.topology.counted_event import CountedEvent
from firesim.topology.firesim_target import is_sink, is_source, wires_of
from firesim.topology.firrtl_text import FirrtlText

START, END = "trigger_start", "trigger_end"


@dataclass(frozen=True)
class Triggers:
    """What triggers say."""

    events: tuple[CountedEvent, ...] = ()
    targets: tuple[str, ...] = ()
    """Wires of the FIRRTL that have to stay for them."""
    sinks: int = 0
    """Wires that would be 1 while triggers are on, and keep what their RTL gives them."""

    def lines(self) -> list[str]:
        """Say it for people."""
        found = []
        if self.events:
            names = " and ".join(event.name for event in self.events)
            found.append(f"triggers of annotations are the events {names}")
        if self.sinks:
            found.append(
                f"{self.sinks} sinks of triggers keep their defaults: triggers are for counters"
            )
        return found


def triggers_of(
    text: FirrtlText, annotations: Sequence[dict[str, Any]], top: str, below: str
) -> Triggers:
    """Return the triggers of a design; `below` goes before the paths of wires ("target.").

    Raises:
        ValueError: one is about a wire, or a module, that is not there.
    """
    targets: list[str] = []
    conditions: dict[str, list[str]] = {START: [], END: []}
    for one in filter(is_source, annotations):
        target, reset = str(one.get("target", "")), one.get("reset")
        signals = wires_of(text, target, "a trigger of", top, below)
        resets = wires_of(text, str(reset), "the reset of a trigger,", top, below) if reset else []
        targets += [target, *([str(reset)] if reset else [])]
        kind = START if one.get("sourceType") else END
        for index, signal in enumerate(signals):
            masked = f" && !{resets[index]}" if index < len(resets) else ""
            conditions[kind].append(f"({signal}{masked})")
    events = tuple(
        CountedEvent(name, "", f"wires annotated as {what} of triggers", False, " || ".join(found))
        for (name, found), what in zip(conditions.items(), ("credits", "debits"), strict=True)
        if found
    )
    return Triggers(events, tuple(targets), sum(map(is_sink, annotations)))
