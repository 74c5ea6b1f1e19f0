# SPDX-License-Identifier: BSD-3-Clause
"""Settings of captures: signals of a node around a trigger, as a logic analyser keeps them."""

from __future__ import annotations

from typing import Annotated, Literal

from firesim_common.base import Name, Strict
from firesim_common.errors import unknown
from pydantic import AfterValidator, Field, model_validator

from firesim.config.capture_depth import DEPTH_CYCLES

MOST_CYCLE = 2**48 - 2
"""What the ring's counter of cycles can be."""


def _depth(depth_cycles: int) -> int:
    from goldengate.capture import depth_problem

    if problem := depth_problem(depth_cycles):
        raise ValueError(problem)
    return depth_cycles


def _once(signals: list[str]) -> list[str]:
    for index, name in enumerate(signals):
        if name in signals[:index]:
            raise ValueError(f'found "{name}" twice, expected each signal once.')
    return signals


Signals = Annotated[list[str], Field(min_length=1), AfterValidator(_once)]
Depth = Annotated[int, AfterValidator(_depth)]
Number = Annotated[int, Field(ge=0)]


class Captured(Strict):
    """Signals that a design on an FPGA captures: a ring of block memory beside it."""

    signals: Signals
    """Wires and registers by hierarchical name, as soc.system.tile.core.wb_valid."""
    depth_cycles: Depth = DEPTH_CYCLES
    """Target cycles that are kept: a power of two, 16 to 65,536."""


class EndTrigger(Strict):
    """The last cycle of the node: of a failed assert, of its own end, or of the run's."""

    kind: Literal["end"] = "end"


class AtCycleTrigger(Strict):
    """A target cycle."""

    kind: Literal["cycle"]
    cycle: Annotated[int, Field(ge=0, le=MOST_CYCLE)]
    """Which."""


class ValueTrigger(Strict):
    """The first cycle after the blade's reset in which a captured signal has a value."""

    kind: Literal["value"]
    signal: str
    """One of `signals`."""
    value: Number
    """The value, such as 0x1f."""
    mask: Number | None = None
    """Bits of the signal that are compared (default all)."""


AnyTrigger = Annotated[EndTrigger | AtCycleTrigger | ValueTrigger, Field(discriminator="kind")]


def hardware_of(capture: Capture | None) -> Captured | None:
    """Return what a design has to have for a capture."""
    if capture is None:
        return None
    return Captured(signals=capture.signals, depth_cycles=capture.depth_cycles)


class Capture(Captured):
    """Signals of an RTL node around a trigger, as NODE/capture.fst; changes no target cycle.

    Without the trigger the last cycles of the node are kept. On an FPGA the bitstream decides which
    signals there are, and how many cycles at most.
    """

    node: Name
    """The node."""
    trigger: AnyTrigger = EndTrigger()
    """The cycle that it is about."""
    before_cycles: Number | None = None
    """Cycles kept before the trigger's (default: as many as there is room for)."""
    after_cycles: Number = 0
    """Cycles kept after it."""

    @property
    def kept_before_cycles(self) -> int:
        """Cycles kept before the trigger's."""
        given = self.before_cycles
        return self.depth_cycles - 1 - self.after_cycles if given is None else given

    @model_validator(mode="after")
    def _fits(self) -> Capture:
        wanted = (self.before_cycles or 0) + self.after_cycles + 1
        if wanted > self.depth_cycles:
            raise ValueError(
                f"found {wanted} cycles to keep, the trigger's among them, expected at most "
                f"depth_cycles ({self.depth_cycles})."
            )
        trigger = self.trigger
        if isinstance(trigger, ValueTrigger) and trigger.signal not in self.signals:
            text = unknown(trigger.signal, "trigger.signal to be one of signals", self.signals)
            raise ValueError(text)
        return self
