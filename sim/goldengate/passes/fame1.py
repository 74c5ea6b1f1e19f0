# SPDX-License-Identifier: BSD-3-Clause
"""Pass `fame1`: the target gets a host clock enable, and its ports become channels of tokens.

In: the flat, instrumented module. Out: `target.v`, the module whose registers and memories change
only when `firesim_fire` is 1; `fame1.v`, a top `<Top>_fame1` that decides it: the target takes a
step when every input channel has a token and every output channel has room; and the queue of a
channel (`goldengate.channels`). The host's clock and reset are `host_clock` and `host_reset`.
However the host stalls, the tokens are the CPU model's.

Synthesis must not choose otherwise than the CPU model does, so nothing is left open: no `x`, no
register or row without a first value, no row beyond a memory (`memory_rows`). Asynchronous resets
and latches that the clock does not open become registers and multiplexers with the same values in
every cycle.
"""

from __future__ import annotations

import shutil
from typing import Any

from pyosys import libyosys as ys

from goldengate import checked
from goldengate.channels import (
    HOST_CLOCK,
    HOST_RESET,
    QUEUE_FILE,
    channels_of,
    fame1_verilog,
    queue_file,
)
from goldengate.drivers import Drivers, bits
from goldengate.errors import GoldenGateError
from goldengate.manifest import Fame1
from goldengate.passes import memory_rows
from goldengate.passes.check import explain_check
from goldengate.state import ZERO, Port, State, plain, public

FIRE = "firesim_fire"
FILES = ["fame1.v", "target.v", QUEUE_FILE]
_CLEAN = ("opt_expr -mux_undef", "opt_dff", "opt_clean")
_WITHOUT_EDGE = ("$dlatch", "$adlatch", "$dlatchsr", "$sr")


def _clock(state: State) -> Any:
    return state.module.wire(public(state.request.clock))


def _refuse_unless_on_clock(state: State, cell: Any) -> None:
    signal = cell.getPort(public("CLK"))
    rising = cell.getParam(public("CLK_POLARITY")).as_bool()
    if not (rising and signal.is_wire() and signal.as_wire().name == _clock(state).name):
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: FAME-1 needs every register on the rising "
            f"edge of '{state.request.clock}'; this one is clocked by something else."
        )


def _refuse_clocked_latches(state: State) -> None:
    """A latch that the clock opens changes within a cycle, of which a host knows nothing."""
    drivers: Drivers | None = None
    for cell in state.module.cells_.values():
        if plain(cell.type) not in _WITHOUT_EDGE:
            continue
        drivers = drivers or Drivers(state.module)
        for name, signal in dict(cell.connections_).items():
            if plain(name) == "Q":
                continue
            if any(state.request.clock in drivers.leaves(bit)[0] for bit in bits(signal)):
                raise GoldenGateError(
                    f"{state.place(cell.get_src_attribute())}: FAME-1 needs latches that the clock "
                    f"'{state.request.clock}' does not open, except those of clock gates."
                )


def _refuse_clock_as_data(state: State) -> None:
    name = state.request.clock
    for cell in state.module.cells_.values():
        for port, signal in dict(cell.connections_).items():
            if plain(port) != "CLK" and (name, 0) in bits(signal):
                raise GoldenGateError(
                    f"{state.place(cell.get_src_attribute())}: FAME-1 needs a clock that nothing "
                    f"reads; this takes the level of '{name}' as a value."
                )
    for left, right in state.module.connections_:
        outputs = [bit for bit in left.to_sigbit_vector() if bit.wire.port_output]
        if outputs and (name, 0) in bits(right):
            raise GoldenGateError(
                f"{state.request.top}: FAME-1 needs a clock that nothing reads; the output "
                f"'{plain(outputs[0].wire.name)}' is the clock '{name}'."
            )


def _synchronous(state: State) -> None:
    """Make registers on the clock, and multiplexers, of asynchronous resets and of latches."""
    _refuse_clocked_latches(state)
    state.run("async2sync")
    clock = ys.SigSpec(_clock(state))
    for cell in list(state.module.cells_.values()):
        if plain(cell.type) == "$ff":  # what a latch remembers
            cell.type = ys.IdString("$dff")
            cell.setParam(public("CLK_POLARITY"), ys.Const(1, 1))
            cell.setPort(public("CLK"), clock)
    if problem := explain_check(state, checked.check(state, "check-fame1.log")):
        raise GoldenGateError(f"{problem} FAME-1 takes no latch, and no reset, that is part of it.")


def _gate_enable(state: State, cell: Any, fire: Any, gated: dict[tuple[str, int], Any]) -> None:
    """Make every bit of a memory port's enable depend on the step signal."""
    result = ys.SigSpec()
    for bit in cell.getPort(public("EN")).to_sigbit_vector():
        key = (plain(bit.wire.name), bit.offset) if bit.is_wire() else ("", int(bit.data.value))
        if key not in gated:
            wire = state.module.addWire(public(f"firesim_gate_{len(gated)}"), 1)
            cell_name = ys.IdString(f"$firesim$and${len(gated)}")
            state.module.addAnd(cell_name, ys.SigSpec(bit, 1), fire, ys.SigSpec(wire))
            gated[key] = ys.SigSpec(wire)
        result.append(gated[key])
    cell.setPort(public("EN"), result)


def _add_enables(state: State) -> None:
    wire = state.module.addWire(public(FIRE), 1)
    wire.port_input = True
    fire = ys.SigSpec(wire)
    gated: dict[tuple[str, int], Any] = {}
    for cell in list(state.module.cells_.values()):
        kind = plain(cell.type)
        if kind == "$dff":
            _refuse_unless_on_clock(state, cell)
            cell.type = ys.IdString("$dffe")
            cell.setParam(public("EN_POLARITY"), ys.Const(1, 1))
            cell.setPort(public("EN"), fire)
        elif kind == "$memwr_v2" or (
            kind == "$memrd_v2" and cell.getParam(public("CLK_ENABLE")).as_bool()
        ):
            _refuse_unless_on_clock(state, cell)
            _gate_enable(state, cell, fire, gated)
        elif cell.hasPort(public("Q")):
            raise GoldenGateError(
                f"{state.place(cell.get_src_attribute())}: FAME-1 does not support {kind[1:]}."
            )
    state.module.fixup_ports()


def form(state: State, ports: list[Port]) -> Fame1:
    """Return what the manifest says of the form of a target with these ports."""
    channels, _ = channels_of(state, ports)
    return Fame1(f"{state.request.top}_fame1", HOST_CLOCK, HOST_RESET, FILES, channels)


def run(state: State) -> None:
    """Write target.v, fame1.v and the queue into the output folder."""
    ports = state.ports()
    for command in _CLEAN:
        state.run(command)
    _synchronous(state)
    state.run("dffunmap")
    memory_rows.run(state)
    if state.request.unknown == ZERO:
        state.run("setundef -zero -init")
        state.run("setundef -zero")
    state.run("opt_clean")
    _refuse_clock_as_data(state)
    _add_enables(state)
    state.run("opt_clean")
    state.run(f"write_verilog -noattr {state.out / 'target.v'}")
    channels, counters = channels_of(state, ports)
    top, clock = state.request.top, state.request.clock
    text = fame1_verilog(top, clock, FIRE, channels, counters)
    (state.out / "fame1.v").write_text(text)
    shutil.copyfile(queue_file(), state.out / QUEUE_FILE)
