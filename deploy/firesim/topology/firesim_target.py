# SPDX-License-Identifier: BSD-3-Clause
"""What the annotations of a FireSim target say: of its bridges, and of counters in its hardware.

Names of annotations and their fields are those of FireSim 1.17 to 1.20 and of its main branch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from firesim_common.errors import unknown

from firesim.topology.counted_event import CountedEvent
from firesim.topology.firrtl_text import Box, FirrtlText, Port

TRACE = "TracerVBridge"
_TRACE_WIDTH = re.compile(rf"{TRACE}_(\d+)Wide")
CLOCKS, RESET, UART, DISK, NIC, MEMORY, TSI = (
    "RationalClockBridge",
    "ResetPulseBridge",
    "UARTBridge",
    "BlockDevBridge",
    "NICBridge",
    "FASEDBridge",
    "TSIBridge",
)
PLUSARG, END, GROUND_TEST = "PlusArgsBridge", "TerminationBridge", "GroundTestBridge"
SERIAL = "SerialBridge"
"""TSI until FireSim 1.16."""
DEBUG = "DMIBridge"
"""The host at the debug module, in designs without TSI; in others the host is at TSI."""
TAKEN = frozenset(
    {CLOCKS, RESET, UART, DISK, NIC, MEMORY, TSI, SERIAL, DEBUG, PLUSARG, END, GROUND_TEST}
)
"""Bridges with a part of ours, beside traces."""
IDLE = frozenset({"PeekPokeBridge"})
"""Bridges that stand for FireSim's own machinery: nothing is lost without them."""
LEFT_OUT = frozenset({"CospikeBridge", "DromajoBridge", "CTCBridge"})
_COUNTER = "AutoCounterFirrtlAnnotation"
_ROOT = re.compile(r"[.\[]")
_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Bridge:
    """A bridge of a FireSim target: a black box of its FIRRTL."""

    ident: str
    """Its name in the FIRRTL."""
    kind: str
    """Its name in Verilog, such as UARTBridge."""
    ports: tuple[Port, ...]
    key: Mapping[str, Any]
    """What its annotation says of it."""
    is_idle: bool = False
    """Whether another one does in our simulation what it is for."""

    @property
    def is_taken(self) -> bool:
        """Whether it has a part of ours."""
        return not self.is_idle and (self.kind in TAKEN or trace_width(self.kind) is not None)


@dataclass(frozen=True)
class Counters:
    """Counters that are in the hardware by annotations."""

    events: tuple[CountedEvent, ...] = ()
    targets: tuple[str, ...] = ()
    """Wires of the FIRRTL that have to stay for them."""
    left_out: tuple[str, ...] = field(default=())
    """Labels of those without a counterpart."""


def trace_width(kind: str) -> int | None:
    """Return how many commits a cycle a trace bridge has, None for another bridge."""
    found = _TRACE_WIDTH.match(kind)
    return int(found[1]) if found else None


def bridges_of(text: FirrtlText, annotations: Sequence[Mapping[str, Any]]) -> tuple[Bridge, ...]:
    """Return the bridges that are instantiated, in the order of the text.

    Raises:
        ValueError: an annotation makes a bridge of a module that is none that is known here.
    """
    used = text.counts()
    keys = {
        _local(one["target"]): one.get("widgetConstructorKey") or {}
        for one in annotations
        if str(one.get("class", "")).endswith(".BridgeAnnotation") and "target" in one
    }
    for ident in keys:
        box = text.boxes.get(ident)
        if box is None and ident not in text.modules and ident.isidentifier():
            raise ValueError(
                f'found an annotation of the bridge "{ident}", expected one of a module of the '
                f"text: it has none of this name."
            )
        if used[ident] and (box is None or not _is_bridge(box)):
            known = sorted((TAKEN | IDLE | LEFT_OUT) - {SERIAL})
            name = ident if box is None else box.name
            raise ValueError(unknown(name, "one of the bridges", known))
    boxes = [box for box in text.boxes.values() if used[box.ident] and _is_bridge(box)]
    idle = IDLE | ({DEBUG} if any(box.name in (TSI, SERIAL) for box in boxes) else set())
    return tuple(
        Bridge(box.ident, box.name, tuple(box.ports), keys.get(box.ident, {}), box.name in idle)
        for box in boxes
    )


def _is_bridge(box: Box) -> bool:
    known = TAKEN | IDLE | LEFT_OUT
    return box.name in known or trace_width(box.name) is not None


def _local(target: str) -> str:
    """Return the module of a target such as "~FireSim|UARTBridge_1" or "~|UARTBridge_1"."""
    return target.rpartition("|")[2].partition(">")[0]


