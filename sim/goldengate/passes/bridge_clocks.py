# SPDX-License-Identifier: BSD-3-Clause
"""Part of the pass `clocks`: bridges on slower clocks, and on gated ones, stand on the clock.

In: a bridge whose clock rises in the cycles in which a signal is 1. Out: the same on the clock. It
is told of what the target says in those cycles alone: in all others, outputs that wake it are 0,
and so are those that say that the target takes what it is offered. What it tells the target is
there until the target's next edge: by handshake, or because it waits in a queue, `_WAITING`, which
is empty in most cycles and then lets it through.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pyosys import libyosys as ys

from goldengate.bridges import BRIDGE_MODULE, SlowerClock
from goldengate.drivers import bit_key
from goldengate.errors import GoldenGateError
from goldengate.settled import add_check
from goldengate.state import State, plain, public

MOST_WAITING = 512
"""Rows of the queue, a power of two: what comes between edges of a bridge's clock."""
_WAITING = """\
module {module}(input clock, edges, when, input [{high}:0] bits,
                output valid, fits, output [{high}:0] first);
  localparam int LOG2 = {log2};
  logic [{high}:0] rows [0:2**LOG2-1];
  logic [LOG2:0] waiting = 0;
  logic [LOG2-1:0] head = 0;
  wire empty = waiting == 0;
  wire enters = when && !(edges && empty), leaves = edges && !empty;
  wire [LOG2-1:0] tail = head + waiting[LOG2-1:0];
  assign valid = when || !empty;
  assign first = empty ? bits : rows[head];
  assign fits = !(enters && !leaves && waiting[LOG2]);
  always_ff @(posedge clock) begin
    if (enters) rows[tail] <= bits;
    if (leaves) head <= head + 1'b1;
    waiting <= waiting + (LOG2+1)'(enters) - (LOG2+1)'(leaves);
  end
endmodule
"""


def on_other_clocks(state: State) -> list[tuple[Any, Any]]:
    """Return the bridges that are not on the clock itself, each with the bit of its clock."""
    found = []
    for cell in state.module.cells_.values():
        if not BRIDGE_MODULE.fullmatch(plain(cell.type)) or not cell.hasPort(public("clock")):
            continue
        clock = list(cell.getPort(public("clock")).to_sigbit_vector())
        if len(clock) == 1 and bit_key(clock[0]) != (state.request.clock, 0):
            found.append((cell, clock[0]))
    return found


def put_on_clock(state: State, cell: Any, enable: Any, ratio: Fraction | None) -> None:
    """Put a bridge on the clock; its own rises in the cycles in which the bit `enable` is 1.

    Without `enable` it rises in all, as with the `ratio` 1. That is how many edges it has for each
    of the clock's, None where nobody knows.

    Raises:
        GoldenGateError: a bridge that has to be on the simulation's clock.
    """
    kind = state.bridge_kinds[plain(cell.type)]
    slower, path = kind.slower_clock, plain(cell.name)
    cell.setPort(public("clock"), ys.SigSpec(state.module.wire(public(state.request.clock))))
    if enable is None or ratio == 1:
        return
    if slower is None:
        raise GoldenGateError(
            f"{state.place(cell.get_src_attribute())}: the bridge {path} is on a slower clock than "
            f"'{state.request.clock}', which its declaration has no slower_clock for; expected "
            f"'{state.request.clock}'."
        )
    for port in dict.fromkeys((*kind.wakes, *slower.takes)):
        if cell.hasPort(public(port)):
            _limit(state, cell, port, enable)
    if slower.waits is not None and cell.hasPort(public(slower.waits.when)):
        _wait(state, cell, enable, slower, _advice(ratio))
    if ratio is not None:
        state.bridge_ratios[path] = str(ratio)


def _limit(state: State, cell: Any, port: str, enable: Any) -> None:
    """Let an output be 0 where the bridge's clock has no edge."""
    said = cell.getPort(public(port))
    edges = ys.SigSpec()
    for _ in range(said.size()):
        edges.append(enable)
    name = ys.IdString(f"$firesim$edge${plain(cell.name)}${port}")
    cell.setPort(public(port), state.module.And(name, said, edges))


def _advice(ratio: Fraction | None) -> str:
    if ratio is None:
        return "its clock stands too long"
    return (
        f"more comes than its clock takes, which has {ratio} of the simulation's edges: a link to "
        f"it may have that share of the bandwidth"
    )


def _wait(state: State, cell: Any, enable: Any, slower: SlowerClock, advice: str) -> None:
    """Put a queue before inputs that say something for one cycle."""
    assert slower.waits is not None
    design, path = state.module, plain(cell.name)
    ports = [port for port in slower.waits.bits if cell.hasPort(public(port))]
    widths = [cell.getPort(public(port)).size() for port in ports]
    name = f"firesim_waiting_{sum(widths)}"
    if state.design.module(public(name)) is None:
        _read(state, name, sum(widths))
    queue = design.addCell(public(f"{path}_waiting"), public(name))
    queue.setPort(public("clock"), ys.SigSpec(design.wire(public(state.request.clock))))
    queue.setPort(public("edges"), ys.SigSpec(enable, 1))
    come, go = ys.SigSpec(), ys.SigSpec()
    for port, width in zip(ports, widths, strict=True):
        go.append(cell.getPort(public(port)))
        come.append(_behind(state, cell, port, width))
    queue.setPort(public("first"), go)
    queue.setPort(public("bits"), come)
    queue.setPort(public("valid"), cell.getPort(public(slower.waits.when)))
    queue.setPort(public("when"), _behind(state, cell, slower.waits.when, 1))
    fits = ys.SigSpec(design.addWire(ys.IdString(f"$firesim$fits${path}"), 1))
    queue.setPort(public("fits"), fits)
    message = f"{MOST_WAITING} tokens wait for an edge of the bridge {path}: {advice}"
    check = ys.IdString(f"$firesim$waiting${path}")
    add_check(design, check, fits, cell.get_src_attribute(), message)
    state.run("flatten")


def _behind(state: State, cell: Any, port: str, width: int) -> Any:
    """Give an input of a bridge a wire of its own; return it."""
    name = ys.IdString(f"$firesim$token${plain(cell.name)}${port}")
    wire = ys.SigSpec(state.module.addWire(name, width))
    cell.setPort(public(port), wire)
    return wire


def _read(state: State, name: str, width: int) -> None:
    """Read the queue of a width."""
    log2 = MOST_WAITING.bit_length() - 1
    file = state.out / f"{name}.sv"
    file.write_text(_WAITING.format(module=name, high=width - 1, log2=log2))
    ys.Pass.call(state.design, ["read_slang", "--no-proc", "--top", name, str(file)])
    state.run(f"proc -noopt {name}")
