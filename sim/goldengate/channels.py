# SPDX-License-Identifier: BSD-3-Clause
"""The channels of a FAME-1 form, and the text of its top module, `fame1.v`.

A channel carries one token a target cycle, in one direction. Each bridge has one channel for all it
sends and one for all it receives; the target's own ports, its asserts and its prints have one each.
A token is the values of the channel's ports side by side: first those of 32 bits or a multiple of
it, so that they do not lie across pieces (`goldengate.host_top`), then the others, the widest one
first. Counters are no tokens: they are registers of the target, which stand on outputs of their own
to be read while the target waits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from goldengate.bridges import ROOT
from goldengate.capture import PORT as CAPTURE
from goldengate.state import Port, State

RTL = ROOT / "sim/hostlib/rtl"
"""The Verilog of the host's side, and the queue of a channel."""
QUEUE_FILE = "firesim_token_queue.v"
STEP = "firesim_step"
"""Register of the top module: the target takes a step at the end of this host cycle."""
HOST_CLOCK, HOST_RESET = "host_clock", "host_reset"
TARGET_INPUTS, TARGET_OUTPUTS = "firesim_target_in", "firesim_target_out"
ASSERTS, PRINTS = "firesim_asserts_out", "firesim_prints_out"


@dataclass(frozen=True)
class Field:
    """A port of the target within the tokens of its channel."""

    port: str
    low_bit: int
    width_bits: int


@dataclass(frozen=True)
class Channel:
    """Tokens of `width_bits` from the target (`out`) or to it (`in`).

    `bridge` is the path of the bridge, None for what the target has beside its bridges.
    """

    name: str
    direction: str
    width_bits: int
    bridge: str | None
    fields: list[Field]


def node_name(thread: int, name: str) -> str:
    """Return what a port or a channel of one target of a supernode is called."""
    return f"node{thread}__{name}"


def of_nodes(threads: int, channels: list[Channel]) -> list[Channel]:
    """Return the channels of all targets of a supernode, whose ones these are; of one: these."""
    if threads == 1:
        return channels
    return [_of_node(thread, one) for thread in range(threads) for one in channels]


def _of_node(thread: int, channel: Channel) -> Channel:
    fields = [replace(one, port=node_name(thread, one.port)) for one in channel.fields]
    return replace(channel, name=node_name(thread, channel.name), fields=fields)


def _channel(name: str, bridge: str | None, ports: Iterable[Port]) -> list[Channel]:
    """Return the channel of these ports of one direction; none when there are no ports."""
    fields: list[Field] = []
    width_bits, direction = 0, ""
    for port in sorted(ports, key=lambda port: (port.width_bits % 32 != 0, -port.width_bits)):
        fields.append(Field(port.name, width_bits, port.width_bits))
        width_bits += port.width_bits
        direction = port.direction
    return [Channel(name, direction, width_bits, bridge, fields)] if fields else []


def channels_of(state: State, ports: list[Port]) -> tuple[list[Channel], list[Port]]:
    """Return the channels of a target with these ports, and the ports that are no tokens.

    These are of the counters and of what is captured.
    """
    named = {port.name: port for port in ports}
    counters = [named.pop(counter.port) for counter in state.counters]
    counters += [named.pop(CAPTURE)] if state.capture else []
    found: list[Channel] = []
    for bridge in state.bridges:
        of_bridge = [named.pop(name) for name in bridge.ports.values()]
        stem = bridge.path.replace(".", "__")
        for way in ("out", "in"):
            chosen = [port for port in of_bridge if port.direction == way]
            found += _channel(f"{stem}_{way}", bridge.path, chosen)
    if state.assert_port is not None:
        arguments = {each.port: None for each in state.asserts if each.port}
        found += _channel(
            ASSERTS, None, [named.pop(name) for name in (state.assert_port, *arguments)]
        )
    if state.prints_port is not None:
        arguments = {each.port: None for each in state.prints if each.port}
        texts = [named.pop(name) for name in (state.prints_port, *arguments)]
        found += _channel(PRINTS, None, texts)
    own = list(named.values())
    found += _channel(TARGET_INPUTS, None, [port for port in own if port.direction == "in"])
    found += _channel(TARGET_OUTPUTS, None, [port for port in own if port.direction == "out"])
    return found, counters


