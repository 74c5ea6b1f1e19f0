// SPDX-License-Identifier: BSD-3-Clause
// The chip: a serial link on its own clock, a core, and one port to main memory that both use. A
// write below main memory sets the core's software interrupt, whatever the address.
module ChipTop (
    input clock,
    input serial_clock,
    input reset,
    input [31:0] most_words,
    output tsi_in_ready,
    input tsi_in_valid,
    input [31:0] tsi_in_bits,
    input tsi_out_ready,
    output tsi_out_valid,
    output [31:0] tsi_out_bits,
    output aw_valid,
    input aw_ready,
    output [31:0] aw_addr,
    output w_valid,
    input w_ready,
    output [63:0] w_data,
    output [7:0] w_strb,
    input b_valid,
    output b_ready,
    input [1:0] b_resp,
    output ar_valid,
    input ar_ready,
    output [31:0] ar_addr,
    input r_valid,
    output r_ready,
    input [63:0] r_data,
    input [1:0] r_resp
);
  wire serial_asks, serial_writes, core_asks, core_writes;
  wire [31:0] serial_address, core_address;
  wire [63:0] serial_data, core_data, answer;
  wire [7:0] serial_strobe;
  wire [1:0] done;
  logic awake, acknowledged;
  logic [63:0] held;

  // A request of the serial link and its acknowledgement are levels, so they cross between the
  // clocks whatever their ratio is: each changes only after the other one.
  wire is_memory = serial_address[31];
  wire open = serial_asks && !acknowledged;
  always_ff @(posedge clock) begin
    if (reset) begin
      awake <= 1'b0;
      acknowledged <= 1'b0;
    end else begin
      if (open && !is_memory && serial_writes) awake <= serial_data[0];
      acknowledged <= serial_asks && (acknowledged || done[0] || !is_memory);
      if (open) held <= is_memory ? answer : {63'd0, awake};
    end
  end

  SerialLink serial (
      .clock(serial_clock),
      .reset,
      .tsi_in_ready,
      .tsi_in_valid,
      .tsi_in_bits,
      .tsi_out_ready,
      .tsi_out_valid,
      .tsi_out_bits,
      .asks(serial_asks),
      .writes(serial_writes),
      .address(serial_address),
      .data(serial_data),
      .strobe(serial_strobe),
      .done(acknowledged),
      .answer(held)
  );
  ListCore core (
      .clock,
      .reset,
      .awake,
      .most_words,
      .asks(core_asks),
      .writes(core_writes),
      .address(core_address),
      .data(core_data),
      .done(done[1]),
      .answer
  );
  MemoryPort port (
      .clock,
      .reset,
      .asks({core_asks, open && is_memory}),
      .writes({core_writes, serial_writes}),
      .address({core_address, serial_address}),
      .data({core_data, serial_data}),
      .strobe({8'hff, serial_strobe}),
      .done,
      .answer,
      .*
  );
endmodule
