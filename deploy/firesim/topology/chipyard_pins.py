# SPDX-License-Identifier: BSD-3-Clause
"""A Chipyard chip without its harness: a module around `ChipTop` that serves its pins by name.

Clocks and resets are those of the simulation, main memory and the first UART are our parts, and
hart 0 starts by the pin `custom_boot`, as a serial TileLink link has no host here. All other inputs
are held still.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firesim.topology.chipyard_facts import AXI_FIELDS, DRAM, INDEX, axi_memory
from firesim.topology.chipyard_ports import declarations_of

CHIP, WRAPPER, INSTANCE = "ChipTop", "FireSimChipTop", "chiptop0"
BOOT_PIN = "custom_boot"
UART_BAUD = 115_200
"""Of Chipyard's UARTs, until software asks for another rate."""
LEAST_DIVISOR = 2
"""Of our end of the line."""
_PORT = re.compile(r"(?:(input|output)\b)?\s*(?:wire|logic)?\s*(?:\[(\d+):0\])?\s*(\w+)\s*")
_MEMORY = re.compile(r"axi4_mem_(\d+)_(?:bits_)?(aw|w|b|ar|r)_(ready|valid|bits_(\w+))")
_UART = re.compile(r"uart_(\d+)_(txd|rxd)")
_TSI = re.compile(r"(?:\w+_)?tsi_(in|out)_(valid|ready|bits)")
_CLOCK, _RESET = (re.compile(rf"(?:\w+_)?{word}(?:_\w+)?") for word in ("clock", "reset"))
_ONES = re.compile(r"jtag_(TMS|TDI|TRSTn)|\w+_out_ready|uart_\d+_rxd")
"""Inputs that are 1 at rest."""


class PinError(ValueError):
    """Pins that cannot be served."""


@dataclass(frozen=True)
class Pin:
    """A port of the chip."""

    name: str
    is_output: bool
    bits: int


@dataclass(frozen=True)
class Pins:
    """What was made of a chip's pins."""

    verilog: str
    """The module around the chip."""
    lines: tuple[str, ...]
    """For people."""


def pins_of(text: str) -> list[Pin]:
    """Return the ports of the chip; `text` has no comments. Empty without a head."""
    pins: list[Pin] = []
    is_output, bits = False, 1
    for part in declarations_of(text, CHIP):
        port = _PORT.fullmatch(part.strip())
        if port is None:
            return []
        if port[1] or port[2]:  # Else it has those of the port before it.
            is_output = port[1] == "output" if port[1] else is_output
            bits = int(port[2]) + 1 if port[2] else 1
        pins.append(Pin(port[3], is_output, bits))
    return pins


def around(text: str, clock_hz: int) -> Pins:
    """Return the module around a chip whose fastest clock has `clock_hz`.

    Raises:
        PinError: the chip has no clock, or several channels of memory.
    """
    pins = {pin.name: pin for pin in pins_of(text)}
    inputs = [pin.name for pin in pins.values() if not pin.is_output]
    memory = {name for name in pins if _MEMORY.fullmatch(name)}
    clocks = [name for name in inputs if _CLOCK.fullmatch(name) and name not in memory]
    if not clocks:
        raise PinError(f"found no input with a clock at {CHIP}, expected one such as clock_uncore.")
    channels = {found[1] for name in memory if (found := _MEMORY.fullmatch(name))}
    if len(channels) > 1:
        raise PinError(
            f"found {len(channels)} channels of memory at {CHIP}, expected one: a node has one."
        )
    resets = [name for name in inputs if _RESET.fullmatch(name) and name not in clocks]
    tsi = {found[1] + "_" + found[2]: name for name in pins if (found := _TSI.fullmatch(name))}
    body = [*_memory(pins, memory), *_uart(pins), *_tsi(tsi)]
    driven = set(re.findall(r"\((\w+)\)", "\n".join(body)))
    still = [name for name in inputs if name not in {*clocks, *resets, *driven, BOOT_PIN}]
    body += [f"assign {name} = clock;" for name in clocks]
    body += [f"assign {name} = reset;" for name in resets]
    body += [f"assign {BOOT_PIN} = 1'b{int(not tsi)};"] if BOOT_PIN in pins else []
    for name in still:
        body.append(f"assign {name} = {'1' if _ONES.fullmatch(name) else '0'};")
    return Pins(
        _module(pins, body, clock_hz), tuple(_lines(clocks, resets, bool(tsi), pins, still))
    )


