# SPDX-License-Identifier: BSD-3-Clause
"""The top of F2 with the DIMM of its shell: made of top.sv, which stays as it is for all others.

Each blade's port to a DRAM (`mem0_…` of its host's side) leads through `firesim_dram_port.v` and
`firesim_dram_axi.v` to `sh_ddr`, AWS's controller in the custom logic. The shell trains the DIMM
over the status bus, which is wired through.
"""

from __future__ import annotations

from pathlib import Path

from firesim_common.cache import cached

_COMMENT = "DRAM,\n// HBM, PCIM and interrupts are not used."
_USED = "The DIMM\n// is the blades' memory, 4 GiB for each. HBM, PCIM and interrupts are not used."
_PORTS = """\
  // The words of the blades' memories.
  wire [BLADES-1:0] write_valid, write_ready, write_done, read_valid, read_ready;
  wire [BLADES-1:0] row_valid, row_ready;
  wire [34*BLADES-1:0] write_row, read_row;
  wire [512*BLADES-1:0] write_data;
  wire [64*BLADES-1:0] write_strobe;
  wire [511:0] row_data;
  wire [15:0] ddr_awid, ddr_bid, ddr_arid, ddr_rid;
  wire [63:0] ddr_awaddr, ddr_wstrb, ddr_araddr;
  wire [511:0] ddr_wdata, ddr_rdata;
  wire [1:0] ddr_bresp, ddr_rresp;
  wire ddr_awvalid, ddr_awready, ddr_wvalid, ddr_wready, ddr_bvalid, ddr_bready;
  wire ddr_arvalid, ddr_arready, ddr_rvalid, ddr_rready, ddr_is_up;
  firesim_dram_axi #(.COUNT(BLADES)) memories (
    .clock(clk_main_a0), .reset(stands), .is_up(ddr_is_up),
    .write_valid(write_valid), .write_ready(write_ready), .write_row(write_row),
    .write_data(write_data), .write_strobe(write_strobe), .write_done(write_done),
    .read_valid(read_valid), .read_ready(read_ready), .read_row(read_row),
    .row_valid(row_valid), .row_ready(row_ready), .row_data(row_data),
    .awid(ddr_awid), .awaddr(ddr_awaddr), .awvalid(ddr_awvalid), .awready(ddr_awready),
    .wdata(ddr_wdata), .wstrb(ddr_wstrb), .wvalid(ddr_wvalid), .wready(ddr_wready),
    .bid(ddr_bid), .bresp(ddr_bresp), .bvalid(ddr_bvalid), .bready(ddr_bready),
    .arid(ddr_arid), .araddr(ddr_araddr), .arvalid(ddr_arvalid), .arready(ddr_arready),
    .rid(ddr_rid), .rdata(ddr_rdata), .rresp(ddr_rresp), .rvalid(ddr_rvalid),
    .rready(ddr_rready));

"""
_BLADES_PORT = """\
    wire ask_valid, ask_ready, ask_write, ask_row, answer_valid;
    wire [39:0] ask_address;
    wire [63:0] ask_data, answer_data;
    wire [7:0] ask_strobe;
    firesim_dram_port memory (
      .host_clock(host_clock), .host_reset(host_reset),
      .request_valid(ask_valid), .request_ready(ask_ready), .request_write(ask_write),
      .request_row(ask_row), .request_address(ask_address), .request_data(ask_data),
      .request_strobe(ask_strobe), .response_valid(answer_valid), .response_data(answer_data),
      .clock(clk_main_a0), .reset(stands),
      .write_valid(write_valid[index]), .write_ready(write_ready[index]),
      .write_row(write_row[34*index +: 34]), .write_data(write_data[512*index +: 512]),
      .write_strobe(write_strobe[64*index +: 64]), .write_done(write_done[index]),
      .read_valid(read_valid[index]), .read_ready(read_ready[index]),
      .read_row(read_row[34*index +: 34]), .row_valid(row_valid[index]),
      .row_ready(row_ready[index]), .row_data(row_data));

"""
_HOST_END = ".up_data(up_data));\n  end endgenerate"
_HOST_PORT = """\
.up_data(up_data),
      .mem0_request_valid(ask_valid), .mem0_request_ready(ask_ready),
      .mem0_request_write(ask_write), .mem0_request_row(ask_row),
      .mem0_request_address(ask_address), .mem0_request_data(ask_data),
      .mem0_request_strobe(ask_strobe), .mem0_response_valid(answer_valid),
      .mem0_response_data(answer_data));
  end endgenerate"""
