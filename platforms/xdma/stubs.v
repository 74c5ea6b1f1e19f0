// SPDX-License-Identifier: BSD-3-Clause
// The ports of AMD's cores and cells that top.v uses, for checks without Vivado: XDMA by PG195, the
// clocking wizard by PG065, the AXI converters by PG059 and PG085, the buffers by UG974 and UG953.
// They do as little as a simulation of the top needs. With FIRESIM_TWO_CLOCKS the host's clock is one
// that the simulation brings, else it is that of PCIe.
`define FIRESIM_CHANNEL_PORTS(n) \
  output wire [63:0] m_axis_h2c_tdata_``n, output wire m_axis_h2c_tlast_``n, \
  output wire m_axis_h2c_tvalid_``n, input wire m_axis_h2c_tready_``n, \
  output wire [7:0] m_axis_h2c_tkeep_``n, \
  input wire [63:0] s_axis_c2h_tdata_``n, input wire s_axis_c2h_tlast_``n, \
  input wire s_axis_c2h_tvalid_``n, output wire s_axis_c2h_tready_``n, \
  input wire [7:0] s_axis_c2h_tkeep_``n
`define FIRESIM_CHANNEL_USE(n) \
  assign m_axis_h2c_tdata_``n = request[103:40]; \
  assign {m_axis_h2c_tlast_``n, m_axis_h2c_tkeep_``n} = 9'h1ff; \
  assign m_axis_h2c_tvalid_``n = does & what == DOWN & channel == n & offers_data; \
  assign s_axis_c2h_tready_``n = does & what == UP & channel == n & hears; \
  assign takes[n] = m_axis_h2c_tready_``n; \
  assign {gives[n], ends[n], given[64*n +: 64]} = \
    {s_axis_c2h_tvalid_``n, s_axis_c2h_tlast_``n, s_axis_c2h_tdata_``n};