def _module(pins: Mapping[str, Pin], body: list[str], clock_hz: int) -> str:
    wires = [f"wire {f'[{pin.bits - 1}:0] ' * (pin.bits > 1)}{pin.name};" for pin in pins.values()]
    wires = [line for line in wires if line not in ("wire clock;", "wire reset;")]
    body = [line for line in body if line not in ("assign clock = clock;", "assign reset = reset;")]
    ports = ", ".join(f".{name}({name})" for name in pins)
    lines = "\n".join(f"  {line}" for line in [*wires, *body, f"{CHIP} {INSTANCE} ({ports});"])
    divisor = max(clock_hz // UART_BAUD, LEAST_DIVISOR)
    head = f"module {WRAPPER} #(parameter UART_DIV = {divisor}) (input clock, input reset);"
    return f"{head}\n{lines}\nendmodule\n"


def _memory(pins: Mapping[str, Pin], names: set[str]) -> Iterator[str]:
    """Return the instance of memory, if the chip has its pins."""
    ends = {f"{one[2]}_{one[3]}": name for name in names if (one := _MEMORY.fullmatch(name))}
    if not ends:
        return

    def bits(end: str, default: int) -> int:
        return pins[ends[end]].bits if end in ends else default

    found = axi_memory(
        bits("ar_bits_addr", 32), bits("r_bits_data", 64), bits("ar_bits_id", 1), INDEX
    )
    values = {
        "ADDR_BITS": found.address_bits,
        "DATA_BITS": found.data_bits,
        "ID_BITS": found.id_bits,
        "MEM_BASE": found.base,
        "MEM_SIZE": found.size_bytes,
    }
    own = next((name for name in pins if re.fullmatch(r"axi4_mem_\d+_clock", name)), "clock")
    ports = [f".clock({own if own in pins and pins[own].is_output else 'clock'})", ".reset(reset)"]
    for channel, fields in AXI_FIELDS.items():
        for end in ("valid", "ready", *(f"bits_{name}" for name in fields)):
            if name := ends.get(f"{channel}_{end}"):
                ports.append(f".axi_{channel}_{end}({name})")
    given = ", ".join(f".{key}({value})" for key, value in values.items())
    yield f"{DRAM} #({given}) simdram ({', '.join(ports)});"


def _uart(pins: Mapping[str, Pin]) -> Iterator[str]:
    if {"uart_0_txd", "uart_0_rxd"} <= pins.keys():
        ports = ".clock(clock), .reset(reset), .txd(uart_0_txd), .rxd(uart_0_rxd)"
        yield f"firesim_uart_pins #(.DIV(UART_DIV)) uart ({ports});"


def _tsi(ends: Mapping[str, str]) -> Iterator[str]:
    if len(ends) == 6:
        ports = ", ".join(f".{end}({name})" for end, name in sorted(ends.items()))
        yield f"firesim_tsi tsi (.clock(clock), .reset(reset), {ports});"


def _lines(
    clocks: list[str], resets: list[str], tsi: bool, pins: Mapping[str, Pin], still: list[str]
) -> Iterator[str]:
    yield f"pins of {CHIP}: clock {', '.join(clocks)}; reset {', '.join(resets) or 'none'}"
    if tsi:
        yield "hart 0 is started by TSI"
    elif BOOT_PIN in pins:
        yield f"hart 0 is started by the pin {BOOT_PIN}; the host looks for tohost in memory"
    else:
        yield f"no pin {BOOT_PIN} and no TSI: hart 0 has to start by itself"
    if still:
        yield f"inputs that are held still: {', '.join(still)}"