_NO_STATUS = (
    "  assign {cl_sh_ddr_stat_ack, cl_sh_ddr_stat_rdata, cl_sh_ddr_stat_int} = {1'b1, 40'd0};\n"
)
_DIMM_COMMENT = "  // The shell wants the DIMM's pins on this, also without a controller in it.\n"
_DIMM_END = ".cl_RST_DIMM_N(RST_DIMM_N));"
_DIMM_PORT = """\
.cl_RST_DIMM_N(RST_DIMM_N),
    .cl_sh_ddr_axi_awid(ddr_awid), .cl_sh_ddr_axi_awaddr(ddr_awaddr),
    .cl_sh_ddr_axi_awlen(8'd0), .cl_sh_ddr_axi_awsize(3'd6), .cl_sh_ddr_axi_awburst(2'b01),
    .cl_sh_ddr_axi_awuser(1'b0), .cl_sh_ddr_axi_awvalid(ddr_awvalid),
    .cl_sh_ddr_axi_awready(ddr_awready), .cl_sh_ddr_axi_wdata(ddr_wdata),
    .cl_sh_ddr_axi_wstrb(ddr_wstrb), .cl_sh_ddr_axi_wlast(1'b1),
    .cl_sh_ddr_axi_wvalid(ddr_wvalid), .cl_sh_ddr_axi_wready(ddr_wready),
    .cl_sh_ddr_axi_bid(ddr_bid), .cl_sh_ddr_axi_bresp(ddr_bresp),
    .cl_sh_ddr_axi_bvalid(ddr_bvalid), .cl_sh_ddr_axi_bready(ddr_bready),
    .cl_sh_ddr_axi_arid(ddr_arid), .cl_sh_ddr_axi_araddr(ddr_araddr),
    .cl_sh_ddr_axi_arlen(8'd0), .cl_sh_ddr_axi_arsize(3'd6), .cl_sh_ddr_axi_arburst(2'b01),
    .cl_sh_ddr_axi_aruser(1'b0), .cl_sh_ddr_axi_arvalid(ddr_arvalid),
    .cl_sh_ddr_axi_arready(ddr_arready), .cl_sh_ddr_axi_rid(ddr_rid),
    .cl_sh_ddr_axi_rdata(ddr_rdata), .cl_sh_ddr_axi_rresp(ddr_rresp), .cl_sh_ddr_axi_rlast(),
    .cl_sh_ddr_axi_rvalid(ddr_rvalid), .cl_sh_ddr_axi_rready(ddr_rready),
    .sh_ddr_stat_bus_addr(sh_cl_ddr_stat_addr), .sh_ddr_stat_bus_wdata(sh_cl_ddr_stat_wdata),
    .sh_ddr_stat_bus_wr(sh_cl_ddr_stat_wr), .sh_ddr_stat_bus_rd(sh_cl_ddr_stat_rd),
    .sh_ddr_stat_bus_ack(cl_sh_ddr_stat_ack), .sh_ddr_stat_bus_rdata(cl_sh_ddr_stat_rdata),
    .ddr_sh_stat_int(cl_sh_ddr_stat_int), .sh_cl_ddr_is_ready(ddr_is_up));"""
_CHANGES = (
    (_COMMENT, _USED),
    ("parameter EN_DDR = 0", "parameter EN_DDR = 1"),
    ("  genvar index;\n", _PORTS + "  genvar index;\n"),
    ("    `FIRESIM_HOST host (", _BLADES_PORT + "    `FIRESIM_HOST host ("),
    (_HOST_END, _HOST_PORT),
    (_NO_STATUS, ""),
    (_DIMM_COMMENT, ""),
    (_DIMM_END, _DIMM_PORT),
)
"""What stands in top.sv, and what stands there with the DIMM."""


def with_dram(text: str) -> str:
    """Return the text of the top with the DIMM, of that without."""
    for there, instead in _CHANGES:
        if text.count(there) != 1:
            raise ValueError(f"platforms/f2/top.sv: found {text.count(there)} times {there!r}.")
        text = text.replace(there, instead)
    return text


def top_with_dram(top: Path) -> Path:
    """Return the file of the top with the DIMM, from the cache or new; `top` is that without."""

    def write(folder: Path) -> None:
        (folder / top.name).write_text(with_dram(top.read_text()))

    return cached("f2-dram-top", [top, Path(__file__)], write) / top.name
