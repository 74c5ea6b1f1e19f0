// SPDX-License-Identifier: BSD-3-Clause
// The control registers, over AXI4-Lite with 32 bits (sim/hostlib/registers.h names them).
module firesim_control #(parameter [63:0] FINGERPRINT = 64'd0, parameter TOGETHER = 1'b0) (
  input wire host_clock, input wire host_reset,
  input wire [7:0] awaddr, input wire awvalid, output wire awready,
  input wire [31:0] wdata, input wire wvalid, output wire wready,
  output wire [1:0] bresp, output reg bvalid, input wire bready,
  input wire [7:0] araddr, input wire arvalid, output wire arready,
  output reg [31:0] rdata, output wire [1:0] rresp, output reg rvalid, input wire rready,

  input wire running, input wire progress, input wire [47:0] cycle,
  output reg [63:0] listen, output reg [63:0] stop_at,
  output reg [31:0] stall_seed, output reg [7:0] stall_rate, output wire stall_load,
  output reg [15:0] counter, input wire [63:0] counter_value, input wire counter_rose,
  output wire scan_load, output wire scan_row_load, input wire [31:0] scan_words,
  input wire [31:0] further  // what an address that is none of these reads as
);
  reg [63:0] host_cycles;
  reg [31:0] patience, waited;  // the watchdog, in host cycles; no patience: none
  reg expired;
  initial begin
    bvalid = 1'b0; rvalid = 1'b0; rdata = 32'd0; listen = 64'd0; stop_at = 64'd0;
    stall_seed = 32'd1; stall_rate = 8'd0; counter = 16'd0; host_cycles = 64'd0;
    patience = 32'd0; waited = 32'd0; expired = 1'b0;
  end
  // The target's registers and memories may not be as the bitstream had them. It begins at 0 with the
  // bitstream, and no reset clears it, as none clears those.
  reg used;
  initial used = 1'b0;
  always @(posedge host_clock) if (running | scan_load) used <= 1'b1;

  wire write = awvalid & wvalid & ~bvalid;
  assign awready = write;
  assign wready = write;
  assign bresp = 2'b00;
  assign arready = ~rvalid;
  assign rresp = 2'b00;
  assign stall_load = write & awaddr == 8'h30;
  assign scan_load = write & awaddr == 8'h54;
  assign scan_row_load = write & awaddr == 8'h58;

  reg [31:0] found;
  always @*
    case (araddr)
      8'h00: found = 32'h4653494d;  // "FSIM"
      8'h04: found = 32'd3;
      8'h08: found = FINGERPRINT[31:0];
      8'h0c: found = FINGERPRINT[63:32];
      8'h10: found = cycle[31:0];
      8'h14: found = {16'd0, cycle[47:32]};
      8'h18: found = {28'd0, used, TOGETHER[0], expired, running};
      8'h1c: found = patience;
      8'h20: found = host_cycles[31:0];
      8'h24: found = host_cycles[63:32];
      8'h40: found = counter_value[31:0];
      8'h44: found = counter_value[63:32];
      8'h48: found = {31'd0, counter_rose};
      8'h50: found = scan_words;
      default: found = further;
    endcase

  wire waits = patience != 32'd0 & running & ~progress;
  always @(posedge host_clock) begin
    if (host_reset) begin
      bvalid <= 1'b0;
      rvalid <= 1'b0;
      expired <= 1'b0;
      waited <= 32'd0;
      host_cycles <= 64'd0;
    end else begin
      host_cycles <= host_cycles + 64'd1;
      waited <= waits ? waited + 32'd1 : 32'd0;
      if (waits & waited == patience) expired <= 1'b1;
      bvalid <= write | (bvalid & ~bready);
      rvalid <= (arvalid & arready) | (rvalid & ~rready);
    end
    if (arvalid & arready) rdata <= found;
    if (write)
      case (awaddr)
        8'h1c: patience <= wdata;
        8'h28: listen[31:0] <= wdata;
        8'h2c: listen[63:32] <= wdata;
        8'h30: stall_seed <= wdata;
        8'h34: stall_rate <= wdata[7:0];
        8'h38: stop_at[31:0] <= wdata;
        8'h3c: stop_at[63:32] <= wdata;
        8'h4c: counter <= wdata[15:0];
        default: ;
      endcase
  end
endmodule
