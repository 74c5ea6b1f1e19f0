# SPDX-License-Identifier: BSD-3-Clause
"""Bridges whose host's side is RTL, inside `host.v`: what their declarations say becomes its text.

The section `host_rtl` of a bridge.yaml names a module that takes the tokens of the bridge's output
channel and gives those of its input channel, in place of words to the host's program. The host
reaches it by registers (`firesim_bridge_registers.v`); one with `memory: true` also has a port to a
DRAM, `mem<N>_…` of the top, at which `dram_access.py` lets the host in. The module's ports are in
docs/how-to/write-a-bridge.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goldengate import capture, dram_access
from goldengate.bridges import BridgeKind, HostRtl
from goldengate.channels import HOST_CLOCK, HOST_RESET, Channel
from goldengate.errors import GoldenGateError, nearest
from goldengate.host_pins import Pin, channel_pins
from goldengate.manifest import Manifest, Part
from goldengate.state import Bridge

REGISTERS_FILE = "firesim_bridge_registers.v"
_FIRST_STALL = 192
"""Number of the first channel of a part among those that stall by chance."""


@dataclass(frozen=True)
class HostPart:
    """A bridge of a target whose host's side is RTL."""

    index: int
    rtl: HostRtl
    part: Part
    into: Channel
    out: Channel


def host_parts(
    manifest: Manifest, kinds: Mapping[str, BridgeKind], wanted: Mapping[str, Mapping[str, int]]
) -> list[HostPart]:
    """Return the parts that `wanted`, parameters by the key of a kind, makes of a target's bridges.

    Raises:
        GoldenGateError: a kind without RTL, or a parameter that it does not have.
    """
    by_key = {kind.key: kind for kind in kinds.values()}
    for key, parameters in wanted.items():
        _check(key, by_key, parameters)
    found: list[HostPart] = []
    memories = 0
    for bridge in manifest.bridges:
        if bridge.kind not in wanted:
            continue
        rtl = by_key[bridge.kind].host_rtl
        assert rtl is not None
        for name, most in rtl.most.items():
            if bridge.parameters[name] > most:
                raise GoldenGateError(
                    f"{bridge.path}: found {name} {bridge.parameters[name]}, expected at most "
                    f"{most}, which the host RTL of {bridge.module} takes."
                )
        given = {**bridge.parameters, **rtl.defaults, **wanted[bridge.kind]}
        number = memories if rtl.memory else None
        memories += rtl.memory
        part = Part(bridge.path, bridge.kind, given, number)
        found.append(HostPart(len(found), rtl, part, *_channels(manifest, bridge)))
    return found


def _check(key: str, kinds: Mapping[str, BridgeKind], parameters: Mapping[str, int]) -> None:
    able = [name for name, kind in kinds.items() if kind.host_rtl is not None]
    if key not in able:
        raise GoldenGateError(
            f'found host RTL for "{key}", expected a bridge whose declaration has host_rtl: '
            f"{', '.join(sorted(able)) or 'none has'}{nearest(key, able)}."
        )
    rtl = kinds[key].host_rtl
    assert rtl is not None
    for name in parameters:
        if name not in rtl.parameters:
            raise GoldenGateError(
                f'found the parameter "{name}" of the host RTL of "{key}", expected one of: '
                f"{', '.join(rtl.parameters) or 'none'}{nearest(name, rtl.parameters)}."
            )


def _channels(manifest: Manifest, bridge: Bridge) -> tuple[Channel, Channel]:
    assert manifest.fame1 is not None
    of_it = [one for one in manifest.fame1.channels if one.bridge == bridge.path]
    into = [one for one in of_it if one.direction == "in"]
    out = [one for one in of_it if one.direction == "out"]
    if not into or not out:
        raise GoldenGateError(
            f"{bridge.path}: found ports in one direction at a bridge with host RTL, expected both."
        )
    return into[0], out[0]


def design_hash(design: str, parts: list[HostPart]) -> str:
    """Return the fingerprint of a design with these parts: its own without any."""
    if not parts:
        return design
    digest = hashlib.sha256(design.encode())
    for each in parts:
        digest.update(repr(each.part).encode())
        for file in each.rtl.files:
            digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:16]


def files(parts: list[HostPart]) -> list[Path]:
    """Return the files of the parts, each once, packages before what imports them."""
    named = dict.fromkeys(Path(file) for each in parts for file in each.rtl.files)
    return list(named)


def memory_ports(parts: list[HostPart]) -> list[int]:
    """Return the numbers of the top's ports to DRAMs."""
    return [each.part.memory_port for each in parts if each.part.memory_port is not None]


