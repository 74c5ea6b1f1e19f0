# SPDX-License-Identifier: BSD-3-Clause
"""Part of the pass `clocks`: events that are counted at the edges of a slower clock.

In: events of the request that name a clock. Out: for each whose clock does not rise in every cycle,
a wire that is 1 in those in which it does, which the pass `instrument` counts with.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.errors import GoldenGateError, nearest
from goldengate.state import Event, State, public

_KEEP = public("keep")


def wire_name(index: int) -> Any:
    """Return the name of the wire of the event of this number; no name of a user's is like it."""
    return ys.IdString(f"$firesim$edges${index}")


def named(state: State) -> list[tuple[Event, Any]]:
    """Return the events that name a clock, each with that signal.

    Raises:
        GoldenGateError: the design has no such wire of one bit.
    """
    found = []
    for event in dict.fromkeys(state.request.events):  # `instrument` refuses one given twice
        if not event.clock:
            continue
        wire = state.module.wire(public(event.clock.removeprefix(f"{state.request.top}.")))
        if wire is None or wire.width != 1:
            raise GoldenGateError(
                f"event '{event.name}': the design has no clock '{event.clock}'"
                f"{nearest(event.clock, state.signals)}."
            )
        found.append((event, ys.SigSpec(wire)))
    return found


def add_edges(state: State, event: Event, clock: Any, enable: Any, always: Any) -> None:
    """Keep the bit that is 1 where an event's clock rises, unless it is the bit `always`.

    The clock itself need not be kept any more.

    Raises:
        GoldenGateError: it is not known where the clock rises.
    """
    if enable is None:
        raise GoldenGateError(
            f"event '{event.name}': found the clock '{event.clock}', expected "
            f"'{state.request.clock}', directly, with a ratio or through clock gates."
        )
    clock.as_wire().set_bool_attribute(_KEEP, False)
    if enable == always:
        return
    wire = state.module.addWire(wire_name(state.request.events.index(event)), 1)
    wire.set_bool_attribute(_KEEP, True)
    state.module.connect(ys.SigSpec(wire), ys.SigSpec(enable, 1))
