# SPDX-License-Identifier: BSD-3-Clause
"""AXI of the host's side, proved for every behaviour of its other end.

The properties are in regression/support/axi. Yosys' own solver looks for a run of a few cycles from
reset that breaks one. For the registers and the DIMM's port it then proves by induction that none
of any length does. Each proof is followed by one with a fault planted, which must be found.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from goldengate.channels import RTL

from regression.support import axi
from regression.support.yosys import yosys_command

PROPERTIES = Path(axi.__file__).parent
LITE = """\
module harness(input wire clock, input wire reset, input wire [7:0] awaddr, input wire awvalid,
  input wire [31:0] wdata, input wire wvalid, input wire bready, input wire [7:0] araddr,
  input wire arvalid, input wire rready, input wire [31:0] further);
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  firesim_control dut (.host_clock(clock), .host_reset(reset), .awaddr(awaddr), .awvalid(awvalid),
    .awready(awready), .wdata(wdata), .wvalid(wvalid), .wready(wready), .bresp(bresp),
    .bvalid(bvalid), .bready(bready), .araddr(araddr), .arvalid(arvalid), .arready(arready),
    .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready), .running(further[0]),
    .progress(further[1]), .cycle({16'd0, further}), .counter_value(64'd0), .counter_rose(1'b0),
    .scan_words(32'd0), .further(further));
  axi_slave #(.DATA(32), .ID(1), .PATIENCE(2), .AT_ONCE(1)) properties (.clock(clock),
    .reset(reset), .awid(1'b0), .awlen(8'd0), .awaddr({56'd0, awaddr}), .awvalid(awvalid),
    .awready(awready),
    .wdata(wdata), .wstrb(4'hf), .wlast(1'b1), .wvalid(wvalid), .wready(wready), .bid(1'b0),
    .bresp(bresp), .bvalid(bvalid), .bready(bready), .arid(1'b0), .arlen(8'd0),
    .araddr({56'd0, araddr}), .arvalid(arvalid), .arready(arready), .rid(1'b0), .rdata(rdata),
    .rresp(rresp), .rlast(1'b1), .rvalid(rvalid), .rready(rready));
endmodule
"""
WINDOW = """\
module harness(input wire clock, input wire reset, input wire [15:0] awid, input wire [7:0] awlen,
  input wire [63:0] awaddr, input wire awvalid, input wire [511:0] wdata, input wire [63:0] wstrb,
  input wire wlast, input wire wvalid, input wire bready, input wire [15:0] arid,
  input wire [7:0] arlen, input wire arvalid, input wire rready, input wire down_ready,
  input wire up_valid, input wire [63:0] up_data);
  wire awready, wready, bvalid, arready, rvalid, rlast;
  wire [15:0] bid, rid;
  wire [1:0] bresp, rresp;
  wire [511:0] rdata;
  firesim_window dut (.clock(clock), .reset(reset), .awid(awid), .awaddr(awaddr),
    .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast),
    .wvalid(wvalid), .wready(wready), .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready),
    .arid(arid), .arlen(arlen), .arvalid(arvalid), .arready(arready), .rid(rid), .rdata(rdata),
    .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready), .down_ready(down_ready),
    .down_room(9'd256), .up_valid(up_valid), .up_data(up_data));
  axi_slave #(.DATA(8), .ID(16), .PATIENCE(0)) properties (.clock(clock), .reset(reset),
    .awid(awid), .awlen(awlen), .awaddr(awaddr), .awvalid(awvalid), .awready(awready),
    .wdata(wdata[7:0]), .wstrb(wstrb[0]), .wlast(wlast), .wvalid(wvalid), .wready(wready),
    .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready), .arid(arid), .arlen(arlen),
    .araddr(64'd0), .arvalid(arvalid), .arready(arready), .rid(rid), .rdata(rdata[7:0]),
    .rresp(rresp), .rlast(rlast), .rvalid(rvalid), .rready(rready));
endmodule
"""
SPLIT = """\
module harness(input wire clock, input wire reset, input wire [15:0] awaddr, input wire awvalid,
  input wire wvalid, input wire bready, input wire [15:0] araddr, input wire arvalid,
  input wire rready, input wire [1:0] slow);
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] a_valid, w_valid, b_ready, r_valid, r_ready, w_ready, b_valid, ar_ready, ar_valid;
  wire [3:0] writes, reads;
  firesim_split #(.COUNT(2)) dut (.clock(clock), .reset(reset), .write_to(awaddr[15:12]),
    .read_to(araddr[15:12]), .awvalid(awvalid), .awready(awready), .wvalid(wvalid), .wlast(1'b1),
    .wready(wready), .bvalid(bvalid), .bready(bready), .arvalid(arvalid), .arready(arready),
    .rvalid(rvalid), .rlast(1'b1), .rready(rready), .far_awvalid(a_valid), .far_awready(w_ready),
    .far_wvalid(w_valid), .far_wready(w_ready), .far_bvalid(b_valid), .far_bready(b_ready),
    .far_arvalid(ar_valid), .far_arready(ar_ready), .far_rvalid(r_valid), .far_rready(r_ready),
    .writes(writes), .reads(reads), .is_there());
  genvar n;
  generate for (n = 0; n < 2; n = n + 1) begin : each
    reg answers, shows;
    initial {answers, shows} = 0;
    assign w_ready[n] = a_valid[n] & w_valid[n] & ~answers & ~slow[n];
    assign b_valid[n] = answers;
    assign ar_ready[n] = ~shows & ~slow[n];
    assign r_valid[n] = shows;
    always @(posedge clock) begin
      answers <= ~reset & (w_ready[n] | (answers & ~b_ready[n]));
      shows <= ~reset & ((ar_valid[n] & ar_ready[n]) | (shows & ~r_ready[n]));
    end
  end endgenerate
  axi_slave #(.DATA(32), .ID(4), .PATIENCE(3)) properties (.clock(clock), .reset(reset),
    .awid(awaddr[15:12] < 2 ? awaddr[15:12] : 4'd0), .awlen(8'd0), .awaddr({48'd0, awaddr}),
    .awvalid(awvalid), .awready(awready), .wdata(32'd0), .wstrb(4'hf), .wlast(1'b1),
    .wvalid(wvalid), .wready(wready), .bid(writes), .bresp(2'b00), .bvalid(bvalid),
    .bready(bready), .arid(araddr[15:12] < 2 ? araddr[15:12] : 4'd0), .arlen(8'd0),
    .araddr({48'd0, araddr}), .arvalid(arvalid), .arready(arready), .rid(reads), .rdata(32'd0),
    .rresp(2'b00), .rlast(1'b1), .rvalid(rvalid), .rready(rready));
endmodule
"""
MASTER = """\
module harness(input wire clock, input wire reset, input wire is_up, input wire [1:0] write_valid,
  input wire [67:0] write_row, input wire [15:0] write_data, input wire [1:0] write_strobe,
  input wire [1:0] read_valid, input wire [67:0] read_row, input wire [1:0] row_ready,
  input wire awready, input wire wready, input wire [15:0] bid, input wire [1:0] bresp,
  input wire bvalid, input wire arready, input wire [15:0] rid, input wire [1:0] rresp,
  input wire rvalid);
  wire [15:0] awid, arid;
  wire [63:0] awaddr, araddr;
  wire [7:0] wdata;
  wire wstrb;
  wire awvalid, wvalid, bready, arvalid, rready;
  firesim_dram_axi #(.COUNT(2)) dut (.clock(clock), .reset(reset), .is_up(is_up),
    .write_valid(write_valid), .write_row(write_row), .write_data(write_data),
    .write_strobe(write_strobe), .read_valid(read_valid), .read_row(read_row),
    .row_ready(row_ready), .awid(awid), .awaddr(awaddr), .awvalid(awvalid), .awready(awready),
    .wdata(wdata), .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bid(bid), .bresp(bresp),
    .bvalid(bvalid), .bready(bready), .arid(arid), .araddr(araddr), .arvalid(arvalid),
    .arready(arready), .rid(rid), .rdata(8'd0), .rresp(rresp), .rvalid(rvalid),
    .rready(rready));
  axi_master #(.DATA(8), .ID(16), .ADDRESS(36)) properties (.clock(clock), .reset(reset),
    .awid(awid), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
    .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bid(bid), .bvalid(bvalid), .bready(bready),
    .arid(arid), .araddr(araddr), .arvalid(arvalid), .arready(arready), .rid(rid),
    .rvalid(rvalid), .rready(rready));
endmodule
"""


@dataclass(frozen=True)
class Case:
    """A module in its harness, how many cycles are looked at, and a fault that must be found."""

    harness: str
    module: str
    cycles: int
    right: str
    wrong: str
    always: bool = False
    """Whether it is proved for any number of cycles, by induction over at most these."""
    smaller: Mapping[str, str] = field(default_factory=dict)
    """What is put in place of its text, so that the proof takes seconds: it is about handshakes."""


WITHOUT_WORDS = {
    "words[64*shown +: 64] <= up_data;": "",
    "words <= {64'd0, words[447:64]};": "",
}
NARROW = {
    "[512*COUNT-1:0]": "[8*COUNT-1:0]",
    "[64*COUNT-1:0]": "[COUNT-1:0]",
    "[511:0]": "[7:0]",
    "reg [63:0] wstrb": "reg wstrb",
    "[512*write_turn +: 512]": "[8*write_turn +: 8]",
    "[64*write_turn +: 64]": "[write_turn]",
}
CASES = {
    "registers": Case(LITE, "control", 10, "write | (bvalid & ~bready)", "write", True),
    "split": Case(SPLIT, "split", 8, "reads <= read_to < COUNT ? read_to : 4'd0;", "reads <= 0;"),
    "window": Case(
        WINDOW,
        "window",
        6,
        "rlast <= beats == 8'd1",
        "rlast <= beats == 8'd2",
        smaller=WITHOUT_WORDS,
    ),
    "dram": Case(
        MASTER, "dram_axi", 6, "(wvalid & ~wready)", "(wvalid & ~wready & awvalid)", True, NARROW
    ),
}


def holds(case: Case, text: str, folder: Path) -> bool:
    """Return whether no run breaks a property: of the given number of cycles, or of any number."""
    (folder / "dut.v").write_text(text)
    (folder / "harness.v").write_text(case.harness)
    reads = [f"read_verilog -sv {folder / 'dut.v'}", f"read_verilog -sv {folder / 'harness.v'}"]
    reads += [f"read_verilog -sv -formal {PROPERTIES / name}.v" for name in ("slave", "master")]
    commands = [
        *reads,
        *("hierarchy -top harness", "proc", "flatten", "opt_clean", "memory_map", "opt_expr"),
        *("async2sync", "dffunmap", "chformal -lower", "opt_clean"),
        f"sat -tempinduct{'' if case.always else '-baseonly'} -maxsteps {case.cycles} "
        "-prove-asserts -set-assumes harness",
    ]
    done = subprocess.run(yosys_command(commands), capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if "model found for base case: FAIL!" in said:
        return False
    if case.always:
        assert done.returncode == 0 and "Induction step proven: SUCCESS!" in said, said[-2000:]
        return True
    steps = re.findall(r"\[base case (\d+)\]", said)
    assert done.returncode == 0 and steps and int(steps[-1]) >= case.cycles, said[-2000:]
    return True


@pytest.mark.parametrize("name", CASES)
def test_no_rule_of_axi_is_broken(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    text = (RTL / f"firesim_{case.module}.v").read_text()
    for old, new in case.smaller.items():
        assert old in text
        text = text.replace(old, new)
    assert holds(case, text, tmp_path)
    assert text.count(case.right) == 1
    assert not holds(case, text.replace(case.right, case.wrong), tmp_path)
