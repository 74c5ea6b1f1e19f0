// SPDX-License-Identifier: BSD-3-Clause
// Frames in and out of the NIC. A node that waits sleeps, which is simulated several times as fast.
#include "wire.h"

#include "runtime.h"

enum { MAC_BYTES = 6 };

// The other order of the bytes of a MAC address, which is its own inverse.
static uint64_t swapped(uint64_t mac) {
  uint64_t result = 0;
  for (unsigned i = 0; i < MAC_BYTES; i++) result = result << 8 | (mac >> (8 * i) & 0xff);
  return result;
}

static unsigned number_of(const struct wire *wire, uint64_t mac) {
  const uint64_t number = swapped(mac) - wire->first;
  return number < wire->nodes ? (unsigned)number : wire->nodes;
}

void wire_start(struct wire *wire, uint64_t first_mac, unsigned nodes) {
  *wire = (struct wire){.first = swapped(first_mac), .nodes = nodes};
  wire->own = number_of(wire, nic_mac());
  if (wire->own == nodes) fail("this node is none of the %u from the first address on", nodes);
  for (unsigned i = 0; i < NIC_QUEUE_DEPTH; i++) {
    wire->buffers[i] = firesim_heap(nic_max_frame_bytes());
    nic_post_receive(wire->buffers[i]);
  }
  plic_enable(INTERRUPT_NIC);
  nic_interrupts(NIC_INTERRUPT_RECEIVED);
  set_csr(mie, MIE_EXTERNAL);
}

// What came before the last look has raised its interrupt, so it is not slept through.
static uint32_t wait_for_frame(void) {
  uint32_t bytes = nic_pop_received();
  while (!bytes) {
    while (!(read_csr(mip) & MIE_EXTERNAL)) wait_for_interrupt();
    plic_complete(plic_claim());
    bytes = nic_pop_received();
  }
  return bytes;
}

struct packet *wire_receive(struct wire *wire, uint32_t *bytes) {
  for (;;) {
    if (wire->taken) {
      nic_post_receive(wire->buffers[wire->next]);
      wire->next = (wire->next + 1) % NIC_QUEUE_DEPTH;
    }
    *bytes = wait_for_frame();
    wire->taken = true;
    struct packet *frame = wire->buffers[wire->next];
    if (*bytes >= sizeof *frame && frame->from >> 48 == ETHERTYPE_INJECTED) return frame;
  }
}

unsigned wire_sender(const struct wire *wire, const struct packet *frame) {
  return number_of(wire, frame->from & ((1UL << 48) - 1));
}

uint64_t wire_mac(const struct wire *wire, unsigned node) { return swapped(wire->first + node); }

void wire_drain(struct wire *wire) {
  while (wire->unsent) wire->unsent -= nic_pop_sent();
}

void wire_send(struct wire *wire, unsigned node, struct packet *frame, uint32_t bytes) {
  wire_drain(wire);
  frame->to = wire_mac(wire, node) << 16;
  frame->from = (uint64_t)ETHERTYPE_INJECTED << 48 | wire_mac(wire, wire->own);
  nic_send_piece(frame, bytes, false);
  wire->unsent++;
}
