# SPDX-License-Identifier: BSD-3-Clause
"""Pass `fame1`: the target gets a host clock enable, and every port a token handshake.

In: the flat, instrumented module. Out: `target.v`, the module whose registers and memories change
only when `firesim_fire` is 1, and `fame1.v`, a top `<Top>_fame1` that decides it: the target takes
a step when every input channel has a token and every output channel has room. Each target port `p`
is a channel `p_valid`, `p_ready`, `p_data` with a queue of two tokens; the host's clock and reset
are `host_clock` and `host_reset`. However the host stalls, the tokens are the CPU model's.
"""

from __future__ import annotations

from typing import Any

from pyosys import libyosys as ys

from goldengate.errors import GoldenGateError
from goldengate.manifest import Fame1
from goldengate.state import Port, State, plain, public

FIRE = "firesim_fire"
HOST_CLOCK, HOST_RESET = "host_clock", "host_reset"
FILES = ["fame1.v", "target.v"]

_QUEUE = """\
// Two tokens of one channel. host_reset empties it.
module firesim_token_queue #(parameter WIDTH = 1) (
  input wire host_clock, input wire host_reset,
  input wire in_valid, output wire in_ready, input wire [WIDTH-1:0] in_data,
  output wire out_valid, input wire out_ready, output wire [WIDTH-1:0] out_data
);
  reg [WIDTH-1:0] first, second;
  reg [1:0] count;
  wire push = in_valid & in_ready;
  wire pop = out_valid & out_ready;
  assign in_ready = count != 2'd2;
  assign out_valid = count != 2'd0;
  assign out_data = first;
  always @(posedge host_clock) begin
    if (host_reset) count <= 2'd0;
    else count <= count + {1'b0, push} - {1'b0, pop};
    if (push & (count == 2'd0 | (count == 2'd1 & pop))) first <= in_data;
    else if (pop) first <= second;
    if (push & count == 2'd1 & ~pop) second <= in_data;
  end
endmodule
"""


def _refuse_unless_on_clock(state: State, cell: Any) -> None:
    signal = cell.getPort(public("CLK"))
    clock = state.module.wire(public(state.request.clock))
    rising = cell.getParam(public("CLK_POLARITY")).as_bool()
    if not (rising and signal.is_wire() and plain(signal.as_wire().name) == plain(clock.name)):
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: FAME-1 needs every register on the rising "
            f"edge of '{state.request.clock}'; this one is clocked by something else."
        )


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
    module = state.module
    wire = module.addWire(public(FIRE), 1)
    wire.port_input = True
    fire = ys.SigSpec(wire)
    gated: dict[tuple[str, int], Any] = {}
    for cell in list(module.cells_.values()):
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
                f"{state.place(cell.get_src_attribute())}: FAME-1 does not support {kind[1:]} "
                f"(a latch or an asynchronous reset) yet."
            )
    module.fixup_ports()


def _queue(name: str, port: Port, inside: tuple[str, str, str], outside: str) -> str:
    """Instantiate a queue; `inside` is (valid, ready, data) on the target's side."""
    ends = [f"\\{outside}_{part} " for part in ("valid", "ready", "data")]
    first, second = (ends, inside) if port.direction == "in" else (inside, ends)
    connections = [".host_clock(host_clock)", ".host_reset(host_reset)"]
    for side, signals in (("in", first), ("out", second)):
        for part, signal in zip(("valid", "ready", "data"), signals, strict=True):
            connections.append(f".{side}_{part}({signal})")
    return f"  firesim_token_queue #(.WIDTH({port.width_bits})) {name} ({', '.join(connections)});"


def fame1_verilog(top: str, clock: str, ports: list[Port]) -> str:
    """Return the text of fame1.v."""
    declarations = ["  input wire host_clock", "  input wire host_reset"]
    body = ["  wire fire;"]
    conditions = []
    connections = [f"    .\\{clock} (host_clock)", f"    .{FIRE}(fire)"]
    for index, port in enumerate(ports):
        arriving = port.direction == "in"
        forward, back = ("input", "output") if arriving else ("output", "input")
        width = f"[{port.width_bits - 1}:0]"
        declarations += [
            f"  {forward} wire \\{port.name}_valid ",
            f"  {back} wire \\{port.name}_ready ",
            f"  {forward} wire {width} \\{port.name}_data ",
        ]
        # A token leaves an input queue, or enters an output queue, exactly when the target steps.
        state = f"state_{index}"
        body += [f"  wire {state};", f"  wire {width} data_{index};"]
        conditions.append(state)
        inside = (state, "fire", f"data_{index}") if arriving else ("fire", state, f"data_{index}")
        body.append(_queue(f"queue_{index}", port, inside, port.name))
        connections.append(f"    .\\{port.name} (data_{index})")
    body.append(f"  assign fire = ~host_reset & {' & '.join(conditions)};")
    body += [f"  \\{top} target (", ",\n".join(connections), "  );"]
    header = f"module \\{top}_fame1 (\n" + ",\n".join(declarations) + "\n);"
    return "\n".join([header, *body, "endmodule", "", _QUEUE])


def form(state: State) -> Fame1:
    """Return what the manifest says of the form."""
    return Fame1(f"{state.request.top}_fame1", HOST_CLOCK, HOST_RESET, FILES)


def run(state: State) -> None:
    """Write target.v and fame1.v into the output folder."""
    ports = state.ports()
    state.run("dffunmap")
    _add_enables(state)
    state.run("opt_clean")
    state.run(f"write_verilog -noattr {state.out / 'target.v'}")
    text = fame1_verilog(state.request.top, state.request.clock, ports)
    (state.out / "fame1.v").write_text(text)
