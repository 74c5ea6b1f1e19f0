// SPDX-License-Identifier: BSD-3-Clause
// The HyperLogLog unit (part `hll`; registers: docs/how-to/hll.md): which packets it counts, its
// registers, and what they estimate.
#ifndef FIRESIM_HLL_H_
#define FIRESIM_HLL_H_

#include <stdbool.h>
#include <stdint.h>

enum { HLL_REGISTERS = 65536, HLL_RANKS = 64, HLL_NO_BIT = 63 };

// Words of its CONTROL: it looks for packets and times them; their keys are counted, too; packets
// that it has found do not go on to memory.
enum { HLL_OFF = 0, HLL_LOOK = 1, HLL_COUNT = 2, HLL_CONSUME = 4 };

struct hll {
  uintptr_t address;
  unsigned lanes;
};

// What was found since the registers were cleared.
struct hll_counters {
  uint32_t packets;
  uint64_t keys;
  uint64_t cycles;  // from the first flit of the first packet to the last one of the last packet
};

// Finds the unit and waits until it is ready; fails when the blade has none.
struct hll hll_start(void);
// Sets the UDP destination port of the packets that are found.
void hll_set_port(const struct hll *hll, uint16_t port);
void hll_control(const struct hll *hll, uint32_t control);
struct hll_counters hll_counters(const struct hll *hll);

// The unit must be off for both. Clears registers and counters.
void hll_clear(const struct hll *hll);
// Reads all HLL_REGISTERS, a byte each; `to` is aligned to 8 bytes.
void hll_read(const struct hll *hll, uint8_t *to);

// Counts the registers of each rank.
void hll_ranks(const uint8_t *registers, uint32_t *ranks);
// The raw estimate of different keys, rounded down: alpha m^2 / sum(2^-rank), m = 65,536. With few
// keys many ranks are 0, and m ln(m / ranks[0]) is the better estimate.
uint64_t hll_estimate(const uint32_t *ranks);

#endif  // FIRESIM_HLL_H_
