# SPDX-License-Identifier: BSD-3-Clause
"""Verilog for the bridges of a FireSim target: each black box becomes a module around ours.

A bridge has no parameters in Verilog and its ports depend on the design, so each instance gets a
module of its own, by the name that the black box has in the FIRRTL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from firesim.topology import firesim_target as target
from firesim.topology.chipyard_facts import AXI_FIELDS
from firesim.topology.chipyard_firrtl import INSTANCE, WRAPPER, FirrtlDesign
from firesim.topology.firesim_target import Bridge
from firesim.topology.plusargs import Value

PREFIX = "FireSimPart_"
RESET_CYCLES = 50
"""Of FireSim's ResetPulseBridge, in cycles of its clock, where the annotation does not say."""
UART_DIV = 271
"""Of FireSim's UARTBridge: 1 GHz by 3,686,400 bits a second."""
PERIOD_PS = 1000
PASS, FAIL = 0x5555, 0x3333
"""Values of our termination bridge."""


def module_name(bridge: Bridge) -> str:
    """Return the name of the module that stands for a bridge."""
    return PREFIX + bridge.ident


def verilog(design: FirrtlDesign, plusargs: Mapping[str, Value]) -> str:
    """Return the modules for all bridges of a design, and the one around it if it needs one.

    `plusargs` are the options given, whose bridges have these values.
    """
    hart = 0
    texts = []
    for bridge in design.bridges:
        body = list(_body(bridge, hart, plusargs))
        hart += target.trace_width(bridge.kind) is not None
        texts.append(_module(bridge, body))
    if design.is_wrapped:
        texts.append(
            f"module {WRAPPER} (input clock, input reset);\n"
            f"  {design.circuit} {INSTANCE} ();\nendmodule\n"
        )
    return "\n".join(texts)


def _module(bridge: Bridge, body: Sequence[str]) -> str:
    ports = [
        f"    {'output' if port.is_output else 'input'} {_range(port.bits)}{port.name}"
        for port in bridge.ports
    ]
    text = "".join(f"  {line}\n" for line in body)
    given = "\n".join(body)
    # What the part does not drive is 0.
    for port in bridge.ports:
        if port.is_output and not re.search(rf"\b{port.name}\b", given):
            text += f"  assign {port.name} = {port.bits}'d0;\n"
    return f"module {module_name(bridge)} (\n" + ",\n".join(ports) + f"\n);\n{text}endmodule\n"


def _range(bits: int) -> str:
    return f"[{bits - 1}:0] " if bits > 1 else ""


def _body(bridge: Bridge, hart: int, plusargs: Mapping[str, Value]) -> Iterator[str]:
    if not bridge.is_taken:
        return
    if bridge.kind == target.PLUSARG:
        yield from _plusarg(bridge, plusargs)
        return
    if lanes := target.trace_width(bridge.kind):
        yield from _trace(bridge, hart, lanes)
    else:
        yield from _BODIES[bridge.kind](bridge)


def _instance(
    module: str, ports: Sequence[tuple[str, str]], parameters: str = "", name: str = "part"
) -> str:
    given = f" #({parameters})" if parameters else ""
    return f"{module}{given} {name} ({', '.join(f'.{ours}({theirs})' for ours, theirs in ports)});"


def _bits(bridge: Bridge, name: str, default: int = 1) -> int:
    return next((port.bits for port in bridge.ports if port.name == name), default)


def _clocks(bridge: Bridge) -> Iterator[str]:
    outputs = [port.name for port in bridge.ports if port.is_output]
    periods = target.clock_periods(bridge.key)
    if len(periods) != len(outputs) or len(set(periods)) == 1:
        periods = [0] * len(outputs)
    for name, period in zip(outputs, periods, strict=True):
        yield f"FireSimClockSource #(.PERIOD_PS({period * PERIOD_PS})) of_{name} (.clock({name}));"


def _reset(bridge: Bridge) -> Iterator[str]:
    cycles = int(bridge.key.get("defaultPulseLength", RESET_CYCLES))
    inverted = "" if bridge.key.get("activeHigh", True) else "!"
    yield "logic [31:0] passed = 32'd0;"
    yield f"wire active = passed != 32'd{cycles};"
    yield "always_ff @(posedge clock) if (active) passed <= passed + 32'd1;"
    yield f"assign reset = {inverted}active;"


def _uart(bridge: Bridge) -> Iterator[str]:
    pins = [("clock", "clock"), ("reset", "reset"), ("txd", "uart_txd"), ("rxd", "uart_rxd")]
    yield _instance("firesim_uart_pins", pins, f".DIV({int(bridge.key.get('div', UART_DIV))})")


def _disk(bridge: Bridge) -> Iterator[str]:
    ports = [(port.name, port.name) for port in bridge.ports]
    tag_bits = _bits(bridge, "bdev_req_bits_tag")
    yield _instance("SimBlockDevice", ports, f".TAG_BITS({tag_bits})")


