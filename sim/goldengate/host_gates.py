# SPDX-License-Identifier: BSD-3-Clause
"""Gates inside `host.v`: triggers in RTL, which decide of which tokens of a bridge the host hears.

The key `gate` of a bridge.yaml names the output that says when to look, and those that a trigger
may compare. Each output channel of such a bridge then has a `firesim_gate.v`, numbered in the order
of the channels; the host programs it by registers (`firesim_gate_registers.v`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goldengate.channels import HOST_CLOCK, HOST_RESET, Channel, Field
from goldengate.manifest import Manifest

FILES = ("firesim_gate.v", "firesim_gate_registers.v")


@dataclass(frozen=True)
class HostGate:
    """A gate before an output channel: its number, and what of a token it looks at."""

    index: int
    when: Field
    match: list[Field]

    @property
    def width_bits(self) -> int:
        """Width of the widest field that is compared."""
        return max(field.width_bits for field in self.match)


def host_gates(manifest: Manifest, outs: Iterable[Channel]) -> dict[str, HostGate]:
    """Return the gates of output channels, by the names of these."""
    found: dict[str, HostGate] = {}
    bridges = {bridge.path: bridge for bridge in manifest.bridges}
    for channel in outs:
        bridge = bridges.get(channel.bridge or "")
        if bridge is None or bridge.gate is None:
            continue
        by_port = {field.port: field for field in channel.fields}
        match = [by_port[bridge.ports[name]] for name in bridge.gate["match"]]
        when = by_port[bridge.ports[bridge.gate["when"]]]
        found[channel.name] = HostGate(len(found), when, match)
    return found


def registers(count: int, beyond: str) -> list[str]:
    """Return the text of the registers of all gates; `beyond` is the wire of those further on."""
    return [
        "  wire [3:0] gate_at;",
        f"  wire [{count - 1}:0] gate_writes, gating, gate_open;",
        f"  firesim_gate_registers #(.GATES({count})) gate_registers (",
        f"    .{HOST_CLOCK}({HOST_CLOCK}), .write(axil_awvalid & axil_awready), "
        ".awaddr(axil_awaddr),",
        f"    .wdata(axil_wdata), .araddr(axil_araddr), .beyond({beyond}), .found(further),",
        "    .gate_at(gate_at), .gate_writes(gate_writes), .gating(gating), .open(gate_open));",
    ]


def _bits(field: Field, width: int, token: str) -> str:
    bits = f"{token}[{field.low_bit} +: {field.width_bits}]"
    more = width - field.width_bits
    return f"{{{more}'d0, {bits}}}" if more else bits


def instance(gate: HostGate, name: str) -> list[str]:
    """Return the text of the gate of an output channel, which is called `name`."""
    index, token = gate.index, f"bits_{name}"
    fields = ", ".join(_bits(one, gate.width_bits, token) for one in reversed(gate.match))
    return [
        f"  wire passes_{name};",
        f"  firesim_gate #(.WIDTH({gate.width_bits}), .FIELDS({len(gate.match)})) gate_{index} (",
        f"    .{HOST_CLOCK}({HOST_CLOCK}), .{HOST_RESET}({HOST_RESET}), "
        f".write(gate_writes[{index}]),",
        f"    .at(gate_at), .value(axil_wdata), .next(next), .when({token}[{gate.when.low_bit}]),",
        f"    .fields({{{fields}}}),",
        f"    .gating(gating[{index}]), .open(gate_open[{index}]), .passes(passes_{name}));",
    ]
