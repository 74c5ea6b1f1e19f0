# SPDX-License-Identifier: BSD-3-Clause
"""Ports of three hosts to one DRAM behind AXI4, with two clocks: every word is that last written.

The memory here answers in any order between ids, and a read that comes before the answer of a write
does not see it, which is all that AXI promises.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from goldengate.channels import RTL
from goldengate.harness import Model
from goldengate.tests.designs import seed
from goldengate.tests.test_pcie_window import two_clocks

PORTS, ROWS = 3, 5
REGION_BYTES = 1 << 32
ERROR = 2
TOP = """\
module Top(input wire clock, input wire slow, input wire reset, input wire is_up,
  input wire [2:0] request_valid, output wire [2:0] request_ready, input wire [2:0] request_write,
  input wire [2:0] request_row, input wire [119:0] request_address,
  input wire [191:0] request_data, input wire [23:0] request_strobe,
  output wire [2:0] response_valid, output wire [191:0] response_data,
  output wire [15:0] awid, output wire [63:0] awaddr, output wire awvalid, input wire awready,
  output wire [511:0] wdata, output wire [63:0] wstrb, output wire wvalid, input wire wready,
  input wire [15:0] bid, input wire [1:0] bresp, input wire bvalid,
  output wire [15:0] arid, output wire [63:0] araddr, output wire arvalid, input wire arready,
  input wire [15:0] rid, input wire [511:0] rdata, input wire [1:0] rresp, input wire rvalid,
  output wire rready);
  reg host_reset = 1'b1, far_reset = 1'b1;
  always @(posedge {near}) host_reset <= reset;
  always @(posedge {far}) far_reset <= reset;
  wire [2:0] write_valid, write_ready, write_done, read_valid, read_ready, row_valid, row_ready;
  wire [101:0] write_row, read_row;
  wire [1535:0] write_data;
  wire [191:0] write_strobe;
  wire [511:0] row_data;
  firesim_dram_axi #(.COUNT(3)) memories (.clock({far}), .reset(far_reset), .bready(),
    .wrong(), .*);
  genvar i;
  generate for (i = 0; i < 3; i = i + 1) begin : host
    firesim_dram_port port (
      .host_clock({near}), .host_reset(host_reset), .request_valid(request_valid[i]),
      .request_ready(request_ready[i]), .request_write(request_write[i]),
      .request_row(request_row[i]), .request_address(request_address[40*i +: 40]),
      .request_data(request_data[64*i +: 64]), .request_strobe(request_strobe[8*i +: 8]),
      .response_valid(response_valid[i]), .response_data(response_data[64*i +: 64]),
      .clock({far}), .reset(far_reset), .write_valid(write_valid[i]),
      .write_ready(write_ready[i]), .write_row(write_row[34*i +: 34]),
      .write_data(write_data[512*i +: 512]), .write_strobe(write_strobe[64*i +: 64]),
      .write_done(write_done[i]), .read_valid(read_valid[i]), .read_ready(read_ready[i]),
      .read_row(read_row[34*i +: 34]), .row_valid(row_valid[i]), .row_ready(row_ready[i]),
      .row_data(row_data));
  end endgenerate
