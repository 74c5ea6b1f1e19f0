// SPDX-License-Identifier: BSD-3-Clause
// The host's sides of FIRESIM_BLADES blades (firesim_blades.v) as custom logic in the small shell of AWS
// EC2 F2. Each has registers on OCL (BAR 0), 4 KiB apart, and both streams through a window on PCIS (BAR 4),
// 8 KiB apart. The host clock is made of the shell's 250 MHz: 1,000 MHz divided by FIRESIM_DIVIDE. With
// FIRESIM_DRAM the DIMM is the blades' memory, 4 GiB for each, and else not used. HBM, PCIM and
// interrupts are not.
`ifndef FIRESIM_BLADES
`define FIRESIM_BLADES 1
`endif
`ifdef FIRESIM_DRAM
`define FIRESIM_EN_DDR 1
`else
`define FIRESIM_EN_DDR 0
`endif
`default_nettype none  // A name that the shell has not is an error, and no wire.
module cl_firesim #(parameter EN_DDR = `FIRESIM_EN_DDR, parameter EN_HBM = 0) (
  `include "cl_ports.vh"
);
`include "cl_id_defines.vh"
  localparam LOG_ROOM = 8;

  // The shell's reset stands in a register of ours, and ends the host's clock, too: that begins anew and
  // is steady before the host's reset is over. So does a reset of the function, which leaves the DIMM and
  // the status alone.
  wire closes, restarts;
  (* DONT_TOUCH = "TRUE" *) reg shell_reset = 1'b1, clock_reset = 1'b1;
  reg flr_asked = 1'b0;
  always @(posedge clk_main_a0) begin
    shell_reset <= ~rst_main_n;
    clock_reset <= ~rst_main_n | restarts;
    flr_asked <= sh_cl_flr_assert;
  end
  wire host_unbuffered, host_clock, feedback, locked;
  MMCME4_BASE #(
    .CLKIN1_PERIOD(4.0), .CLKFBOUT_MULT_F(4.0), .CLKOUT0_DIVIDE_F(`FIRESIM_DIVIDE)
  ) mmcm (
`ifdef FIRESIM_TWO_CLOCKS
    .SIMULATED(clk_hbm_ref),  // in a simulation the shell's other clock is the host's
`endif
    .CLKIN1(clk_main_a0), .CLKFBIN(feedback), .CLKFBOUT(feedback), .RST(clock_reset), .PWRDWN(1'b0),
    .CLKOUT0(host_unbuffered), .LOCKED(locked));
  BUFG host_buffer (.I(host_unbuffered), .O(host_clock));
  (* ASYNC_REG = "TRUE" *) reg [3:0] settled = 4'd0;
  always @(posedge host_clock or negedge locked)
    if (!locked) settled <= 4'd0;
    else settled <= {settled[2:0], 1'b1};
  wire host_reset = ~settled[3];
  // Neither side of a crossing may go on alone.
  (* ASYNC_REG = "TRUE" *) reg [1:0] host_is_up = 2'd0;
  always @(posedge clk_main_a0) host_is_up <= {host_is_up[0], settled[3]};
  wire stands = clock_reset | ~host_is_up[1];

  wire [3:0] accesses;  // on OCL and PCIS: whether writes, and whether reads, are on their way
  wire [1:0] rows;  // of the DIMM, the same
  firesim_function_reset function_reset (
    .clock(clk_main_a0), .reset(shell_reset), .asked(flr_asked), .shell_waits(|accesses),
    .memory_waits(|rows), .is_up(host_is_up[1]), .closes(closes), .restarts(restarts),
    .done(cl_sh_flr_done));
  firesim_in_flight ocl_writes_left (
    .clock(clk_main_a0), .reset(clock_reset), .offered(ocl_cl_awvalid | ocl_cl_wvalid),
    .begins(ocl_cl_awvalid & cl_ocl_awready), .ends(cl_ocl_bvalid & ocl_cl_bready),
    .is_any(accesses[0]));
  firesim_in_flight ocl_reads_left (
    .clock(clk_main_a0), .reset(clock_reset), .offered(ocl_cl_arvalid),
    .begins(ocl_cl_arvalid & cl_ocl_arready), .ends(cl_ocl_rvalid & ocl_cl_rready),
    .is_any(accesses[1]));
  firesim_in_flight pcis_writes_left (
    .clock(clk_main_a0), .reset(clock_reset),
    .offered(sh_cl_dma_pcis_awvalid | sh_cl_dma_pcis_wvalid),
    .begins(sh_cl_dma_pcis_awvalid & cl_sh_dma_pcis_awready),
    .ends(cl_sh_dma_pcis_bvalid & sh_cl_dma_pcis_bready), .is_any(accesses[2]));
  firesim_in_flight pcis_reads_left (
    .clock(clk_main_a0), .reset(clock_reset), .offered(sh_cl_dma_pcis_arvalid),
    .begins(sh_cl_dma_pcis_arvalid & cl_sh_dma_pcis_arready),
    .ends(cl_sh_dma_pcis_rvalid & sh_cl_dma_pcis_rready & cl_sh_dma_pcis_rlast),
    .is_any(accesses[3]));

  // Accesses go to the blade that their address chooses.
  localparam BLADES = `FIRESIM_BLADES;
  wire [BLADES-1:0] ocl_awvalid, ocl_awready, ocl_wvalid, ocl_wready, ocl_bvalid, ocl_bready;
  wire [BLADES-1:0] ocl_arvalid, ocl_arready, ocl_rvalid, ocl_rready;
  wire [32*BLADES-1:0] ocl_rdata;
  wire [3:0] ocl_reads;
  wire ocl_is_there;
  wire ddr_is_up, ddr_is_wrong;
  wire blades_arvalid, blades_arready, blades_rvalid, blades_rready;
  firesim_board_status status (
    .clock(clk_main_a0), .reset(shell_reset), .is_chosen(ocl_cl_araddr[9]),
    .locked(locked), .is_up(host_is_up[1]), .has_dram(EN_DDR != 0), .dram_is_up(ddr_is_up),
    .dram_is_wrong(ddr_is_wrong), .arvalid(ocl_cl_arvalid), .arready(cl_ocl_arready),
    .rdata(cl_ocl_rdata), .rresp(cl_ocl_rresp), .rvalid(cl_ocl_rvalid), .rready(ocl_cl_rready),
    .far_arvalid(blades_arvalid), .far_arready(blades_arready),
    // A blade that is not there has no identity, and is refused for it.
    .far_rdata(ocl_is_there ? ocl_rdata[32*ocl_reads +: 32] : 32'd0), .far_rresp(2'b00),
    .far_rvalid(blades_rvalid), .far_rready(blades_rready));
  firesim_split #(.COUNT(BLADES)) registers_of (
    .clock(clk_main_a0), .reset(stands),
    .write_to(ocl_cl_awaddr[15:12]), .read_to(ocl_cl_araddr[15:12]),
    .awvalid(ocl_cl_awvalid), .awready(cl_ocl_awready), .wvalid(ocl_cl_wvalid), .wlast(1'b1),
    .wready(cl_ocl_wready), .bvalid(cl_ocl_bvalid), .bready(ocl_cl_bready),
    .arvalid(blades_arvalid), .arready(blades_arready), .rvalid(blades_rvalid), .rlast(1'b1),
    .rready(blades_rready), .far_awvalid(ocl_awvalid), .far_awready(ocl_awready),
    .far_wvalid(ocl_wvalid), .far_wready(ocl_wready), .far_bvalid(ocl_bvalid),
    .far_bready(ocl_bready), .far_arvalid(ocl_arvalid), .far_arready(ocl_arready),
    .far_rvalid(ocl_rvalid), .far_rready(ocl_rready), .writes(), .reads(ocl_reads),
    .is_there(ocl_is_there));
  assign cl_ocl_bresp = 2'b00;

  wire [BLADES-1:0] pcis_awvalid, pcis_awready, pcis_wvalid, pcis_wready, pcis_bvalid, pcis_bready;
  wire [BLADES-1:0] pcis_arvalid, pcis_arready, pcis_rvalid, pcis_rready, pcis_rlast;
  wire [16*BLADES-1:0] pcis_bid, pcis_rid;
  wire [2*BLADES-1:0] pcis_bresp, pcis_rresp;
  wire [512*BLADES-1:0] pcis_rdata;
  wire [3:0] pcis_writes, pcis_reads;
  firesim_split #(.COUNT(BLADES)) window_of (
    .clock(clk_main_a0), .reset(stands),
    .write_to(sh_cl_dma_pcis_awaddr[16:13]), .read_to(sh_cl_dma_pcis_araddr[16:13]),
    .awvalid(sh_cl_dma_pcis_awvalid), .awready(cl_sh_dma_pcis_awready),
    .wvalid(sh_cl_dma_pcis_wvalid), .wlast(sh_cl_dma_pcis_wlast), .wready(cl_sh_dma_pcis_wready),
    .bvalid(cl_sh_dma_pcis_bvalid), .bready(sh_cl_dma_pcis_bready),
    .arvalid(sh_cl_dma_pcis_arvalid), .arready(cl_sh_dma_pcis_arready),
    .rvalid(cl_sh_dma_pcis_rvalid), .rlast(cl_sh_dma_pcis_rlast), .rready(sh_cl_dma_pcis_rready),
    .far_awvalid(pcis_awvalid), .far_awready(pcis_awready), .far_wvalid(pcis_wvalid),
    .far_wready(pcis_wready), .far_bvalid(pcis_bvalid), .far_bready(pcis_bready),
    .far_arvalid(pcis_arvalid), .far_arready(pcis_arready), .far_rvalid(pcis_rvalid),
    .far_rready(pcis_rready), .writes(pcis_writes), .reads(pcis_reads), .is_there());
  assign cl_sh_dma_pcis_bid = pcis_bid[16*pcis_writes +: 16];
  assign cl_sh_dma_pcis_bresp = pcis_bresp[2*pcis_writes +: 2];
  assign cl_sh_dma_pcis_rid = pcis_rid[16*pcis_reads +: 16];
  assign cl_sh_dma_pcis_rdata = pcis_rdata[512*pcis_reads +: 512];
  assign cl_sh_dma_pcis_rresp = pcis_rresp[2*pcis_reads +: 2];
  assign cl_sh_dma_pcis_rlast = pcis_rlast[pcis_reads];

`ifdef FIRESIM_DRAM
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
  wire ddr_arvalid, ddr_arready, ddr_rvalid, ddr_rready;
  firesim_dram_axi #(.COUNT(BLADES)) memories (
    .clock(clk_main_a0), .reset(stands), .is_up(ddr_is_up & ~closes),
    .write_valid(write_valid), .write_ready(write_ready), .write_row(write_row),
    .write_data(write_data), .write_strobe(write_strobe), .write_done(write_done),
    .read_valid(read_valid), .read_ready(read_ready), .read_row(read_row),
    .row_valid(row_valid), .row_ready(row_ready | {BLADES{closes}}), .row_data(row_data),
    .awid(ddr_awid), .awaddr(ddr_awaddr), .awvalid(ddr_awvalid), .awready(ddr_awready),
    .wdata(ddr_wdata), .wstrb(ddr_wstrb), .wvalid(ddr_wvalid), .wready(ddr_wready),
    .bid(ddr_bid), .bresp(ddr_bresp), .bvalid(ddr_bvalid), .bready(ddr_bready),
    .arid(ddr_arid), .araddr(ddr_araddr), .arvalid(ddr_arvalid), .arready(ddr_arready),
    .rid(ddr_rid), .rdata(ddr_rdata), .rresp(ddr_rresp), .rvalid(ddr_rvalid),
    .rready(ddr_rready), .wrong(ddr_is_wrong));
  // The DIMM is not reset with the function, so neither is the count of what it still answers.
  firesim_in_flight #(.LOG_MOST(16)) rows_written (
    .clock(clk_main_a0), .reset(shell_reset), .offered(ddr_awvalid | ddr_wvalid),
    .begins(ddr_awvalid & ddr_awready), .ends(ddr_bvalid & ddr_bready), .is_any(rows[0]));
  firesim_in_flight #(.LOG_MOST(16)) rows_read (
    .clock(clk_main_a0), .reset(shell_reset), .offered(ddr_arvalid),
    .begins(ddr_arvalid & ddr_arready), .ends(ddr_rvalid & ddr_rready), .is_any(rows[1]));
`else
  assign {ddr_is_up, ddr_is_wrong, rows} = 4'd0;
`endif

  // On the host's clock.
  wire [8*BLADES-1:0] awaddr, araddr;
  wire [32*BLADES-1:0] wdata, rdata;
  wire [BLADES-1:0] awvalid, awready, wvalid, wready, bvalid, bready;
  wire [BLADES-1:0] arvalid, arready, rvalid, rready;
  wire [BLADES-1:0] down_valid, down_ready, up_valid, up_ready;
  wire [64*BLADES-1:0] down_data, up_data;
`ifdef FIRESIM_DRAM
  wire [BLADES-1:0] ask_valid, ask_ready, ask_write, ask_row, answer_valid;
  wire [40*BLADES-1:0] ask_address;
  wire [64*BLADES-1:0] ask_data, answer_data;
  wire [8*BLADES-1:0] ask_strobe;
`endif
  firesim_blades #(.COUNT(BLADES)) blades (
    .host_clock(host_clock), .host_reset(host_reset),
    .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wvalid(wvalid),
    .wready(wready), .bresp(), .bvalid(bvalid), .bready(bready),
    .araddr(araddr), .arvalid(arvalid), .arready(arready), .rdata(rdata), .rresp(),
    .rvalid(rvalid), .rready(rready),
`ifdef FIRESIM_DRAM
    .ask_valid(ask_valid), .ask_ready(ask_ready), .ask_write(ask_write), .ask_row(ask_row),
    .ask_address(ask_address), .ask_data(ask_data), .ask_strobe(ask_strobe),
    .answer_valid(answer_valid), .answer_data(answer_data),
`endif
    .down_valid(down_valid), .down_ready(down_ready), .down_data(down_data),
    .up_valid(up_valid), .up_ready(up_ready), .up_data(up_data));

  genvar index;
  generate for (index = 0; index < BLADES; index = index + 1) begin : blade
    firesim_far_registers registers (
      .clock(clk_main_a0), .reset(stands),
      .awaddr(ocl_cl_awaddr[7:0]), .awvalid(ocl_awvalid[index]), .awready(ocl_awready[index]),
      .wdata(ocl_cl_wdata), .wvalid(ocl_wvalid[index]), .wready(ocl_wready[index]),
      .bresp(), .bvalid(ocl_bvalid[index]), .bready(ocl_bready[index]),
      .araddr(ocl_cl_araddr[7:0]), .arvalid(ocl_arvalid[index]), .arready(ocl_arready[index]),
      .rdata(ocl_rdata[32*index +: 32]), .rresp(), .rvalid(ocl_rvalid[index]),
      .rready(ocl_rready[index]),
      .host_clock(host_clock), .host_reset(host_reset),
      .host_awaddr(awaddr[8*index +: 8]), .host_awvalid(awvalid[index]),
      .host_awready(awready[index]), .host_wdata(wdata[32*index +: 32]),
      .host_wvalid(wvalid[index]), .host_wready(wready[index]), .host_bvalid(bvalid[index]),
      .host_bready(bready[index]), .host_araddr(araddr[8*index +: 8]),
      .host_arvalid(arvalid[index]), .host_arready(arready[index]),
      .host_rdata(rdata[32*index +: 32]), .host_rvalid(rvalid[index]),
      .host_rready(rready[index]));

    wire near_down_valid, near_down_ready, near_up_valid, near_up_ready;
    wire [63:0] near_down_data, near_up_data;
    wire [LOG_ROOM:0] down_room;
    firesim_window #(.LOG_ROOM(LOG_ROOM)) window (
      .clock(clk_main_a0), .reset(stands),
      .awid(sh_cl_dma_pcis_awid), .awaddr({51'd0, sh_cl_dma_pcis_awaddr[12:0]}),
      .awvalid(pcis_awvalid[index]), .awready(pcis_awready[index]),
      .wdata(sh_cl_dma_pcis_wdata), .wstrb(sh_cl_dma_pcis_wstrb), .wlast(sh_cl_dma_pcis_wlast),
      .wvalid(pcis_wvalid[index]), .wready(pcis_wready[index]), .bid(pcis_bid[16*index +: 16]),
      .bresp(pcis_bresp[2*index +: 2]), .bvalid(pcis_bvalid[index]), .bready(pcis_bready[index]),
      .arid(sh_cl_dma_pcis_arid), .arlen(sh_cl_dma_pcis_arlen), .arvalid(pcis_arvalid[index]),
      .arready(pcis_arready[index]), .rid(pcis_rid[16*index +: 16]),
      .rdata(pcis_rdata[512*index +: 512]), .rresp(pcis_rresp[2*index +: 2]),
      .rlast(pcis_rlast[index]), .rvalid(pcis_rvalid[index]), .rready(pcis_rready[index]),
      .down_valid(near_down_valid), .down_ready(near_down_ready | closes),
      .down_data(near_down_data), .down_room(down_room),
      .up_valid(near_up_valid), .up_ready(near_up_ready), .up_data(near_up_data));
    firesim_crossing #(.LOG_DEPTH(LOG_ROOM)) down (
      .in_clock(clk_main_a0), .in_reset(stands), .in_valid(near_down_valid & ~closes),
      .in_ready(near_down_ready), .in_data(near_down_data), .room(down_room),
      .out_clock(host_clock), .out_reset(host_reset), .out_valid(down_valid[index]),
      .out_ready(down_ready[index]), .out_data(down_data[64*index +: 64]));
    firesim_crossing #(.LOG_DEPTH(LOG_ROOM)) up (
      .in_clock(host_clock), .in_reset(host_reset), .in_valid(up_valid[index]),
      .in_ready(up_ready[index]), .in_data(up_data[64*index +: 64]), .room(),
      .out_clock(clk_main_a0), .out_reset(stands), .out_valid(near_up_valid),
      .out_ready(near_up_ready), .out_data(near_up_data));

`ifdef FIRESIM_DRAM
    firesim_dram_port memory (
      .host_clock(host_clock), .host_reset(host_reset),
      .request_valid(ask_valid[index]), .request_ready(ask_ready[index]),
      .request_write(ask_write[index]), .request_row(ask_row[index]),
      .request_address(ask_address[40*index +: 40]), .request_data(ask_data[64*index +: 64]),
      .request_strobe(ask_strobe[8*index +: 8]), .response_valid(answer_valid[index]),
      .response_data(answer_data[64*index +: 64]),
      .clock(clk_main_a0), .reset(stands),
      .write_valid(write_valid[index]), .write_ready(write_ready[index]),
      .write_row(write_row[34*index +: 34]), .write_data(write_data[512*index +: 512]),
      .write_strobe(write_strobe[64*index +: 64]), .write_done(write_done[index]),
      .read_valid(read_valid[index]), .read_ready(read_ready[index]),
      .read_row(read_row[34*index +: 34]), .row_valid(row_valid[index]),
      .row_ready(row_ready[index]), .row_data(row_data));
`endif
  end endgenerate

  // What is left of the shell.
  assign cl_sh_id0 = `CL_SH_ID0;
  assign cl_sh_id1 = `CL_SH_ID1;
  assign {cl_sh_status0, cl_sh_status1, cl_sh_status2} = '0;
  assign cl_sh_status_vled = {14'd0, locked, host_is_up[1]};
  assign {cl_sh_dma_wr_full, cl_sh_dma_rd_full} = '0;
  assign cl_sh_dma_pcis_ruser = '0;
  assign {cl_sh_pcim_awid, cl_sh_pcim_awaddr, cl_sh_pcim_awlen, cl_sh_pcim_awsize, cl_sh_pcim_awburst,
          cl_sh_pcim_awcache, cl_sh_pcim_awlock, cl_sh_pcim_awprot, cl_sh_pcim_awqos,
          cl_sh_pcim_awuser, cl_sh_pcim_awvalid, cl_sh_pcim_wid, cl_sh_pcim_wdata, cl_sh_pcim_wstrb,
          cl_sh_pcim_wlast, cl_sh_pcim_wuser, cl_sh_pcim_wvalid, cl_sh_pcim_bready, cl_sh_pcim_arid,
          cl_sh_pcim_araddr, cl_sh_pcim_arlen, cl_sh_pcim_arsize, cl_sh_pcim_arburst,
          cl_sh_pcim_arcache, cl_sh_pcim_arlock, cl_sh_pcim_arprot, cl_sh_pcim_arqos,
          cl_sh_pcim_aruser, cl_sh_pcim_arvalid, cl_sh_pcim_rready} = '0;
  assign {cl_sda_awready, cl_sda_wready, cl_sda_bresp, cl_sda_bvalid, cl_sda_arready, cl_sda_rdata,
          cl_sda_rresp, cl_sda_rvalid} = '0;
`ifndef FIRESIM_DRAM
  assign {cl_sh_ddr_stat_ack, cl_sh_ddr_stat_rdata, cl_sh_ddr_stat_int} = {1'b1, 40'd0};
`endif
  assign cl_sh_apppf_irq_req = '0;
  assign tdo = 1'b0;
  assign {hbm_apb_paddr_1, hbm_apb_pprot_1, hbm_apb_psel_1, hbm_apb_penable_1, hbm_apb_pwrite_1,
          hbm_apb_pwdata_1, hbm_apb_pstrb_1, hbm_apb_pready_1, hbm_apb_prdata_1,
          hbm_apb_pslverr_1} = '0;
  assign {hbm_apb_paddr_0, hbm_apb_pprot_0, hbm_apb_psel_0, hbm_apb_penable_0, hbm_apb_pwrite_0,
          hbm_apb_pwdata_0, hbm_apb_pstrb_0, hbm_apb_pready_0, hbm_apb_prdata_0,
          hbm_apb_pslverr_0} = '0;
  assign {PCIE_EP_TXP, PCIE_EP_TXN, PCIE_RP_PERSTN, PCIE_RP_TXP, PCIE_RP_TXN} = '0;

  // The shell wants the DIMM's pins on this, also without a controller in it. The kit's constraints and
  // scripts find it by its name.
  sh_ddr #(.DDR_PRESENT(EN_DDR)) SH_DDR (
    .clk(clk_main_a0), .rst_n(~shell_reset), .stat_clk(clk_main_a0), .stat_rst_n(~shell_reset),
    .CLK_DIMM_DP(CLK_DIMM_DP), .CLK_DIMM_DN(CLK_DIMM_DN), .M_ACT_N(M_ACT_N), .M_MA(M_MA),
    .M_BA(M_BA), .M_BG(M_BG), .M_CKE(M_CKE), .M_ODT(M_ODT), .M_CS_N(M_CS_N),
    .M_CLK_DN(M_CLK_DN), .M_CLK_DP(M_CLK_DP), .M_PAR(M_PAR), .M_DQ(M_DQ), .M_ECC(M_ECC),
`ifdef FIRESIM_DRAM
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
    .ddr_sh_stat_int(cl_sh_ddr_stat_int), .sh_cl_ddr_is_ready(ddr_is_up),
`endif
    .M_DQS_DP(M_DQS_DP), .M_DQS_DN(M_DQS_DN), .cl_RST_DIMM_N(RST_DIMM_N));
endmodule
`default_nettype wire
