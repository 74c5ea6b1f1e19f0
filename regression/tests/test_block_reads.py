# SPDX-License-Identifier: BSD-3-Clause
"""Memories behind address registers become block memory, and behave as their text says."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import goldengate
import pytest
from firesim.bitstream.builders import open_tools_job
from firesim.bitstream.builders.open_tools import NETLIST_VERILOG, synthesis
from firesim_common.tools import python_command
from goldengate import block_reads
from goldengate.harness import Model
from goldengate.state import Port

from regression.hardware.open_bitstream.netlist import netlist_model

TOP, CLOCK, CYCLES = "Registered", "clock", 6_000
MEMORY = """\
module Memory #(parameter WIDTH = 64, LOG_ROWS = 9, BYTES = 1, FIRST = 0, FREE = 0) (
  input clock, input fire, input enable, input [13:0] from, input [13:0] to,
  input [BYTES-1:0] write, input [71:0] data, output [WIDTH-1:0] q, output [LOG_ROWS-1:0] at);
  localparam BYTE = WIDTH / BYTES;
  reg [WIDTH-1:0] rows [0:(1<<LOG_ROWS)-1];
  reg [LOG_ROWS-1:0] address = FIRST;
  initial
    for (int i = 0; i < 256 && i < (1 << LOG_ROWS); i = i + 1)
      rows[i] = i * 40503 + (i << 7) + FIRST;
  always @(posedge clock) begin
    if (fire & enable) address <= from[LOG_ROWS-1:0];
    for (int i = 0; i < BYTES; i = i + 1)
      if (write[i] & (fire | FREE)) rows[to[LOG_ROWS-1:0]][i*BYTE +: BYTE] <= data[i*BYTE +: BYTE];
  end
  assign q = rows[address];
  assign at = address;
endmodule
"""
SHAPES = [
    (64, 9, 8, 0, 0), (64, 12, 1, 0, 0), (15, 11, 1, 5, 0), (32, 9, 4, 3, 1), (22, 6, 1, 0, 1),
    (8, 4, 1, 2, 0),
]  # fmt: skip
"""Width, rows as a power of two, bytes, first address, whether writes wait for the enable; the last
has so few rows that it is left as it is."""
INPUTS = {"reset": 1, "fire": 1, "enable": 1, "from": 14, "to": 14, "write": 8, "data": 36}


def _design() -> tuple[str, dict[str, int]]:
    """Return a top with a memory of each shape, and the widths of its outputs."""
    instances: list[str] = []
    outputs: dict[str, int] = {}
    for at, (width, log_rows, count, first, free) in enumerate(SHAPES):
        outputs |= {f"q{at}": width, f"at{at}": log_rows}
        instances.append(
            f"Memory #({width}, {log_rows}, {count}, {first}, {free}) m{at} (clock, fire, enable, "
            f"from, to, write[{count - 1}:0], {{~data, data}}, q{at}, at{at});"
        )
    ports = [f"input [{width - 1}:0] {name}" for name, width in INPUTS.items()]
    ports += [f"output [{width - 1}:0] {name}" for name, width in outputs.items()]
    head = f"module {TOP} (input clock, {', '.join(ports)});\n"
    return head + "\n".join(instances) + "\nendmodule\n" + MEMORY, outputs


def _inputs(generator: random.Random) -> dict[str, int]:
    """Return the inputs of a cycle: few rows, so that what was written is read again."""
    values = {name: generator.getrandbits(width) for name, width in INPUTS.items()}
    for name in ("from", "to"):
        values[name] &= 0b10_0010_0011_0011 if generator.random() < 0.9 else 0x3FFF
    values["reset"] = 0
    return values


def _answers(library: Path, stream: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    with Model(library) as model:
        return [dict(model.step(values)) for values in stream]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a build host's own program has made the netlist of `Registered`."""
    work = tmp_path_factory.mktemp("registered")
    for file in (block_reads.__file__, open_tools_job.__file__):
        shutil.copy(str(file), work)
    (work / "registered.sv").write_text(_design()[0])
    (work / open_tools_job.JOB).write_text(json.dumps({"yosys": synthesis(TOP, ["registered.sv"])}))
    command = python_command(Path(open_tools_job.__file__).name, "yosys")
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    (work / "yosys.log").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, done.stderr
    return work


def test_netlist_is_the_text(work: Path) -> None:
    """Every output in every cycle, the first included, whether or not the enables allow a read."""
    cpu = goldengate.compile([work / "registered.sv"], TOP, work / "cpu", clock=CLOCK)
    ports = [Port(name, width, "in") for name, width in INPUTS.items()]
    ports += [Port(name, width, "out") for name, width in _design()[1].items()]
    netlist = netlist_model(work / NETLIST_VERILOG, TOP, CLOCK, ports, work / "model")
    generator = random.Random(1)
    stream = [_inputs(generator) for _ in range(CYCLES)]
    expected, found = _answers(cpu / "model.so", stream), _answers(netlist, stream)
    for cycle, (one, other) in enumerate(zip(expected, found, strict=True)):
        wrong = {name: (one[name], other[name]) for name in other if one[name] != other[name]}
        assert not wrong, f"cycle {cycle}: {wrong}"


def test_only_small_memories_stay_small(work: Path) -> None:
    """Each memory of 64 rows or more is named as changed; the large ones lie in blocks."""
    line = next(
        line
        for line in (work / "yosys.log").read_text().splitlines()
        if line.startswith("read a cycle early: ")
    )
    named = set(line.partition(": ")[2].split(", "))
    assert named == {f"m{at}.rows" for at in range(len(SHAPES) - 1)}
    text = (work / NETLIST_VERILOG).read_text()
    blocks = sum(text.count(f"  {cell} #(") for cell in ("DP16KD", "PDPW16KD"))
    small = text.count("  TRELLIS_DPR16X4 #(")
    assert blocks >= 21 and small <= 26, (blocks, small)
