// SPDX-License-Identifier: BSD-3-Clause
// A block device with one channel of answers, for beats that were read and for acknowledgements of
// writes, as our bridge `block_device`, which has two. An answer that is offered stays.
module firesim_block_port #(
    parameter int TAG_BITS = 1
) (
    input clock,
    input reset,
    input req_valid,
    output req_ready,
    input req_write,
    input [31:0] req_offset,
    input [31:0] req_len,
    input [TAG_BITS-1:0] req_tag,
    input data_valid,
    output data_ready,
    input [63:0] data_data,
    input [TAG_BITS-1:0] data_tag,
    output resp_valid,
    input resp_ready,
    output [63:0] resp_data,
    output [TAG_BITS-1:0] resp_tag,
    output [31:0] info_nsectors,
    output [31:0] info_max_req_len
);
  wire rdata_valid, wack_valid;
  wire [63:0] rdata_bits;
  wire [7:0] rdata_tag, wack_tag;
  wire [15:0] most;
  logic keeps_ack;
  wire is_ack = keeps_ack || !rdata_valid;
  always_ff @(posedge clock) keeps_ack <= !reset && wack_valid && is_ack && !resp_ready;
  assign resp_valid = !reset && (is_ack ? wack_valid : rdata_valid);
  assign resp_data = is_ack ? 64'd0 : rdata_bits;
  assign resp_tag = is_ack ? wack_tag[TAG_BITS-1:0] : rdata_tag[TAG_BITS-1:0];
  assign info_max_req_len = {16'd0, most};

  wire ready, takes_data;
  assign req_ready = ready && !reset;
  assign data_ready = takes_data && !reset;
  FireSimBlockDeviceBridge bridge (
      .clock,
      .reset,
      .req_valid(req_valid && !reset),
      .req_write,
      .req_sector(req_offset),
      .req_count(req_len[15:0]),
      .req_tag(8'(req_tag)),
      .req_ready(ready),
      .wdata_valid(data_valid && !reset),
      .wdata_bits(data_data),
      .wdata_tag(8'(data_tag)),
      .wdata_ready(takes_data),
      .rdata_valid,
      .rdata_bits,
      .rdata_tag,
      .rdata_ready(!reset && !is_ack && resp_ready),
      .wack_valid,
      .wack_tag,
      .wack_ready(!reset && is_ack && resp_ready),
      .info_sectors(info_nsectors),
      .info_max_request(most)
  );
endmodule
