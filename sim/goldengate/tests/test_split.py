# SPDX-License-Identifier: BSD-3-Clause
"""One AXI slave in front of several: each access reaches the one that its address chooses, whole.

The slaves are memories of four words that count what reaches them, and stall at random, as the
master does; its data may come before, with and after the address, and reads go on beside writes.
"""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import RTL
from goldengate.harness import Model
from goldengate.tests.designs import seed, write

ACCESSES, PATIENCE = 300, 20_000
TOP = """\
module Top(input wire clock, input wire reset, input wire [15:0] stall,
  input wire [7:0] awaddr, input wire awvalid, output wire awready, input wire [15:0] wdata,
  input wire wlast, input wire wvalid, output wire wready, output wire [15:0] bcount,
  output wire bvalid, input wire bready, input wire [7:0] araddr, input wire [7:0] arlen,
  input wire arvalid, output wire arready, output wire [15:0] rdata, output wire rlast,
  output wire rvalid, input wire rready);
  wire [{count}-1:0] aw, aw_ready, w, w_ready, b, b_ready, ar, ar_ready, r, r_ready, r_last;
  wire [16*{count}-1:0] b_count, r_data;
  wire [3:0] writes, reads;
  wire is_there;
  firesim_split #(.COUNT({count})) split (
    .clock, .reset, .write_to(awaddr[7:4]), .read_to(araddr[7:4]), .awvalid, .awready, .wvalid,
    .wlast, .wready, .bvalid, .bready, .arvalid, .arready, .rvalid, .rlast, .rready,
    .far_awvalid(aw), .far_awready(aw_ready), .far_wvalid(w), .far_wready(w_ready),
    .far_bvalid(b), .far_bready(b_ready), .far_arvalid(ar), .far_arready(ar_ready),
    .far_rvalid(r), .far_rready(r_ready), .writes, .reads, .is_there);
  assign bcount = b_count[16*writes +: 16];
  assign rdata = is_there ? r_data[16*reads +: 16] : 16'hdead;
  assign rlast = r_last[reads];
  genvar i;
  generate for (i = 0; i < {count}; i = i + 1) begin : slave
    reg [15:0] kept [0:3], count;
    reg has_address, answers, gives;
    reg [1:0] to, from;
    reg [7:0] left;
    // Address first, or both at once: slaves of both kinds stand behind the real ones.
    assign aw_ready[i] = ~has_address & ~answers & stall[i] & (i % 2 == 0 | w[i]);
    assign w_ready[i] = i % 2 == 0 ? has_address & stall[i + 4]
                                   : has_address | (~answers & stall[i] & aw[i]);
    assign b[i] = answers;
    assign b_count[16*i +: 16] = count;
    assign ar_ready[i] = ~gives & stall[i + 8];
    assign r[i] = gives & stall[i + 12];
    assign r_data[16*i +: 16] = kept[from];
    assign r_last[i] = left == 0;
    wire [1:0] at = has_address ? to : awaddr[1:0];
    always @(posedge clock)
      if (reset) begin
        has_address <= 0; answers <= 0; gives <= 0; count <= 0;
      end else begin
        if (aw[i] & aw_ready[i]) begin has_address <= 1; to <= awaddr[1:0]; end
        if (w[i] & w_ready[i]) begin
          kept[at] <= wdata;
          count <= count + 1'b1;
          to <= at + 1'b1;
          if (wlast) begin has_address <= 0; answers <= 1; end
        end
        if (b[i] & b_ready[i]) answers <= 0;
        if (ar[i] & ar_ready[i]) begin gives <= 1; from <= araddr[1:0]; left <= arlen; end
        if (r[i] & r_ready[i]) begin
          from <= from + 1'b1;
          left <= left - 1'b1;
          gives <= left != 0;
        end
      end
  end endgenerate
endmodule
"""


class Master:
    """Gives writes and reads of several beats, all channels by themselves."""

    def __init__(self, model: Model, generator: random.Random, count: int) -> None:
        self.model, self.generator, self.count = model, generator, count
        beats = [generator.randint(1, 3) for _ in range(ACCESSES)]
        places = [(generator.randrange(count), generator.randrange(4)) for _ in beats]
        self.kept = {(slave, word): 0 for slave in range(count) for word in range(4)}
        self.counts = dict.fromkeys(range(count), 0)
        self.addresses = deque(slave << 4 | word for slave, word in places)
        self.data: deque[tuple[int, int]] = deque()
        self.answers: deque[int] = deque()
        for (slave, word), many in zip(places, beats, strict=True):
            for beat in range(many):
                value = generator.getrandbits(16)
                self.data.append((value, int(beat == many - 1)))
                self.kept[slave, (word + beat) % 4] = value
            self.counts[slave] += many
            self.answers.append(self.counts[slave])

    def _offers(self) -> int:
        """Return whether a channel that is free offers something."""
        return int(self.generator.random() < 0.5)

    def write_all(self) -> None:
        """Do all writes; after each the slave must have seen its beats, and no other."""
        given, taken = {"awvalid": 0, "wvalid": 0, "bready": 0}, dict.fromkeys(("aw", "w"), True)
        for _ in range(PATIENCE):
            if not self.answers:
                return
            for name, queue in (("aw", self.addresses), ("w", self.data)):
                if taken[name]:
                    given[f"{name}valid"] = int(bool(queue)) and self._offers()
            given["bready"] = self._offers()
            address = self.addresses[0] if self.addresses else 0
            value, last = self.data[0] if self.data else (0, 0)
            stall = self.generator.getrandbits(16)
            seen = self.model.step(
                {**given, "awaddr": address, "wdata": value, "wlast": last, "stall": stall}
            )
            for name, queue in (("aw", self.addresses), ("w", self.data)):
                taken[name] = not given[f"{name}valid"] or bool(seen[f"{name}ready"])
                if given[f"{name}valid"] and seen[f"{name}ready"]:
                    queue.popleft()
            if given["bready"] and seen["bvalid"]:
                assert seen["bcount"] == self.answers.popleft()
        raise AssertionError("the writes do not come to an end")

    def read_all(self) -> None:
        """Read every word of every slave, several at a time, and of one that is not there."""
        absent = dict.fromkeys(((self.count, word) for word in range(4)), 0xDEAD)
        for slave, first in self.kept | absent:
            many = self.generator.randint(1, 3)
            asked, found = True, list[int]()
            for _ in range(PATIENCE):
                if len(found) == many:
                    break
                given = {"araddr": slave << 4 | first, "arlen": many - 1, "arvalid": int(asked)}
                given |= {"stall": self.generator.getrandbits(16), "rready": self._offers()}
                seen = self.model.step(given)
                asked = asked and not seen["arready"]
                if given["rready"] and seen["rvalid"]:
                    found.append(seen["rdata"])
                    assert seen["rlast"] == int(len(found) == many)
            known = self.kept if slave < self.count else absent
            assert found == [known[slave, (first + beat) % 4] for beat in range(many)]


@pytest.mark.parametrize("count", [1, 3, 4])
def test_each_access_reaches_its_slave(count: int, tmp_path: Path) -> None:
    chosen = seed()
    files = [str(write(tmp_path, TOP.format(count=count))), str(RTL / "firesim_split.v")]
    goldengate.compile_request(goldengate.Request(files, "Top", str(tmp_path / "out")))
    with Model(tmp_path / "out/model.so") as model:
        model.reset(2, "reset")
        master = Master(model, random.Random(chosen + count), count)
        master.write_all()
        master.read_all()