module firesim_xdma_ip (
  input wire sys_clk,
`ifdef FIRESIM_GTE4
  input wire sys_clk_gt,
`endif
  input wire sys_rst_n, output wire user_lnk_up,
  output wire [3:0] pci_exp_txp, output wire [3:0] pci_exp_txn,
  input wire [3:0] pci_exp_rxp, input wire [3:0] pci_exp_rxn,
  output wire axi_aclk, output wire axi_aresetn,
  input wire [0:0] usr_irq_req, output wire [0:0] usr_irq_ack,
  output wire [31:0] m_axil_awaddr, output wire [2:0] m_axil_awprot, output wire m_axil_awvalid,
  input wire m_axil_awready, output wire [31:0] m_axil_wdata, output wire [3:0] m_axil_wstrb,
  output wire m_axil_wvalid, input wire m_axil_wready, input wire m_axil_bvalid,
  input wire [1:0] m_axil_bresp, output wire m_axil_bready, output wire [31:0] m_axil_araddr,
  output wire [2:0] m_axil_arprot, output wire m_axil_arvalid, input wire m_axil_arready,
  input wire [31:0] m_axil_rdata, input wire [1:0] m_axil_rresp, input wire m_axil_rvalid,
  output wire m_axil_rready,
`ifdef FIRESIM_BLADE_1
  `FIRESIM_CHANNEL_PORTS(1),
`endif
`ifdef FIRESIM_BLADE_2
  `FIRESIM_CHANNEL_PORTS(2),
`endif
`ifdef FIRESIM_BLADE_3
  `FIRESIM_CHANNEL_PORTS(3),
`endif
  `FIRESIM_CHANNEL_PORTS(0));
  assign axi_aclk = sys_clk;
  assign axi_aresetn = sys_rst_n;
  assign user_lnk_up = sys_rst_n;
  assign usr_irq_ack = 1'b0;

  // In place of PCIe the lanes carry a byte of ours each way in each cycle (the n lanes have its upper
  // half). Down, a request: what is to be done, an address or a channel, a value; 13 bytes. Up, its
  // answer: what was done, a value; 9 bytes. What is 0 is nothing. Numbers come lowest byte first; one
  // request at a time. STALL: from now on the core's valid and ready stay away in so many of 256 cycles
  // (bits 39:32 of the value), by the seed in bits 31:0. No word up is taken before one is asked for.
  localparam [7:0] READ = 1, WRITE = 2, DOWN = 3, UP = 4, UP_LAST = 5, STALL = 6;
  wire [7:0] came = {pci_exp_rxn, pci_exp_rxp};
  reg [103:0] request;
  reg [71:0] answer;
  reg [3:0] missing;  // bytes of the request
  reg [3:0] left;     // bytes of the answer
  reg does, put_address, put_value;
  wire [7:0] what = request[7:0];
  assign {pci_exp_txn, pci_exp_txp} = left != 0 ? answer[7:0] : 8'd0;

  reg [31:0] random;
  reg [7:0] rate;
  initial begin random = 32'd1; rate = 8'd0; end
  wire [31:0] a = random ^ (random << 13);
  wire [31:0] b = a ^ (a >> 17);
  // What is offered stays; what is ready may change its mind.
  reg offers_address, offers_data;
  wire hears = random[31:24] >= rate;
  always @(posedge sys_clk) begin
    if (does & what == STALL) {rate, random} <= {request[79:72], request[71:40] | 32'd1};
    else if (rate != 8'd0) random <= b ^ (b << 5);
    offers_address <= does & (offers_address | random[23:16] >= rate);
    offers_data <= does & (offers_data | random[15:8] >= rate);
  end

  assign m_axil_awaddr = request[39:8];
  assign m_axil_araddr = request[39:8];
  assign m_axil_wdata = request[71:40];
  wire [1:0] channel = request[9:8];
  wire [3:0] takes, gives, ends;
  wire [255:0] given;
  `FIRESIM_CHANNEL_USE(0)
`ifdef FIRESIM_BLADE_1
  `FIRESIM_CHANNEL_USE(1)
`else
  assign {takes[1], gives[1], ends[1], given[127:64]} = 67'd0;
`endif
`ifdef FIRESIM_BLADE_2
  `FIRESIM_CHANNEL_USE(2)
`else
  assign {takes[2], gives[2], ends[2], given[191:128]} = 67'd0;
`endif
`ifdef FIRESIM_BLADE_3
  `FIRESIM_CHANNEL_USE(3)
`else
  assign {takes[3], gives[3], ends[3], given[255:192]} = 67'd0;
`endif
  assign {m_axil_awprot, m_axil_arprot} = 6'd0;
  assign m_axil_wstrb = 4'hf;
  assign m_axil_awvalid = does & what == WRITE & ~put_address & offers_address;
  assign m_axil_wvalid = does & what == WRITE & ~put_value & offers_data;
  assign m_axil_bready = hears;
  assign m_axil_arvalid = does & what == READ & ~put_address & offers_address;
  assign m_axil_rready = hears;

  wire read = does & what == READ & m_axil_rvalid & hears;
  wire written = does & what == WRITE & m_axil_bvalid & hears;
  wire sent = does & what == DOWN & takes[channel] & offers_data;
  wire received = does & what == UP & gives[channel] & hears;
  wire done = read | written | sent | received | (does & what == STALL);
  always @(posedge sys_clk)
    if (!sys_rst_n) begin
      missing <= 4'd0;
      left <= 4'd0;
      does <= 1'b0;
    end else begin
      if (missing != 0 | came != 0 & ~does) begin
        request <= {came, request[103:8]};
        missing <= missing != 0 ? missing - 4'd1 : 4'd12;
        if (missing == 4'd1) begin
          does <= 1'b1;
          put_address <= 1'b0;
          put_value <= 1'b0;
        end
      end
      if (m_axil_awvalid & m_axil_awready | m_axil_arvalid & m_axil_arready) put_address <= 1'b1;
      if (m_axil_wvalid & m_axil_wready) put_value <= 1'b1;
      if (done) begin
        does <= 1'b0;
        left <= 4'd9;
        answer <= {read ? {30'd0, m_axil_rresp, m_axil_rdata}
                   : written ? {30'd0, m_axil_bresp, 32'd0}
                   : received ? given[64*channel +: 64] : 64'd0,
                   received & ends[channel] ? UP_LAST : what};
      end else if (left != 0) begin
        answer <= answer >> 8;
        left <= left - 4'd1;
      end
    end
endmodule

module firesim_clock_ip (
`ifdef FIRESIM_TWO_CLOCKS
  input wire simulated,
`endif
  input wire clk_in1, input wire resetn, output wire clk_out1, output wire locked);
`ifdef FIRESIM_TWO_CLOCKS
  assign clk_out1 = simulated;
`else
  assign clk_out1 = clk_in1;
`endif
  assign locked = resetn;
endmodule

// A queue of 16 words between two clocks, as AMD's converters have for each channel. A side sees what the
// other one did two of its own edges later.
module firesim_queue_of_ip #(parameter WIDTH = 64) (
  input wire in_clock, input wire in_resetn, input wire in_valid, output wire in_ready,
  input wire [WIDTH-1:0] in_data,
  input wire out_clock, input wire out_resetn, output wire out_valid, input wire out_ready,
  output wire [WIDTH-1:0] out_data);
  reg [WIDTH-1:0] words [0:15];
  reg [4:0] head, head_1, head_2, tail, tail_1, tail_2;
  initial {head, head_1, head_2, tail, tail_1, tail_2} = 30'd0;
  wire [4:0] used = head - tail_2;
  assign in_ready = in_resetn & used != 5'd16;
  assign out_valid = out_resetn & head_2 != tail;
  assign out_data = words[tail[3:0]];
  always @(posedge in_clock) begin
    if (in_valid & in_ready) words[head[3:0]] <= in_data;
    head <= in_resetn ? head + {4'd0, in_valid & in_ready} : 5'd0;
    {tail_2, tail_1} <= in_resetn ? {tail_1, tail} : 10'd0;
  end
  always @(posedge out_clock) begin
    tail <= out_resetn ? tail + {4'd0, out_valid & out_ready} : 5'd0;
    {head_2, head_1} <= out_resetn ? {head_1, head} : 10'd0;
  end
endmodule

module firesim_registers_ip (
  input wire s_axi_aclk, input wire s_axi_aresetn,
  input wire [31:0] s_axi_awaddr, input wire [2:0] s_axi_awprot, input wire s_axi_awvalid,
  output wire s_axi_awready, input wire [31:0] s_axi_wdata, input wire [3:0] s_axi_wstrb,
  input wire s_axi_wvalid, output wire s_axi_wready, output wire [1:0] s_axi_bresp,
  output wire s_axi_bvalid, input wire s_axi_bready, input wire [31:0] s_axi_araddr,
  input wire [2:0] s_axi_arprot, input wire s_axi_arvalid, output wire s_axi_arready,
  output wire [31:0] s_axi_rdata, output wire [1:0] s_axi_rresp, output wire s_axi_rvalid,
  input wire s_axi_rready,
  input wire m_axi_aclk, input wire m_axi_aresetn,
  output wire [31:0] m_axi_awaddr, output wire [2:0] m_axi_awprot, output wire m_axi_awvalid,
  input wire m_axi_awready, output wire [31:0] m_axi_wdata, output wire [3:0] m_axi_wstrb,
  output wire m_axi_wvalid, input wire m_axi_wready, input wire [1:0] m_axi_bresp,
  input wire m_axi_bvalid, output wire m_axi_bready, output wire [31:0] m_axi_araddr,
  output wire [2:0] m_axi_arprot, output wire m_axi_arvalid, input wire m_axi_arready,
  input wire [31:0] m_axi_rdata, input wire [1:0] m_axi_rresp, input wire m_axi_rvalid,
  output wire m_axi_rready);
  firesim_queue_of_ip #(.WIDTH(35)) write_addresses (
    .in_clock(s_axi_aclk), .in_resetn(s_axi_aresetn), .in_valid(s_axi_awvalid),
    .in_ready(s_axi_awready), .in_data({s_axi_awaddr, s_axi_awprot}),
    .out_clock(m_axi_aclk), .out_resetn(m_axi_aresetn), .out_valid(m_axi_awvalid),
    .out_ready(m_axi_awready), .out_data({m_axi_awaddr, m_axi_awprot}));
  firesim_queue_of_ip #(.WIDTH(36)) written (
    .in_clock(s_axi_aclk), .in_resetn(s_axi_aresetn), .in_valid(s_axi_wvalid),
    .in_ready(s_axi_wready), .in_data({s_axi_wdata, s_axi_wstrb}),
    .out_clock(m_axi_aclk), .out_resetn(m_axi_aresetn), .out_valid(m_axi_wvalid),
    .out_ready(m_axi_wready), .out_data({m_axi_wdata, m_axi_wstrb}));
  firesim_queue_of_ip #(.WIDTH(2)) write_answers (
    .in_clock(m_axi_aclk), .in_resetn(m_axi_aresetn), .in_valid(m_axi_bvalid),
    .in_ready(m_axi_bready), .in_data(m_axi_bresp),
    .out_clock(s_axi_aclk), .out_resetn(s_axi_aresetn), .out_valid(s_axi_bvalid),
    .out_ready(s_axi_bready), .out_data(s_axi_bresp));
  firesim_queue_of_ip #(.WIDTH(35)) read_addresses (
    .in_clock(s_axi_aclk), .in_resetn(s_axi_aresetn), .in_valid(s_axi_arvalid),
    .in_ready(s_axi_arready), .in_data({s_axi_araddr, s_axi_arprot}),
    .out_clock(m_axi_aclk), .out_resetn(m_axi_aresetn), .out_valid(m_axi_arvalid),
    .out_ready(m_axi_arready), .out_data({m_axi_araddr, m_axi_arprot}));
  firesim_queue_of_ip #(.WIDTH(34)) found (
    .in_clock(m_axi_aclk), .in_resetn(m_axi_aresetn), .in_valid(m_axi_rvalid),
    .in_ready(m_axi_rready), .in_data({m_axi_rdata, m_axi_rresp}),
    .out_clock(s_axi_aclk), .out_resetn(s_axi_aresetn), .out_valid(s_axi_rvalid),
    .out_ready(s_axi_rready), .out_data({s_axi_rdata, s_axi_rresp}));
