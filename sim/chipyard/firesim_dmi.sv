// SPDX-License-Identifier: BSD-3-Clause
// The host of bridge `tsi` at a debug module's interface (DMI), for designs without another link to
// a host. What it reads and writes goes over the debug module's system bus access. Its first write
// of a single word, which would wake hart 0 by an interrupt, starts hart 0 at ENTRY in place of that:
// the hart is halted, its program buffer sets `dpc`, and it is resumed. What is loaded comes in pairs.
//
// Registers and fields: RISC-V External Debug Support 0.13.2, chapters 3 and 4. Words of 64 bits are
// accessed whole, so that the host never sees one half of what a hart stores.
module firesim_dmi #(
    parameter logic [63:0] ENTRY = 64'h8000_0000
) (
    input clock,
    input reset,
    output req_valid,
    input req_ready,
    output logic [6:0] req_addr,
    output [1:0] req_op,
    output logic [31:0] req_data,
    input resp_valid,
    output resp_ready,
    input [1:0] resp_bits,
    input [31:0] resp_data
);
  localparam logic [6:0] DATA0 = 7'h04, DATA1 = 7'h05, DMCONTROL = 7'h10, DMSTATUS = 7'h11;
  localparam logic [6:0] ABSTRACTCS = 7'h16, COMMAND = 7'h17, PROGBUF0 = 7'h20, PROGBUF1 = 7'h21;
  localparam logic [6:0] SBCS = 7'h38, SBADDRESS0 = 7'h39, SBADDRESS1 = 7'h3a;
  localparam logic [6:0] SBDATA0 = 7'h3c, SBDATA1 = 7'h3d;
  localparam logic [31:0] ACTIVE = 32'h0000_0001;
  localparam logic [31:0] HALT_REQUEST = 32'h8000_0000, RESUME_REQUEST = 32'h4000_0000;
  localparam logic [31:0] SET_DPC = 32'h7b14_1073, EBREAK = 32'h0010_0073;  // csrw dpc, s0
  // Write s0 from data0 and data1, then run the program buffer.
  localparam logic [31:0] RUN_WITH_S0 = 32'h0037_1008;
  localparam logic [31:0] CLEAR_ERRORS = 32'h0040_7000, READ_ON_ADDRESS = 32'h0010_0000;
  typedef enum logic [4:0] {
    ACTIVATE,
    IS_ACTIVE,
    HEAD,
    TAKE,
    HALT,
    IS_HALTED,
    ENTRY_LOW,
    ENTRY_HIGH,
    PROGRAM,
    PROGRAM_END,
    RUN,
    HAS_RUN,
    RESUME,
    HAS_RESUMED,
    RELEASE,
    ACCESS,
    ADDRESS_HIGH,
    ADDRESS_LOW,
    WRITE_HIGH,
    WRITE_LOW,
    IS_DONE,
    READ_HIGH,
    READ_LOW,
    SAY
  } state_t;
  state_t state;
  logic waits, started, writes, second, failed;
  logic [2:0] at;
  logic [31:0] left;  // words behind the one at `address`
  logic [63:0] address, data;
  wire in_valid, in_ready, out_valid, out_ready;
  wire [31:0] in_bits, out_bits;
  firesim_tsi tsi (.*);

  wire is_pair = !address[2] && left != 32'd0;
  wire is_access = state != HEAD && state != TAKE && state != SAY;
  logic is_read;
  assign req_valid = !reset && is_access && !waits && !failed;
  assign req_op = is_read ? 2'd1 : 2'd2;
  assign resp_ready = waits;
  assign in_ready = !reset && (state == HEAD || state == TAKE);
  assign out_valid = state == SAY;
  assign out_bits = second ? data[63:32] : data[31:0];

  always_comb begin
    {is_read, req_addr, req_data} = {1'b0, DMCONTROL, ACTIVE};
    case (state)
      IS_ACTIVE: is_read = 1'b1;
      HALT: req_data = HALT_REQUEST | ACTIVE;
      IS_HALTED, HAS_RESUMED: {is_read, req_addr} = {1'b1, DMSTATUS};
      ENTRY_LOW: {req_addr, req_data} = {DATA0, ENTRY[31:0]};
      ENTRY_HIGH: {req_addr, req_data} = {DATA1, ENTRY[63:32]};
      PROGRAM: {req_addr, req_data} = {PROGBUF0, SET_DPC};
      PROGRAM_END: {req_addr, req_data} = {PROGBUF1, EBREAK};
      RUN: {req_addr, req_data} = {COMMAND, RUN_WITH_S0};
      HAS_RUN: {is_read, req_addr} = {1'b1, ABSTRACTCS};
      RESUME: req_data = RESUME_REQUEST | ACTIVE;
      ACCESS: begin
        req_addr = SBCS;
        req_data = CLEAR_ERRORS | {12'd0, is_pair ? 3'd3 : 3'd2, 17'd0};
        if (!writes) req_data = req_data | READ_ON_ADDRESS;
      end
      ADDRESS_HIGH: {req_addr, req_data} = {SBADDRESS1, address[63:32]};
      ADDRESS_LOW: {req_addr, req_data} = {SBADDRESS0, address[31:0]};
      WRITE_HIGH: {req_addr, req_data} = {SBDATA1, data[63:32]};
      WRITE_LOW: {req_addr, req_data} = {SBDATA0, data[31:0]};
      IS_DONE: {is_read, req_addr} = {1'b1, SBCS};
      READ_HIGH: {is_read, req_addr} = {1'b1, SBDATA1};
      READ_LOW: {is_read, req_addr} = {1'b1, SBDATA0};
      default: ;
    endcase
  end

  wire answered = waits && resp_valid;
  wire bus_failed = resp_data[22] || resp_data[14:12] != 3'd0;
  wire bus_done = answered && state == IS_DONE && !resp_data[21] && !bus_failed;
  wire said = state == SAY && out_ready && (second || !is_pair);
  always_ff @(posedge clock) begin
    if (reset) begin
      state <= ACTIVATE;
      at <= 3'd0;
      {waits, started, second, failed} <= 4'd0;
    end else if (state == HEAD && in_valid) begin
      at <= at == 3'd4 ? 3'd0 : at + 3'd1;
      if (at == 3'd0) writes <= in_bits[0];
      if (at == 3'd1) address[31:0] <= in_bits;
      if (at == 3'd2) address[63:32] <= in_bits;
      if (at == 3'd3) left <= in_bits;
      if (at == 3'd4) state <= writes ? TAKE : ACCESS;
    end else if (state == TAKE && in_valid) begin
      if (second) data[63:32] <= in_bits;
      else data[31:0] <= in_bits;
      second <= is_pair && !second;
      if (!started && !is_pair) state <= HALT;
      else if (!is_pair || second) state <= ACCESS;
    end else if (said || (bus_done && writes)) begin
      waits  <= 1'b0;
      second <= 1'b0;
      if (left == {31'd0, is_pair}) state <= HEAD;
      else begin
        address <= address + (is_pair ? 64'd8 : 64'd4);
        left <= left - (is_pair ? 32'd2 : 32'd1);
        state <= writes ? TAKE : ACCESS;
      end
    end else if (state == SAY && out_ready) second <= 1'b1;
    else if (req_valid && req_ready) waits <= 1'b1;
    else if (answered) begin
      waits  <= 1'b0;
      failed <= resp_bits != 2'd0;
      case (state)
        IS_ACTIVE: if (resp_data[0]) state <= HEAD;
        IS_HALTED: if (resp_data[9]) state <= ENTRY_LOW;
        HAS_RUN: begin
          if (!resp_data[12]) state <= RESUME;
          if (resp_data[10:8] != 3'd0) failed <= 1'b1;
        end
        HAS_RESUMED: if (resp_data[17]) state <= RELEASE;
        RELEASE: begin
          started <= 1'b1;
          second  <= 1'b0;
          state   <= HEAD;
        end
        ADDRESS_LOW: state <= !writes ? IS_DONE : is_pair ? WRITE_HIGH : WRITE_LOW;
        IS_DONE: begin
          if (bus_done) state <= is_pair ? READ_HIGH : READ_LOW;
          if (!resp_data[21] && bus_failed) failed <= 1'b1;
        end
        READ_HIGH: begin
          data[63:32] <= resp_data;
          state <= READ_LOW;
        end
        READ_LOW: begin
          data[31:0] <= resp_data;
          state <= SAY;
        end
        default: state <= state_t'(5'(state) + 5'd1);
      endcase
    end
  end
  always_ff @(posedge clock) begin
    if (!reset && failed) $fatal(1, "the debug module refuses the host, at address %h", address);
  end
endmodule
