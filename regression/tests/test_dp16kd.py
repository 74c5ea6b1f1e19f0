# SPDX-License-Identifier: BSD-3-Clause
"""Memories of many shapes, synthesized for the ECP5, behave as their text says with dp16kd.v."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import goldengate
import pytest
from goldengate.harness import Model
from goldengate.state import Port
from goldengate.synthesis import NETLIST_VERILOG, synthesize

from regression.hardware.open_bitstream.netlist import netlist_model

TOP, CLOCK, CYCLES = "Memories", "clock", 6_000
ONE_PORT = """\
module OnePort #(parameter WIDTH = 9, LOG_ROWS = 11, BYTES = 1, ORDER = 0) (
  input clock, input [13:0] address, input [BYTES-1:0] write, input enable, input clear,
  input [71:0] data, output reg [WIDTH-1:0] q);
  localparam BYTE = WIDTH / BYTES;
  (* ram_style = "block" *) reg [WIDTH-1:0] rows [0:(1<<LOG_ROWS)-1];
  initial begin
    q = 0;
    for (int i = 0; i < 256; i = i + 1) rows[i] = i * 40503 + (i << 7);
  end
  wire [LOG_ROWS-1:0] at = address[LOG_ROWS-1:0];
  always @(posedge clock) if (enable) begin
    for (int i = 0; i < BYTES; i = i + 1)
      if (write[i]) rows[at][i*BYTE +: BYTE] <= data[i*BYTE +: BYTE];
  end
  reg [WIDTH-1:0] merged;
  always @* begin
    merged = rows[at];
    for (int i = 0; i < BYTES; i = i + 1)
      if (write[i]) merged[i*BYTE +: BYTE] = data[i*BYTE +: BYTE];
  end
  always @(posedge clock)
    if (clear) q <= 0;
    else if (enable) begin
      if (ORDER == 0) q <= rows[at];
      else if (ORDER == 1) q <= merged;
      else if (!write) q <= rows[at];
    end
endmodule
"""
TWO_PORTS = """\
module TwoPorts #(parameter WIDTH = 36, LOG_ROWS = 9, BYTES = 4) (
  input clock, input [13:0] from, input [13:0] to, input [BYTES-1:0] write, input enable,
  input [71:0] data, output reg [WIDTH-1:0] q);
  localparam BYTE = WIDTH / BYTES;
  (* ram_style = "block" *) reg [WIDTH-1:0] rows [0:(1<<LOG_ROWS)-1];
  initial begin
    q = 0;
    for (int i = 0; i < 256; i = i + 1) rows[i] = i * 40503 + (i << 20);
  end
  always @(posedge clock) begin
    for (int i = 0; i < BYTES; i = i + 1)
      if (write[i]) rows[to[LOG_ROWS-1:0]][i*BYTE +: BYTE] <= data[i*BYTE +: BYTE];
    if (enable) q <= rows[from[LOG_ROWS-1:0]];
  end
endmodule
"""
ONES = [
    (1, 14, 1, 0), (2, 13, 1, 1), (4, 12, 1, 2), (9, 11, 1, 0), (9, 11, 1, 2),
    (18, 10, 2, 0), (18, 10, 2, 2), (36, 9, 4, 1), (64, 9, 8, 0),
]  # fmt: skip
TWOS = [(36, 9, 4), (18, 10, 2), (9, 11, 1), (4, 12, 1), (32, 9, 4), (72, 9, 1)]


def _design() -> tuple[str, dict[str, int]]:
    """Return a top with a memory of each shape, and the widths of its outputs."""
    instances, outputs = [], {}
    for at, (width, log_rows, count, order) in enumerate(ONES):
        outputs[f"one{at}"] = width
        instances.append(
            f"OnePort #({width}, {log_rows}, {count}, {order}) i{at} (clock, from, "
            f"write[{count - 1}:0] & {{{count}{{allow}}}}, enable, clear, wide, one{at});"
        )
    for at, (width, log_rows, count) in enumerate(TWOS):
        outputs[f"two{at}"] = width
        instances.append(
            f"TwoPorts #({width}, {log_rows}, {count}) t{at} (clock, from, to, write[{count - 1}:0]"
            f", enable, wide, two{at});"
        )
    ports = "".join(f", output [{width - 1}:0] {name}" for name, width in outputs.items())
    text = (
        f"module {TOP} (input clock, input reset, input [13:0] from, input [13:0] to, "
        f"input [7:0] write, input allow, input enable, input clear, input [35:0] data{ports});\n"
    )
    text += "wire [71:0] wide = {~data, data};\n"
    return text + "\n".join(instances) + "\nendmodule\n" + ONE_PORT + TWO_PORTS, outputs


INPUTS = {"reset": 1, "from": 14, "to": 14, "write": 8, "allow": 1, "enable": 1, "clear": 1,
          "data": 36}  # fmt: skip


def _inputs(generator: random.Random) -> dict[str, int]:
    """Return the inputs of a cycle: few rows, so that what was written is read again."""
    values = {name: generator.getrandbits(width) for name, width in INPUTS.items()}
    for name in ("from", "to"):
        values[name] &= 0b10_0010_0011_0011 if generator.random() < 0.9 else 0x3FFF
    values["reset"] = 0
    values["clear"] &= generator.getrandbits(1)
    return values


def _answers(library: Path, stream: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    with Model(library) as model:
        return [dict(model.step(values)) for values in stream]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The text on the RTL engine, the netlist with its cells in Verilator, and the netlist."""
    work = tmp_path_factory.mktemp("memories")
    text, outputs = _design()
    (work / "memories.sv").write_text(text)
    cpu = goldengate.compile([work / "memories.sv"], TOP, work / "cpu", clock=CLOCK)
    synthesize([work / "memories.sv"], TOP, "ecp5", work / "board")
    ports = [Port(name, width, "in") for name, width in INPUTS.items()]
    ports += [Port(name, width, "out") for name, width in outputs.items()]
    netlist = work / "board" / NETLIST_VERILOG
    return cpu / "model.so", netlist_model(netlist, TOP, CLOCK, ports, work / "model"), netlist


def test_netlist_is_the_text(models: tuple[Path, Path, Path]) -> None:
    """Every output in every cycle, with reads of what is being written wherever it is defined."""
    generator = random.Random(1)
    stream = [_inputs(generator) for _ in range(CYCLES)]
    expected, found = _answers(models[0], stream), _answers(models[1], stream)
    for cycle, (one, other) in enumerate(zip(expected, found, strict=True)):
        wrong = {name: (one[name], other[name]) for name in other if one[name] != other[name]}
        assert not wrong, f"cycle {cycle}: {wrong}"


def test_every_width_is_used(models: tuple[Path, Path, Path]) -> None:
    """Yosys took block memories of each width, and two ways to read what is written."""
    text = models[2].read_text()
    settings = [f".DATA_WIDTH_A(32'd{width})" for width in (1, 2, 4, 9, 18, 36)]
    settings += [f'.WRITEMODE_A("{mode}")' for mode in ("READBEFOREWRITE", "WRITETHROUGH")]
    settings += [f'.RESETMODE("{mode}")' for mode in ("SYNC", "ASYNC")]
    assert [one for one in settings if one not in text] == []