endmodule
"""
FILES = [RTL / name for name in ("firesim_dram_axi.v", "firesim_dram_port.v")]


@dataclass
class Memory:
    """The slave: what it holds, and what it has still to answer."""

    generator: random.Random
    rows: dict[int, int] = field(default_factory=dict)
    address: tuple[int, int] | None = None
    data: tuple[int, int] | None = None
    writes: list[tuple[int, int, int, int]] = field(default_factory=list)
    reads: list[tuple[int, int]] = field(default_factory=list)
    write: int | None = None
    read: int | None = None
    """Which of them is answered now; it stays until it is taken."""
    asked: int = 0
    response: int = 0
    """Of the next answer to a write; those after it are good."""

    def drive(self) -> dict[str, int]:
        """Return the inputs of the next cycle of its clock."""
        if self.write is None and self.writes and self.generator.random() < 0.2:
            first = self.generator.choice(self.writes)[0]
            self.write = next(i for i, one in enumerate(self.writes) if one[0] == first)
        if self.read is None and self.reads and self.generator.random() < 0.2:
            first = self.generator.choice(self.reads)[0]
            self.read = next(i for i, one in enumerate(self.reads) if one[0] == first)
        given = {
            "awready": int(self.address is None and self.generator.random() < 0.5),
            "wready": int(self.data is None and self.generator.random() < 0.5),
            "arready": int(self.generator.random() < 0.5),
            "bvalid": int(self.write is not None),
            "rvalid": int(self.read is not None),
            "bresp": self.response,
        }
        if self.write is not None:
            given["bid"] = self.writes[self.write][0]
        if self.read is not None:
            given["rid"], given["rdata"] = self.reads[self.read]
        return given

    def see(self, seen: dict[str, int], given: dict[str, int]) -> None:
        """Take what was asked in a cycle of its clock."""
        if self.write is not None:
            _, row, data, mask = self.writes.pop(self.write)
            self.rows[row] = self.rows.get(row, 0) & ~mask | data & mask
            self.write, self.response = None, 0
        if self.read is not None and seen["rready"]:
            self.reads.pop(self.read)
            self.read = None
        for kind in ("aw", "ar"):
            if seen[f"{kind}valid"]:
                assert seen[f"{kind}addr"] // REGION_BYTES == seen[f"{kind}id"] < PORTS
        if seen["awvalid"] & given["awready"]:
            self.address = (seen["awid"], seen["awaddr"])
        if seen["wvalid"] & given["wready"]:
            bits = [0xFF << 8 * lane for lane in range(64) if seen["wstrb"] >> lane & 1]
            self.data = (seen["wdata"], sum(bits))
        if self.address and self.data:
            self.writes.append((*self.address, *self.data))
            self.address = self.data = None
            self.asked += 1
        if seen["arvalid"] & given["arready"]:
            self.reads.append((seen["arid"], self.rows.get(seen["araddr"], 0)))
            self.asked += 1


class Host:
    """One host: random requests, and what its words must be."""

    def __init__(self, generator: random.Random) -> None:
        self.generator = generator
        self.rows = [0] * ROWS
        self.expected: list[int] = []
        self.request: dict[str, int] | None = None
        self.answers = 0

    def drive(self, quiet: bool) -> dict[str, int]:
        """Return the request of the next cycle of its clock."""
        pick = self.generator
        if self.request is None and not quiet and pick.random() < 0.6:
            kind = pick.choice(("write", "write", "write", "row", "read"))
            self.request = {
                "valid": 1,
                "write": int(kind != "read"),
                "row": int(kind == "row"),
                "address": 64 * pick.randrange(ROWS) + 8 * pick.randrange(8) * (kind == "write"),
                "data": pick.getrandbits(64),
                "strobe": 0xFF if kind == "row" else pick.getrandbits(8),
            }
        return self.request or {"valid": 0}

    def taken(self) -> None:
        """Do what the request says."""
        assert self.request is not None
        row, place = divmod(self.request["address"], 64)
        if not self.request["write"]:
            self.expected += [self.rows[row] >> 64 * lane & (1 << 64) - 1 for lane in range(8)]
        mask = sum(0xFF << 8 * i for i in range(8) if self.request["strobe"] >> i & 1)
        for lane in range(8) if self.request["row"] else [place // 8]:
            if self.request["write"]:
                old = self.rows[row] & ~(mask << 64 * lane)
                self.rows[row] = old | (self.request["data"] & mask) << 64 * lane
        self.request = None

    def see(self, word: int) -> None:
        """Compare a word that came up."""
        assert word == self.expected.pop(0)
        self.answers += 1


WIDTHS = {"valid": 1, "write": 1, "row": 1, "address": 40, "data": 64, "strobe": 8}


def joined(requests: list[dict[str, int]]) -> dict[str, int]:
    """Return the requests of all hosts as the inputs of the top."""
    return {
        f"request_{name}": sum(
            one.get(name, 0) << width * index for index, one in enumerate(requests)
        )
        for name, width in WIDTHS.items()
    }


class Bench:
    """The hosts, the top and the memory, cycle by cycle."""

    def __init__(self, model: Model, ticks: Iterator[tuple[bool, bool]], pick: random.Random):
        self.model, self.ticks = model, ticks
        self.hosts = [Host(pick) for _ in range(PORTS)]
        self.memory = Memory(pick)
        self.memory_given: dict[str, int] = self.memory.drive()
        self.host_given: dict[str, int] = joined([one.drive(True) for one in self.hosts])

    def run(self, cycles: int, *, quiet: bool = False, **given: int) -> None:
        """Run so many cycles of the faster clock."""
        for _ in range(cycles):
            near, far = next(self.ticks)
            seen: dict[str, Any] = self.model.step(
                {**self.host_given, **self.memory_given, **given}
            )
            if far:
                self.memory.see(seen, self.memory_given)
                self.memory_given = self.memory.drive()
            if near:
                for index, host in enumerate(self.hosts):
                    if seen["response_valid"] >> index & 1:
                        host.see(seen["response_data"] >> 64 * index & (1 << 64) - 1)
                    if host.request and seen["request_ready"] >> index & 1:
                        host.taken()
                self.host_given = joined([one.drive(quiet) for one in self.hosts])


@pytest.mark.parametrize("near_is_slow", [False, True])
def test_every_word_is_the_last_written_and_an_error_ends_it(
    tmp_path: Path, near_is_slow: bool
) -> None:
    pick = random.Random(seed())
    running, ticks = two_clocks(tmp_path, TOP, near_is_slow, pick, FILES)
    with running as model:
        bench = Bench(model, ticks, pick)
        bench.run(100, quiet=True, reset=1, is_up=0)
        bench.run(300, reset=0, is_up=0)
        assert bench.memory.asked == 0
        bench.run(12_000, reset=0, is_up=1)
        bench.run(8_000, quiet=True)
        assert all(not host.expected and not host.request for host in bench.hosts)
        assert sum(host.answers for host in bench.hosts) > 600
        bench.memory.response = ERROR
        bench.run(3_000)
        asked = bench.memory.asked
        bench.run(3_000)
        assert bench.memory.asked == asked
