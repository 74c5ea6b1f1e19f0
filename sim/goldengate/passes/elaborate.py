# SPDX-License-Identifier: BSD-3-Clause
"""Pass `elaborate`: a hierarchy becomes one flat module.

In: modules with instances, every one declared (the reader refuses others). Out: one module whose
wires and cells carry their path (`core.alu.sum`), bridges and clock sources still in it as
black-box cells.
What is read and has no driver (an unconnected port, a wire or an element of an array that nothing
assigns) is 0, with a warning. Selections of single bits ($bwmux, which the reader makes of a write
to one element of an array in combinational logic) have become other logic, as neither engine has
them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from pyosys import libyosys as ys

from goldengate import checked
from goldengate.bridges import BRIDGE_MODULE
from goldengate.errors import GoldenGateError, nearest
from goldengate.passes import expressions, flatten, instances, one_driver, reset_level
from goldengate.passes.clock_sources import CLOCK_SOURCE
from goldengate.passes.directives import hidden_driver
from goldengate.state import State, Undriven, plain, public


def _input_port(state: State, name: str, what: str) -> None:
    module = state.module
    wire = module.wire(public(name))
    if wire is not None and wire.port_input and wire.width == 1:
        return
    inputs = [plain(port) for port in module.ports if module.wire(port).port_input]
    raise GoldenGateError(
        f"{state.request.top}: expected a one-bit input '{name}' as the {what}"
        f"{nearest(name, inputs)}; its inputs are: {', '.join(sorted(inputs)) or 'none'}."
    )


def _keep_observed(state: State) -> None:
    """Protect what only the host looks at, because opt_clean drops whatever nothing reads.

    That is the wires that events name, the bridges that have inputs only, and clock sources: the
    fastest one is the clock even where nothing is on it.
    """
    for cell in state.module.cells_.values():
        kind = plain(cell.type)
        if kind == CLOCK_SOURCE or BRIDGE_MODULE.fullmatch(kind):
            cell.set_bool_attribute(public("keep"), True)
    prefix = state.request.top + "."
    for event in state.request.events:
        clock = event.clock.removeprefix(prefix)
        for path in (event.signal, event.signal.removeprefix(prefix), clock):
            for name in (path, path.rpartition("[")[0]):
                wire = state.module.wire(public(name)) if name else None
                if wire is not None:
                    wire.set_bool_attribute(public("keep"), True)


_UNDRIVEN = re.compile(r"Wire [^ ]*?\.(?P<wire>[\\$]\S*)(?: \[(?P<bit>\d+)\])? is used but has no")


def _ranges(bits: list[int]) -> str:
    """Return numbers of bits as `3`, `7:4`, `9:8, 0`."""
    found: list[list[int]] = []
    for bit in sorted(bits, reverse=True):
        if found and found[-1][-1] == bit + 1:
            found[-1][1:] = [bit]
        else:
            found.append([bit])
    return ", ".join(":".join(map(str, one)) for one in found)


@lru_cache(maxsize=8)
def _text(file: Path) -> str:
    return file.read_text(errors="replace") if file.is_file() else ""


def _left_out(place: str, name: str) -> str:
    """Say what `translate_off` hides that would drive a wire, if it does."""
    file = Path(place.rpartition(":")[0])
    text = _text(file)
    found = hidden_driver(text, name.rpartition(".")[2]) if "_off" in text else None
    return f": 'translate_off' hides {found}" if found else ""


def _drive_with_0(state: State) -> None:
    """Connect whatever is read and has no driver to 0; say what, and where it is declared."""
    text = checked.check(state, "undriven.log", "-noinit")
    undriven: dict[str, list[int]] = {}
    for found in _UNDRIVEN.finditer(text):
        undriven.setdefault(found["wire"], []).append(int(found["bit"] or 0))
    for name, bits in undriven.items():
        wire = state.module.wire(ys.IdString(name))
        for bit in bits:
            state.module.connect(ys.SigSpec(wire, bit, 1), ys.SigSpec(ys.Const(0, 1)))
        part = "" if len(bits) == wire.width else f"a part of it (bits {_ranges(bits)}) "
        place = state.place(wire.get_src_attribute())
        state.undriven.append(Undriven(plain(name), place))
        state.warnings.append(
            f"{place}: '{plain(name)}' is read and nothing gives {part or 'it '}a value, which is 0"
            f"{_left_out(place, plain(name))}."
        )
    state.undriven.sort(key=lambda one: (one.source, one.signal))
    state.warnings.sort()


def _refuse_boxes(state: State) -> None:
    """Refuse what has no content to simulate: black boxes, and gates that may drive nothing."""
    for cell in state.module.cells_.values():
        kind = plain(cell.type)
        is_ours = BRIDGE_MODULE.fullmatch(kind) or kind == CLOCK_SOURCE
        if (kind.startswith("$") and kind != "$_TBUF_") or is_ours:
            continue
        where = state.place(cell.get_src_attribute())
        if kind == "$_TBUF_":
            raise GoldenGateError(
                f"{where}: found a gate that drives its output at times only, expected a "
                f"multiplexer: '?:'."
            )
        raise GoldenGateError(
            f"{where}: '{plain(cell.name)}' is an instance of '{kind}', a black box; expected its "
            f"Verilog, or that of a model of it."
        )


def run(state: State) -> None:
    """Check clock and reset, flatten, make the reset active high, and map selections of bits."""
    _input_port(state, state.request.clock, "clock")
    _input_port(state, state.request.reset, "reset")
    state.run(f"hierarchy -check -top {state.request.top}")
    state.run("proc -noopt")
    one_driver.run(state)
    state.run("opt_expr -keepdc")
    flatten.run(state)
    instances.run(state)
    _refuse_boxes(state)
    reset_level.run(state)
    _drive_with_0(state)
    state.run("bwmuxmap")
    state.signals = [plain(name) for name in state.module.wires_ if not plain(name).startswith("$")]
    expressions.run(state)
    _keep_observed(state)
    state.run("opt_clean")