def port_declarations(parts: list[HostPart]) -> str:
    """Return the further ports of the top, each after a comma."""
    return dram_access.port_declarations(memory_ports(parts))


def _registers(count: int, found: str) -> list[str]:
    return [
        "  wire [15:0] part_at;",
        f"  wire [{count - 1}:0] part_writes;",
        "  wire [63:0] part_value;",
        f"  wire [{64 * count - 1}:0] part_found;",
        f"  firesim_bridge_registers #(.PARTS({count})) part_registers (",
        f"    .{HOST_CLOCK}({HOST_CLOCK}), .write(axil_awvalid & axil_awready), "
        ".awaddr(axil_awaddr),",
        f"    .wdata(axil_wdata), .araddr(axil_araddr), .found({found}), .part_at(part_at),",
        "    .part_writes(part_writes), .part_value(part_value), .part_found(part_found));",
    ]


def stall(name: str, number: int) -> str:
    """Return the text of what makes channel `number` wait at random, as `go_NAME`."""
    return (
        f"  wire go_{name};\n"
        f"  firesim_stall #(.CHANNEL({number})) stall_{name} (.{HOST_CLOCK}({HOST_CLOCK}), "
        f".load(stall_load), .seed(stall_seed), .rate(stall_rate), .go(go_{name}));"
    )


def _part(manifest: Manifest, each: HostPart) -> list[str]:
    """Return the text of one part, and what its channels are called."""
    index, name = each.index, f"part_{each.index}"
    bridge = next(one for one in manifest.bridges if one.path == each.part.bridge)
    lines = [
        f"  // {each.part.bridge}: {each.rtl.module}",
        stall(f"{name}_in", _FIRST_STALL + 2 * index),
        stall(f"{name}_out", _FIRST_STALL + 2 * index + 1),
        f"  wire valid_{name}_in, ready_{name}_in, valid_{name}_out, ready_{name}_out;",
        f"  wire [{each.into.width_bits - 1}:0] bits_{name}_in;",
        f"  wire [{each.out.width_bits - 1}:0] bits_{name}_out;",
    ]
    connections = [
        f".{HOST_CLOCK}({HOST_CLOCK})", f".{HOST_RESET}({HOST_RESET})",
        ".register_at(part_at)", f".register_write(part_writes[{index}])",
        ".register_value(part_value)", f".register_found(part_found[{64 * index} +: 64])",
        f".out_valid(valid_{name}_out & go_{name}_out)", f".out_ready(ready_{name}_out)",
        f".in_valid(valid_{name}_in)", f".in_ready(ready_{name}_in & go_{name}_in)",
    ]  # fmt: skip
    if each.part.memory_port is not None:
        port = each.part.memory_port
        connections += [f".mem_{pin}(part_mem{port}_{pin})" for pin in dram_access.PORT]
    named = {port: own for own, port in bridge.ports.items()}
    for channel, way in ((each.into, "in"), (each.out, "out")):
        connections += [
            f".{named[field.port]}(bits_{name}_{way}[{field.low_bit} +: {field.width_bits}])"
            for field in channel.fields
        ]
    given = ", ".join(f".{key}({value})" for key, value in each.part.parameters.items())
    parameters = f" #({given})" if given else ""
    return [
        *lines,
        f"  {each.rtl.module}{parameters} {name} (",
        ",\n".join(f"    {one}" for one in connections),
        "  );",
    ]


def verilog(manifest: Manifest, parts: list[HostPart], found: str) -> list[str]:
    """Return the text of all parts and of the capture.

    What their registers read as, 0 without any, is on `found`.
    """
    lines: list[str] = []
    if manifest.capture is not None:
        lines += ["  wire [31:0] parts_found;"]
        lines += capture.host_text(manifest.capture, "parts_found", found)
        found = "parts_found"
    if not parts:
        return [*lines, f"  assign {found} = 32'd0;"]
    lines += [*_registers(len(parts), found), *dram_access.instances(memory_ports(parts))]
    for each in parts:
        lines += _part(manifest, each)
    return lines


def form_pins(parts: list[HostPart]) -> list[Pin]:
    """Return the form's ports of the parts' channels."""
    found = []
    for each in parts:
        into, out = f"part_{each.index}_in", f"part_{each.index}_out"
        valid = f"valid_{into} & go_{into}"
        found += channel_pins(each.into, valid, f"ready_{into}", f"bits_{into}")
        ready = f"ready_{out}"
        found += channel_pins(each.out, f"valid_{out}", ready, f"bits_{out}")
    return found