endmodule

module firesim_stream_ip (
  input wire s_axis_aclk, input wire s_axis_aresetn, input wire s_axis_tvalid,
  output wire s_axis_tready, input wire [63:0] s_axis_tdata,
  input wire m_axis_aclk, input wire m_axis_aresetn, output wire m_axis_tvalid,
  input wire m_axis_tready, output wire [63:0] m_axis_tdata);
  firesim_queue_of_ip words (
    .in_clock(s_axis_aclk), .in_resetn(s_axis_aresetn), .in_valid(s_axis_tvalid),
    .in_ready(s_axis_tready), .in_data(s_axis_tdata),
    .out_clock(m_axis_aclk), .out_resetn(m_axis_aresetn), .out_valid(m_axis_tvalid),
    .out_ready(m_axis_tready), .out_data(m_axis_tdata));
endmodule

module IBUF (input wire I, output wire O);
  assign O = I;
endmodule

module IBUFDS_GTE4 #(parameter [1:0] REFCLK_HROW_CK_SEL = 2'b00) (
  input wire I, input wire IB, input wire CEB, output wire O, output wire ODIV2);
  assign O = I;
  assign ODIV2 = I;
endmodule

module IBUFDS_GTE2 (input wire I, input wire IB, input wire CEB, output wire O, output wire ODIV2);
  assign O = I;
  assign ODIV2 = I;
endmodule
