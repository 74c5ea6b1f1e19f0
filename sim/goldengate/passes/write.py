# SPDX-License-Identifier: BSD-3-Clause
"""Pass `write`: the flat module becomes two Verilog files for the simulator's compiler.

In: the flat, instrumented module. Out: `target.il`, the module itself, for the generated engine;
`target.v`, the same for Verilator, and `model.v`, a top that holds every input in a register. With
the inputs held, one clock edge both takes in the inputs of cycle t and settles the outputs of
cycle t, so that a target cycle costs one evaluation of the logic instead of two or three. Registers
on a divided clock (a clock that is itself a register) would see the inputs one cycle early that
way, so a design that has any gets wires in place of the registers. Where the module has
asynchronous controls, Verilator gets `started.v` in place of `target.v` (step `first_cycle`).
"""

from __future__ import annotations

from pyosys import libyosys as ys

from goldengate.drivers import Drivers, bits
from goldengate.passes import first_cycle
from goldengate.passes.first_cycle import STARTED
from goldengate.state import Port, State, plain, public

MODEL_TOP = "firesim_model"
TARGET_FILE, STARTED_FILE = "target.v", "started.v"
HOLD_EDGE = "always @(posedge firesim_clock)"


def held_name(index: int) -> str:
    """Name of the register that holds input port number `index`.

    It is an output of model.v so that the engine can reach it, for the inputs of cycle 0.
    """
    return f"held_{index}"


def port_name(index: int) -> str:
    """Name of the top-level port number `index` in model.v."""
    return f"port_{index}"


def _declaration(index: int, port: Port) -> str:
    direction = "input" if port.direction == "in" else "output"
    return f"  {direction} wire [{port.width_bits - 1}:0] {port_name(index)}"


def model_verilog(top: str, clock: str, ports: list[Port], held: bool, started: bool) -> str:
    """Return the text of model.v; `held` says whether inputs go through registers.

    `started`: the target has an input for that, which the engine sets in cycle 0; it is held, too.
    """
    lines = ["// The target with its inputs held in registers, for the compiler of the model."]
    declarations = ["  input wire firesim_clock"]
    declarations += [_declaration(index, port) for index, port in enumerate(ports)]
    declarations += [
        f"  output {'reg' if held else 'wire'} [{port.width_bits - 1}:0] {held_name(index)}"
        for index, port in enumerate(ports)
        if port.direction == "in"
    ]
    connections = [f"    .\\{clock} (firesim_clock)"]
    if started:
        declarations.append(f"  {'output reg' if held else 'input wire'} {STARTED}")
        connections.append(f"    .{STARTED} ({STARTED})")
    lines += [f"module {MODEL_TOP} (", ",\n".join(declarations), ");"]
    if started and held:
        lines.append(f"  {HOLD_EDGE} {STARTED} <= 1'b1;")
    for index, port in enumerate(ports):
        source = port_name(index)
        if port.direction == "in":
            source = held_name(index)
            edge = f"{HOLD_EDGE} {source} <=" if held else f"assign {source} ="
            lines.append(f"  {edge} {port_name(index)};")
        connections.append(f"    .\\{port.name} ({source})")
    lines += [f"  \\{top} target (", ",\n".join(connections), "  );", "endmodule", ""]
    return "\n".join(lines)


def _with_clock(state: State) -> None:
    """Make a register of a latch that takes a constant.

    That is what the optimisation makes of a register that only its asynchronous reset changes; the
    generated engine has no latches. It holds its value at the clock's edges.
    """
    drivers: Drivers | None = None
    for cell in list(state.module.cells_.values()):
        if plain(cell.type) != "$dlatch" or not cell.getPort(public("D")).is_fully_const():
            continue
        drivers = drivers or Drivers(state.module)
        enable, held = cell.getPort(public("EN")), cell.getPort(public("Q"))
        if any(state.request.clock in drivers.leaves(bit)[0] for bit in bits(enable)):
            continue
        name, source = cell.name, cell.get_src_attribute()
        value, polarity = cell.getPort(public("D")).as_const(), cell.getParam(public("EN_POLARITY"))
        is_high = polarity.as_bool()
        state.module.remove(cell)
        clock = ys.SigSpec(state.module.wire(public(state.request.clock)))
        made = state.module.addAdff(name, clock, enable, held, held, value, True, is_high)
        made.set_src_attribute(source)


def run(state: State) -> None:
    """Write target.il, target.v and model.v, and perhaps started.v, into the output folder."""
    request, ports = state.request, state.ports()
    # The generated engine takes the selections in front of registers as they are: as branches that
    # many registers share. Enables, one for each register, would be evaluated in every cycle.
    for command in ("opt_expr -mux_undef", "opt_dff -nodffe -nosdff", "opt_clean"):
        state.run(command)
    _with_clock(state)
    if request.engine != "verilator":
        state.run(f"write_rtlil {state.out / 'target.il'}")
    for command in ("opt_dff", "opt_clean"):
        state.run(command)
    _with_clock(state)
    state.run(f"write_verilog -noattr {state.out / TARGET_FILE}")
    started = first_cycle.run(state)
    (state.out / STARTED_FILE).unlink(missing_ok=True)
    if started:
        state.run(f"write_verilog -noattr {state.out / STARTED_FILE}")
    held = not state.divided_clocks
    text = model_verilog(request.top, request.clock, ports, held, started)
    (state.out / "model.v").write_text(text)