def counted_modules(annotations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the modules that counters and sources of triggers are in."""
    for one in annotations:
        if _is_counter(one) or is_source(one):
            yield _local(str(one.get("target", "")))


def is_source(annotation: Mapping[str, Any]) -> bool:
    """Tell whether an annotation makes a wire begin or end the time in which triggers are on."""
    return str(annotation.get("class", "")).endswith(".TriggerSourceAnnotation")


def is_sink(annotation: Mapping[str, Any]) -> bool:
    """Tell whether an annotation makes a wire that is 1 in that time."""
    return str(annotation.get("class", "")).endswith(".TriggerSinkAnnotation")


def wires_of(text: FirrtlText, target: str, what: str, top: str, below: str) -> list[str]:
    """Return the paths of a wire of the text, one for each instance of its module, sorted.

    `what` is what an annotation makes of it, `below` goes before the paths ("target.").

    Raises:
        ValueError: the text has no such wire.
    """
    module, _, wire = target.rpartition("|")[2].partition(">")
    expected = "expected a wire of a module of the text"
    if module not in text.modules and module not in text.boxes:
        raise ValueError(
            f'found {what} "{target}", {expected}: it has no module {module or "of this name"}.'
        )
    root = _ROOT.split(wire)[0]
    if root not in text.names.get(module, {root}):
        raise ValueError(
            f'found {what} "{target}", {expected}: {module} has no {root or "wire of this name"}.'
        )
    paths = sorted(text.paths(top, module))
    return [f"{below}{path}{'.' if path else ''}{wire}" for path in paths]


def _is_counter(annotation: Mapping[str, Any]) -> bool:
    is_one = str(annotation.get("class", "")).endswith(f".{_COUNTER}")
    return is_one and not annotation.get("coverGenerated")


def counters_of(
    text: FirrtlText,
    annotations: Iterable[Mapping[str, Any]],
    top: str,
    below: str,
    has_clocks: bool = False,
) -> Counters:
    """Return the counters of a design; `below` goes before the paths of wires ("target.").

    Where it `has_clocks` of several rates, each counts at the edges of its own.

    Raises:
        ValueError: one counts a wire, or in a module, that is not there.
    """
    events: list[CountedEvent] = []
    targets, left_out = [], []
    for one in annotations:
        if not _is_counter(one):
            continue
        label, target = str(one.get("label", "counter")), str(one.get("target", ""))
        kind = one.get("opType") or {}
        if "Identity" in str(kind.get("class", "") if isinstance(kind, Mapping) else kind):
            left_out.append(label)
            continue
        signals = wires_of(text, target, f'the counter "{label}" of', top, below)
        targets.append(target)
        clocks = [""] * len(signals)
        if has_clocks and (clock := str(one.get("clock") or "")):
            clocks = wires_of(text, clock, f'the clock of counter "{label}",', top, below)
            targets.append(clock)
            if len(clocks) != len(signals):
                raise ValueError(
                    f'found the clock "{clock}" of the counter "{label}", expected one in the '
                    f"module of the wire that it counts."
                )
        for index, signal in enumerate(signals):
            number = f"_{index}" if len(signals) > 1 else ""
            name = _WORD.sub("_", label).strip("_") + number
            meaning = str(one.get("description", "")) or label
            events.append(CountedEvent(name, signal, meaning, clock=clocks[index]))
    return Counters(tuple(events), tuple(targets), tuple(left_out))


def clock_periods(key: Mapping[str, Any]) -> list[int]:
    """Return periods, in units of any length, of the clocks that a clock bridge makes."""
    clocks = key.get("clocks") or []
    ratios = [(int(one.get("multiplier", 1)), int(one.get("divisor", 1))) for one in clocks]
    whole = 1
    for multiplier, _ in ratios:
        whole *= multiplier
    return [whole * divisor // multiplier for multiplier, divisor in ratios]


def slower_clocks(bridges: Iterable[Bridge]) -> list[Fraction]:
    """Return the shares of the fastest clock's edges that others have, the largest first."""
    periods = {
        period
        for bridge in bridges
        if bridge.kind == CLOCKS
        for period in clock_periods(bridge.key)
    }
    return [Fraction(min(periods), period) for period in sorted(periods)[1:]]


def option_parameters(bridge: Bridge) -> dict[str, str]:
    """Return what a bridge for an option says as a plusarg_reader would; nothing of another."""
    if bridge.kind != PLUSARG or "name" not in bridge.key:
        return {}
    bits = next((port.bits for port in bridge.ports if port.is_output), 1)
    default = str(bridge.key.get("default", 0))
    return {"FORMAT": str(bridge.key["name"]), "DEFAULT": default, "WIDTH": str(bits)}


def memory_ranges(key: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return base and size in bytes of the ranges that a FASED instance answers for."""
    edge = key.get("axi4Edge") or {}
    return [(int(one["base"]), int(one["mask"]) + 1) for one in edge.get("address") or []]


def decisions(bridges: Sequence[Bridge], counters: Counters) -> Iterator[str]:
    """Say in lines what became of bridges and counters."""
    taken = sorted({bridge.kind for bridge in bridges if bridge.is_taken})
    if taken:
        yield f"FireSim's parts in place of {', '.join(taken)}"
    if slower := slower_clocks(bridges):
        yield f"clocks: the fastest, and {', '.join(map(str, slower))} of its edges"
    if any(bridge.kind == DEBUG and bridge.is_idle for bridge in bridges):
        yield f"{DEBUG} is open at its end: the host is at the other link"
    for kind in sorted({bridge.kind for bridge in bridges} & LEFT_OUT):
        yield f"{kind} has no counterpart: what it gives the target is 0"
    if counters.events:
        yield f"counters of annotations: {', '.join(event.name for event in counters.events)}"
    if counters.left_out:
        labels = ", ".join(counters.left_out)
        yield f"counters that show a value, which have no counterpart: {labels}"
