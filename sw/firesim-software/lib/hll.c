// SPDX-License-Identifier: BSD-3-Clause
// Drives the HyperLogLog unit.
#include "hll.h"

#include "console.h"
#include "device_tree.h"
#include "platform.h"

enum {
  CONTROL = 0x00,
  PORT = 0x08,
  STATUS = 0x10,
  CLEAR = 0x18,
  INDEX = 0x20,
  REGISTERS = 0x28,
  PACKETS = 0x30,
  KEYS = 0x38,
  CYCLES = 0x40
};

// alpha m^2 in units of 2^-24, where alpha = 0.7213 / (1 + 1.079 / m) (Flajolet and others, 2007).
#define SCALED_NUMERATOR 51974286862767794UL

static void await(const struct hll *hll) {
  while (read32(hll->address + STATUS) & 1) continue;
}

struct hll hll_start(void) {
  struct device device;
  if (!find_device("firesim,hll", &device)) fail("this blade has no HyperLogLog unit");
  struct hll hll = {.address = device.address};
  await(&hll);
  hll.lanes = read32(hll.address + STATUS) >> 8 & 0xff;
  return hll;
}

void hll_set_port(const struct hll *hll, uint16_t port) { write32(hll->address + PORT, port); }

void hll_control(const struct hll *hll, uint32_t control) {
  write32(hll->address + CONTROL, control);
  full_fence();
}

struct hll_counters hll_counters(const struct hll *hll) {
  return (struct hll_counters){
      .packets = read32(hll->address + PACKETS),
      .keys = read64(hll->address + KEYS),
      .cycles = read64(hll->address + CYCLES),
  };
}

void hll_clear(const struct hll *hll) {
  await(hll);
  write32(hll->address + CLEAR, 1);
  full_fence();
  await(hll);
}

void hll_read(const struct hll *hll, uint8_t *to) {
  await(hll);
  write32(hll->address + INDEX, 0);
  full_fence();
  uint64_t *words = (uint64_t *)to;
  for (unsigned i = 0; i < HLL_REGISTERS / 8; i++) words[i] = read64(hll->address + REGISTERS);
}

void hll_ranks(const uint8_t *registers, uint32_t *ranks) {
  for (unsigned i = 0; i < HLL_RANKS; i++) ranks[i] = 0;
  for (unsigned i = 0; i < HLL_REGISTERS; i++) ranks[registers[i] % HLL_RANKS]++;
}

uint64_t hll_estimate(const uint32_t *ranks) {
  uint64_t sum = 0;  // in units of 2^-24; a register without a bit adds less than one
  for (unsigned rank = 0; rank <= 24; rank++) sum += (uint64_t)ranks[rank] << (24 - rank);
  return sum ? SCALED_NUMERATOR / sum : UINT64_MAX;
}