def _nic(bridge: Bridge) -> Iterator[str]:
    reset = [] if any(port.name == "reset" for port in bridge.ports) else [("reset", "1'b0")]
    ports = [(re.sub("^nic_", "net_", port.name), port.name) for port in bridge.ports]
    yield _instance("SimNetwork", [*ports, *reset])


def _memory(bridge: Bridge) -> Iterator[str]:
    ports = [("clock", "clock"), ("reset", "reset")]
    for channel, fields in AXI_FIELDS.items():
        for end in ("valid", "ready", *(f"bits_{name}" for name in fields)):
            ports.append((f"axi_{channel}_{end}", f"axi4_{channel}_{end}"))
    widths = {
        "ADDR_BITS": _bits(bridge, "axi4_ar_bits_addr", 32),
        "DATA_BITS": _bits(bridge, "axi4_r_bits_data", 64),
        "ID_BITS": _bits(bridge, "axi4_ar_bits_id"),
    }
    given = ", ".join(f".{name}({bits})" for name, bits in widths.items())
    yield _instance("SimDRAM", ports, given)


def _tsi(bridge: Bridge) -> Iterator[str]:
    ports = [("clock", "clock"), ("reset", "reset")]
    prefix = next(p.name for p in bridge.ports if p.name.endswith("_out_bits"))[: -len("out_bits")]
    for way in ("out", "in"):
        ports += [(f"{way}_{end}", f"{prefix}{way}_{end}") for end in ("valid", "ready", "bits")]
    yield _instance("firesim_tsi", ports)


def _debug(bridge: Bridge) -> Iterator[str]:
    ports = [("clock", "clock"), ("reset", "reset"), ("resp_bits", "debug_resp_bits_resp")]
    ports += [(f"req_{end}", f"debug_req_bits_{end}") for end in ("addr", "op", "data")]
    ports += [("resp_data", "debug_resp_bits_data")]
    ports += [
        (f"{way}_{end}", f"debug_{way}_{end}")
        for way in ("req", "resp")
        for end in ("valid", "ready")
    ]
    yield _instance("firesim_dmi", ports)


def _plusarg(bridge: Bridge, plusargs: Mapping[str, Value]) -> Iterator[str]:
    name = str(bridge.key.get("name", "")).partition("=")[0]
    value = plusargs.get(name) or str(bridge.key.get("default", 0))
    yield f"assign out = {_bits(bridge, 'out')}'d{int(value)};"


def _end(bridge: Bridge) -> Iterator[str]:
    """Each condition ends the blade: an error with code 1, its message is not kept."""
    conditions = bridge.key.get("conditionInfo") or []
    errors = [index for index, one in enumerate(conditions) if one.get("isErr")]
    failed = " || ".join(f"terminationCode == {index}" for index in errors) or "1'b0"
    value = f"{failed} ? 32'h1_{FAIL:04x} : 32'h{PASS:04x}"
    ports = [("clock", "clock"), ("reset", "1'b0"), ("valid", "valid"), ("value", value)]
    yield _instance("FireSimTerminationBridge", ports)


def _ground_test(bridge: Bridge) -> Iterator[str]:
    ports = [("clock", "clock"), ("reset", "1'b0"), ("valid", "success")]
    yield _instance("FireSimTerminationBridge", [*ports, ("value", f"32'h{PASS:04x}")])


def _trace(bridge: Bridge, hart: int, lanes: int) -> Iterator[str]:
    """A bridge for each of the commits of a cycle, in program order.

    A trap is told by `exception`, with `valid` or without it.
    """
    names = {port.name for port in bridge.ports}
    first = next(name for name in sorted(names) if name.endswith("insns_0_valid"))
    clock = next(name for name in ("clock", "tiletrace_clock", "trace_clock") if name in names)
    for lane in range(lanes):
        at = first.removesuffix("0_valid") + f"{lane}_"
        bits = _bits(bridge, f"{at}iaddr", 64)
        cause_bits = _bits(bridge, f"{at}cause", 64)
        ports = [
            ("clock", clock),
            ("reset", "1'b0"),
            ("valid", f"{at}valid && !{at}exception"),
            ("pc", f"64'($signed({at}iaddr))" if bits < 64 else f"{at}iaddr"),
            ("instruction", f"32'({at}insn)"),
            ("privilege", f"3'({at}priv)"),
            ("exception", f"{at}exception"),
            ("interrupt", f"{at}interrupt"),
            ("cause", f"64'({at}cause) & ~(64'd1 << {cause_bits - 1})"),
            ("tval", f"64'({at}tval)"),
        ]
        given = f".HART({hart}), .LANE({lane}), .LANES({lanes})"
        yield _instance("FireSimTraceRVBridge", ports, given, f"lane{lane:02}")


_BODIES: dict[str, Callable[[Bridge], Iterator[str]]] = {
    target.CLOCKS: _clocks,
    target.RESET: _reset,
    target.UART: _uart,
    target.DISK: _disk,
    target.NIC: _nic,
    target.MEMORY: _memory,
    target.TSI: _tsi,
    target.SERIAL: _tsi,
    target.DEBUG: _debug,
    target.END: _end,
    target.GROUND_TEST: _ground_test,
}