def _range(width_bits: int) -> str:
    return f"[{width_bits - 1}:0]"


def _queue(index: int, channel: Channel) -> str:
    """Instantiate the queue of a channel; the target's side takes or gives by `step`."""
    ends = [f"\\{channel.name}_{part} " for part in ("valid", "ready", "bits")]
    if channel.direction == "in":
        first, second = ends, [f"state_{index}", "step", f"bits_{index}"]
        state, other = "next_out_valid", "next_in_ready"
    else:
        first, second = ["step", f"state_{index}", f"bits_{index}"], ends
        state, other = "next_in_ready", "next_out_valid"
    connections = [f".{HOST_CLOCK}({HOST_CLOCK})", f".{HOST_RESET}({HOST_RESET})"]
    for side, signals in (("in", first), ("out", second)):
        for part, signal in zip(("valid", "ready", "data"), signals, strict=True):
            connections.append(f".{side}_{part}({signal})")
    connections += [f".{state}(next_{index})", f".{other}()"]
    parameters = f"#(.WIDTH({channel.width_bits}))"
    return f"  firesim_token_queue {parameters} queue_{index} ({', '.join(connections)});"


def fame1_verilog(
    top: str, clock: str, fire: str, channels: list[Channel], counters: list[Port]
) -> str:
    """Return the text of fame1.v.

    The outputs `_ahead` are what the target puts into the queue of an output channel in a step.
    """
    declarations = [
        f"  input wire {HOST_CLOCK}",
        f"  input wire {HOST_RESET}",
        f"  output wire {STEP}",
    ]
    body = ["  reg step;", "  initial step = 1'b0;", f"  assign {STEP} = step;"]
    connections = [f"    .\\{clock} ({HOST_CLOCK})", f"    .{fire}(step)"]
    for index, channel in enumerate(channels):
        forward, back = ("input", "output") if channel.direction == "in" else ("output", "input")
        width = _range(channel.width_bits)
        declarations += [
            f"  {forward} wire \\{channel.name}_valid ",
            f"  {back} wire \\{channel.name}_ready ",
            f"  {forward} wire {width} \\{channel.name}_bits ",
        ]
        body += [f"  wire state_{index}, next_{index};", f"  wire {width} bits_{index};"]
        if channel.direction == "out":
            declarations.append(f"  output wire {width} \\{channel.name}_ahead ")
            body.append(f"  assign \\{channel.name}_ahead = bits_{index};")
        body.append(_queue(index, channel))
        for field in channel.fields:
            part = f"bits_{index}[{field.low_bit + field.width_bits - 1}:{field.low_bit}]"
            connections.append(f"    .\\{field.port} ({part})")
    for port in counters:
        declarations.append(f"  output wire {_range(port.width_bits)} \\{port.name} ")
        connections.append(f"    .\\{port.name} (\\{port.name} )")
    every = " & ".join(f"next_{index}" for index in range(len(channels)))
    body += [
        "  // One host cycle ahead, so that the step, for which every register of the target",
        "  // waits, comes from a register.",
        f"  always @(posedge {HOST_CLOCK}) step <= ~{HOST_RESET} & {every};",
        f"  \\{top} target (",
        ",\n".join(connections),
        "  );",
    ]
    header = f"module \\{top}_fame1 (\n" + ",\n".join(declarations) + "\n);"
    note = "// Made by Golden Gate: the target between the queues of its channels."
    return "\n".join([note, header, *body, "endmodule", ""])


def queue_file() -> Path:
    """Return the queue's Verilog."""
    return RTL / QUEUE_FILE
