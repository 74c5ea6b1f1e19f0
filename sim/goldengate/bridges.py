# SPDX-License-Identifier: BSD-3-Clause
"""The bridge modules a design may instantiate: the port table of docs/reference/interfaces.md.

A bridge is a black box named `FireSim<Kind>Bridge`. `stub_verilog()` declares them all, so that
designs need not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

BRIDGE_MODULE = re.compile(r"FireSim\w*Bridge")

Width = int | str
"""Bits: a number, or an expression of the bridge's parameters such as `DATA_BITS/8`."""


@dataclass(frozen=True)
class BridgeKind:
    """One kind of bridge. `out_ports` go from target to host, `in_ports` from host to target."""

    key: str
    out_ports: Mapping[str, Width]
    in_ports: Mapping[str, Width] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)

    def width_bits(self, port: str, parameters: Mapping[str, int]) -> int:
        """Return the width of a port under these parameters (missing ones take their default)."""
        width = {**self.out_ports, **self.in_ports}[port]
        if isinstance(width, int):
            return width
        name, _, divisor = width.partition("/")
        return {**self.parameters, **parameters}[name] // int(divisor or 1)


def _address_channel(prefix: str) -> dict[str, Width]:
    return {
        f"{prefix}_valid": 1,
        f"{prefix}_id": "ID_BITS",
        f"{prefix}_addr": "ADDRESS_BITS",
        f"{prefix}_len": 8,
        f"{prefix}_size": 3,
        f"{prefix}_burst": 2,
    }


BRIDGES: dict[str, BridgeKind] = {
    "FireSimUARTBridge": BridgeKind(
        "uart",
        {"out_valid": 1, "out_bits": 8, "in_ready": 1},
        {"out_ready": 1, "in_valid": 1, "in_bits": 8},
    ),
    "FireSimBlockDeviceBridge": BridgeKind(
        "block_device",
        {
            "req_valid": 1,
            "req_write": 1,
            "req_sector": 32,
            "req_count": 16,
            "req_tag": 8,
            "wdata_valid": 1,
            "wdata_bits": 64,
            "wdata_tag": 8,
            "rdata_ready": 1,
            "wack_ready": 1,
        },
        {
            "req_ready": 1,
            "wdata_ready": 1,
            "rdata_valid": 1,
            "rdata_bits": 64,
            "rdata_tag": 8,
            "wack_valid": 1,
            "wack_tag": 8,
            "info_sectors": 32,
            "info_max_request": 16,
        },
    ),
    "FireSimNICBridge": BridgeKind(
        "nic",
        {"out_valid": 1, "out_data": 64, "out_last": 1},
        {
            "in_valid": 1,
            "in_data": 64,
            "in_last": 1,
            "mac_address": 48,
            "rate_increment": 16,
            "rate_period": 16,
        },
    ),
    "FireSimMemoryBridge": BridgeKind(
        "memory",
        {
            **_address_channel("aw"),
            "w_valid": 1,
            "w_data": "DATA_BITS",
            "w_strb": "DATA_BITS/8",
            "w_last": 1,
            "b_ready": 1,
            **_address_channel("ar"),
            "r_ready": 1,
        },
        {
            "aw_ready": 1,
            "w_ready": 1,
            "b_valid": 1,
            "b_id": "ID_BITS",
            "b_resp": 2,
            "ar_ready": 1,
            "r_valid": 1,
            "r_id": "ID_BITS",
            "r_data": "DATA_BITS",
            "r_resp": 2,
            "r_last": 1,
        },
        {"ID_BITS": 4, "ADDRESS_BITS": 32, "DATA_BITS": 64},
    ),
    "FireSimTraceRVBridge": BridgeKind(
        "tracerv",
        {
            "valid": 1,
            "pc": 64,
            "instruction": 32,
            "privilege": 3,
            "exception": 1,
            "interrupt": 1,
            "cause": 64,
            "tval": 64,
        },
        parameters={"HART": 0},
    ),
    "FireSimTerminationBridge": BridgeKind("termination", {"valid": 1, "value": 32}),
}


def _port(direction: str, name: str, width: Width) -> str:
    return f"  {direction} [({width})-1:0] {name}"


def stub_verilog(module: str) -> str:
    """Return the SystemVerilog declaration of a bridge module, without a body."""
    kind = BRIDGES[module]
    parameters = ", ".join(f"parameter {name} = {value}" for name, value in kind.parameters.items())
    ports = ["  input clock", "  input reset"]
    ports += [_port("input", name, width) for name, width in kind.out_ports.items()]
    ports += [_port("output", name, width) for name, width in kind.in_ports.items()]
    header = f"(* blackbox *) module {module}" + (f" #({parameters})" if parameters else "")
    return header + " (\n" + ",\n".join(ports) + "\n);\nendmodule\n"
