# SPDX-License-Identifier: BSD-3-Clause
"""The bit-serial far end of a UART: what is typed goes out by bits, comes back, and is shown."""

from __future__ import annotations

from pathlib import Path

import goldengate
import pytest
from firesim.topology.chipyard import SHIMS
from goldengate.harness import Model

LOOP = """\
module Loop #(parameter DIV = 6) (input clock, input reset, output pin);
  wire line;
  logic delayed;
  always_ff @(posedge clock) delayed <= line | reset;
  firesim_uart_pins #(.DIV(DIV)) pins (.clock, .reset, .txd(delayed), .rxd(line));
  assign pin = line;
endmodule
"""
PARTS = ("firesim_uart_pins", "firesim_console", "firesim_crossing")
BYTES = bytes([0x00, 0xFF, 0x55, 0xAA, 0x01, 0x80]) + b"Hi"
FRAME = 10
"""A start bit, eight bits, a stop bit."""


def _frames(pins: list[int], bit_cycles: int) -> bytes:
    """Return the bytes that a line carries, by looking at the middle of each bit."""
    found = []
    at = 0
    while 0 in pins[at:]:
        start = pins.index(0, at)
        middles = [start + bit * bit_cycles + bit_cycles // 2 for bit in range(FRAME)]
        if middles[-1] >= len(pins):
            break
        bits = [pins[middle] for middle in middles]
        assert (bits[0], bits[-1]) == (0, 1)
        found.append(sum(bit << number for number, bit in enumerate(bits[1:-1])))
        at = middles[-1]
    return bytes(found)


@pytest.mark.parametrize("bit_cycles", [2, 3, 6])
def test_what_is_typed_comes_back(tmp_path: Path, bit_cycles: int) -> None:
    source = tmp_path / "loop.sv"
    source.write_text(LOOP)
    files = [source, *(SHIMS / f"{name}.sv" for name in PARTS)]
    parameters = {"DIV": str(bit_cycles)}
    out = goldengate.compile(
        files, "Loop", tmp_path / "out", engine="generated", parameters=parameters
    )
    bridge = "pins__console__bridge__"
    pins: list[int] = []
    shown, to_type = bytearray(), list(BYTES)
    with Model(out / "model.so") as model:
        model.reset()
        inputs = {f"{bridge}{name}": 0 for name in ("in_valid", "in_bits")}
        for _ in range((len(BYTES) + 2) * (FRAME * bit_cycles + 8)):
            outputs = model.step(inputs)
            pins.append(outputs["pin"])
            if outputs[f"{bridge}out_valid"]:
                shown.append(outputs[f"{bridge}out_bits"])
            if inputs[f"{bridge}in_valid"] and outputs[f"{bridge}in_ready"]:
                del to_type[0]
            inputs[f"{bridge}in_valid"] = int(bool(to_type))
            inputs[f"{bridge}in_bits"] = to_type[0] if to_type else 0
    assert _frames(pins, bit_cycles) == BYTES
    assert bytes(shown) == BYTES
