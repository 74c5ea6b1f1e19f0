# SPDX-License-Identifier: BSD-3-Clause
"""Pass `instrument`: covers and tapped wires become counters, asserts become bits of a vector.

In: `$check` cells (assert, assume, cover), calls of `$error`, `$finish` and the like, and the
request's events. Out: 64-bit ports `firesim_counter_<i>`, each the number of earlier cycles since
reset in which its event was 1, or a vector had one of its values; a port `firesim_assert` with a 1
for each assert that fails, and each `$finish` that is called, in this cycle, with a port
`firesim_assert_<i>` for the arguments of its text; and where a capture is asked for,
`firesim_capture`, its signals side by side. `$print` cells that the pass `prints` has left are
removed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyosys import libyosys as ys

from goldengate import capture
from goldengate.errors import GoldenGateError, nearest
from goldengate.passes import event_clocks, expressions
from goldengate.reset_graph import Fan
from goldengate.settled import MESSAGE
from goldengate.state import (
    Assertion,
    Counter,
    Event,
    State,
    bits_text,
    place_of,
    plain,
    public,
)
from goldengate.tasks.calls import FAIL, PRINT, Call
from goldengate.tasks.cells import call_of, path_of, text_of

ASSERT_PORT = "firesim_assert"
MOST_HISTOGRAM_BITS = 6
"""Each value has a counter of 64 bits."""


def _flavor(cell: Any) -> str:
    return str(cell.getParam(public("FLAVOR")).decode_string())


def _path_and_label(cell: Any) -> tuple[str, str]:
    """Return the path of the module that holds a check, and its label (may be empty)."""
    name = plain(cell.name)
    if name.startswith("$"):
        return path_of(cell), ""
    path, _, label = name.rpartition(".")
    return path, label


def _checks(state: State, flavors: set[str]) -> list[Any]:
    cells = [
        cell
        for cell in state.module.cells_.values()
        if plain(cell.type) == "$check" and _flavor(cell) in flavors
    ]
    return sorted(cells, key=lambda cell: (state.place(cell.get_src_attribute()), plain(cell.name)))


def _message(path: str, what: str) -> str:
    return f"{path}: {what or 'assert'}" if path else what or "assert"


def _assert_message(cell: Any) -> str:
    if cell.has_attribute(public(MESSAGE)):
        return str(cell.get_string_attribute(public(MESSAGE)))
    return _message(*_path_and_label(cell))


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate)
    return candidate


def _add_counter(state: State, event: Any) -> str:
    """Add a counter of the cycles in which the one-bit signal is 1; return its port name."""
    module = state.module
    request = state.request
    port = f"firesim_counter_{len(state.counters)}"
    count = state.add_output(port, 64)
    name = ys.IdString(f"$firesim$next${port}")
    following = module.addWire(name, 64)
    value = ys.SigSpec(count)
    one = ys.SigSpec(ys.Const(1, 64))
    module.addAdd(ys.IdString(f"$firesim$add${port}"), value, one, ys.SigSpec(following))
    module.addSdffe(
        ys.IdString(f"$firesim$count${port}"),
        ys.SigSpec(module.wire(public(request.clock))),
        event,
        ys.SigSpec(module.wire(public(request.reset))),
        ys.SigSpec(following),
        value,
        ys.Const(0, 64),
    )
    return port


def _signal(state: State, event: Event) -> Any:
    """Find the wire (or bit) an event names; a whole vector for a histogram."""
    if event.expression:
        return _value_of_expression(state, event)
    module = state.module
    prefix = state.request.top + "."
    for path in (event.signal, event.signal.removeprefix(prefix)):
        wire, bit = module.wire(public(path)), None
        match = re.fullmatch(r"(.*)\[(-?\d+)\]", path)
        if wire is None and match:
            wire, bit = module.wire(public(match[1])), int(match[2])
        if wire is None:
            continue
        if bit is None and event.histogram:
            if wire.width > MOST_HISTOGRAM_BITS:
                raise GoldenGateError(
                    f"event '{event.name}': signal '{path}' is {wire.width} bits wide, expected "
                    f"at most {MOST_HISTOGRAM_BITS} for a histogram."
                )
            return ys.SigSpec(wire)
        if bit is None and wire.width != 1:
            raise GoldenGateError(
                f"event '{event.name}': signal '{path}' is {wire.width} bits wide; name one bit, "
                f"as in '{path}[{wire.start_offset}]', or ask for a histogram of its values."
            )
        place = 0 if bit is None else place_of(wire, bit)
        if not 0 <= place < wire.width:
            first, last = wire.start_offset, wire.start_offset + wire.width - 1
            raise GoldenGateError(
                f"event '{event.name}': signal '{plain(wire.name)}' has bits {first} to {last}."
            )
        return ys.SigSpec(wire, place, 1)
    raise GoldenGateError(
        f"event '{event.name}': the design has no signal '{event.signal}'"
        f"{nearest(event.signal, state.signals)}."
    )


def _value_of_expression(state: State, event: Event) -> Any:
    wire = state.module.wire(expressions.wire_name(state.request.events.index(event)))
    most = MOST_HISTOGRAM_BITS if event.histogram else 1
    if wire.width > most:
        instead = "" if event.histogram else ", or a histogram of its values"
        raise GoldenGateError(
            f"event '{event.name}': expression '{event.expression}' is {wire.width} bits wide, "
            f"expected {'at most ' if event.histogram else ''}{most}{instead}."
        )
    return ys.SigSpec(wire)


def _at_edges(state: State, event: Event, held: Any) -> Any:
    """Return what is 1 where an event is, at the edges of its clock."""
    edges = state.module.wire(event_clocks.wire_name(state.request.events.index(event)))
    if edges is None:
        return held
    name = ys.IdString(f"$firesim$counted${len(state.counters)}")
    return state.module.And(name, held, ys.SigSpec(edges))


def _count_values(state: State, event: Event) -> None:
    """Add a counter for each value of a vector."""
    signal = _signal(state, event)
    for value in range(1 << signal.size()):
        name = f"{event.name}[{value}]"
        held = state.module.Eq(
            ys.IdString(f"$firesim$held${len(state.counters)}"),
            signal,
            ys.SigSpec(ys.Const(value, signal.size())),
        )
        port = _add_counter(state, _at_edges(state, event, held))
        state.counters.append(Counter(name, f"{event.description}: {value}", port, event.source))


def _count_covers(state: State, taken: set[str]) -> None:
    for cell in _checks(state, {"cover"}):
        source = state.place(cell.get_src_attribute())
        path, label = _path_and_label(cell)
        file, _, line = source.rpartition(":")
        label = label or f"cover_{Path(file).stem}_{line}"
        name = _unique(f"{path}.{label}" if path else label, taken)
        happened = state.module.And(
            ys.IdString(f"$firesim$cover${len(state.counters)}"),
            cell.getPort(public("A")),
            cell.getPort(public("EN")),
        )
        port = _add_counter(state, happened)
        state.counters.append(Counter(name, f"cover at {source}", port, source))
        state.module.remove(cell)


def _add_end(state: State, cell: Any, call: Call, bit: int) -> Assertion:
    """Return what ends the blade where a system task is called."""
    pieces, arguments = text_of(state, cell, call)
    texts = [one.replace("\n", " ") if isinstance(one, str) else one for one in pieces]
    if texts and isinstance(texts[0], str):
        texts[0] = texts[0].lstrip()
    if texts and isinstance(texts[-1], str):
        texts[-1] = texts[-1].rstrip()
    shown = "".join(one if isinstance(one, str) else f"%{one['base']}" for one in texts)
    message = _message(path_of(cell), shown or call.label or call.task)
    if arguments.size() == 0 and all(isinstance(one, str) for one in texts):
        return Assertion(bit, message, call.place, ends=call.kind)
    port = None
    if arguments.size():
        port = f"{ASSERT_PORT}_{bit}"
        state.module.connect(ys.SigSpec(state.add_output(port, arguments.size())), arguments)
    before = [f"{path_of(cell)}: "] if path_of(cell) else []
    return Assertion(bit, message, call.place, port, [*before, *texts], call.kind)


def _collect_asserts(state: State) -> None:
    """Make what ends the blade a vector: failures first, since the lowest bit decides."""
    found: list[tuple[tuple[bool, str, str], Any, Call | None]] = []
    for cell in _checks(state, {"assert", "assume"}):
        place = state.place(cell.get_src_attribute())
        found.append(((False, place, plain(cell.name)), cell, None))
    for cell in list(state.module.cells_.values()):
        call = call_of(state, cell)
        if call is not None and call.kind != PRINT:
            found.append(((call.kind != FAIL, call.place, plain(cell.name)), cell, call))
    if not found:
        return
    module = state.module
    wire = state.add_output(ASSERT_PORT, len(found))
    failed = ys.SigSpec()
    for bit, (_, cell, call) in enumerate(sorted(found, key=lambda one: one[0])):
        if call is not None:
            state.asserts.append(_add_end(state, cell, call, bit))
            failed.append(cell.getPort(public("EN")))
        else:
            source = state.place(cell.get_src_attribute())
            state.asserts.append(Assertion(bit, _assert_message(cell), source))
            name = ys.IdString(f"$firesim$false${bit}")
            false = module.LogicNot(name, cell.getPort(public("A")))
            name = ys.IdString(f"$firesim$failed${bit}")
            failed.append(module.And(name, false, cell.getPort(public("EN"))))
        module.remove(cell)
    module.connect(ys.SigSpec(wire), failed)
    state.assert_port = ASSERT_PORT


def _captured(state: State, name: str, fan: Fan) -> Any:
    """Find what a capture names: a wire, or bits of one, `half[3:0]`.

    What nothing reads is in no model. Bits that the engine rtl does not show are refused here, too.
    """
    match = re.fullmatch(r"(.*)\[(-?\d+):(-?\d+)\]", name)
    wire, low, width = state.module.wire(public(name)), 0, None
    if wire is None and match and (wire := state.module.wire(public(match[1]))) is not None:
        ends = sorted(place_of(wire, int(end)) for end in match.groups()[1:])
        low, width = ends[0], ends[1] - ends[0] + 1
    if wire is None or not 0 <= low < low + (width or wire.width) <= wire.width or (
        plain(wire.name) == state.request.clock
    ):  # fmt: skip
        wires = (plain(one) for one in state.module.wires_)
        named = sorted(one for one in wires if not one.startswith("$"))
        raise GoldenGateError(f"capture: the design has no signal '{name}'{nearest(name, named)}.")
    signal = ys.SigSpec(wire, low, width or wire.width)
    driven = [fan.is_driven(bit) for bit in signal.to_sigbit_vector()]
    if not all(driven):
        first = driven.index(True) if any(driven) else 0
        last = [*driven, False].index(False, first) - 1
        shown = bits_text(wire, low + first, last - first + 1)
        instead = f"; name '{plain(wire.name)}{shown}'" if any(driven) else ""
        raise GoldenGateError(
            f"capture: nothing reads some bits of '{name}', so that no model has them{instead}."
        )
    return signal


def _capture(state: State) -> None:
    """Make the signals that are captured an output, as they are at this point of all models."""
    wanted = state.request.capture
    if wanted is None:
        return
    fan = Fan(state.module)
    found = [(name, _captured(state, name, fan)) for name in wanted.signals]
    signals = ys.SigSpec()
    for _, one in found:
        signals.append(one)
    widths = [(name, one.size()) for name, one in found]
    state.capture = capture.lay_out(wanted.depth_cycles, widths)
    port = state.add_output(capture.PORT, state.capture.width_bits)
    state.module.connect(ys.SigSpec(port), signals)


def run(state: State) -> None:
    """Fill `state.counters`, `state.asserts` and `state.capture`."""
    _capture(state)
    taken: set[str] = set()
    for event in state.request.events:
        if event.name in taken:
            raise GoldenGateError(f"event '{event.name}' is given twice; names must differ.")
        taken.add(event.name)
        if event.histogram:
            _count_values(state, event)
            continue
        port = _add_counter(state, _at_edges(state, event, _signal(state, event)))
        state.counters.append(Counter(event.name, event.description, port, event.source))
    _count_covers(state, taken)
    _collect_asserts(state)
    module = state.module
    for cell in list(module.cells_.values()):
        if plain(cell.type) in ("$print", "$check", "$scopeinfo"):
            module.remove(cell)
    module.fixup_ports()
