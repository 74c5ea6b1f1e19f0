// SPDX-License-Identifier: BSD-3-Clause
// A small device behind the engine ABI, for the tests of the RTL blade. Every register changes in
// tick() only, as in a clocked design:
//   - a flit received in cycle t is sent back, plus 1, in cycle t + 1, and counted;
//   - every flit prints its low byte on the UART and commits an instruction at pc = data;
//   - the last flits are kept in a memory of four rows, in two columns as an engine cuts it;
//   - data 0xdead ends the blade, passed; 0xfa11 fails with code 3; 0xbad fails assert 1.
#include <cstdint>
#include <cstring>
#include <new>

#include "engine/firesim_engine.h"

// Another version makes an old model.
#ifndef TEST_DEVICE_ABI
#define TEST_DEVICE_ABI FIRESIM_ENGINE_ABI_VERSION
#endif

namespace {

struct Device {
  // inputs
  uint8_t reset, in_valid, in_last, uart_ready, uart_in_valid, uart_in_bits;
  uint64_t in_data, mac;
  uint16_t rate_increment, rate_period;
  // outputs
  uint8_t out_valid, out_last, uart_valid, uart_bits, uart_in_ready, end_valid, asserts;
  uint64_t out_data, count;
  uint32_t end_value;
  uint8_t trace_valid, trace_exception, trace_interrupt, trace_privilege;
  uint32_t trace_instruction;
  uint64_t trace_pc, trace_cause, trace_tval;
  // registers
  uint8_t valid_r, last_r;
  uint64_t data_r, count_r;
  uint8_t tag_r;
  uint32_t recent_low[4];
  uint8_t recent_high[4];
};

void settle(void *instance) {
  Device &d = *static_cast<Device *>(instance);
  d.out_valid = d.valid_r;
  d.out_last = d.last_r;
  d.out_data = d.data_r + 1;
  d.count = d.count_r;
  d.uart_valid = d.trace_valid = d.valid_r;
  d.uart_bits = static_cast<uint8_t>(d.data_r);
  d.trace_pc = d.data_r;
  d.trace_instruction = 0x13;
  d.trace_privilege = 3;
  d.end_valid = d.valid_r != 0 && (d.data_r == 0xdead || d.data_r == 0xfa11);
  d.end_value = d.data_r == 0xdead ? 0x5555 : 0x33333;
  d.asserts = d.valid_r != 0 && d.data_r == 0xbad ? 2 : 0;
}

void tick(void *instance) {
  Device &d = *static_cast<Device *>(instance);
  if (d.valid_r != 0) {
    d.recent_low[d.count_r % 4] = static_cast<uint32_t>(d.data_r);
    d.recent_high[d.count_r % 4] = static_cast<uint8_t>(d.data_r >> 32);
  }
  d.count_r = d.reset != 0 ? 0 : d.count_r + d.in_valid;
  d.valid_r = d.reset != 0 ? 0 : d.in_valid;
  d.last_r = d.in_last;
  d.data_r = d.in_data;
}

FiresimPort port(void *instance, uint32_t index) {
  Device &d = *static_cast<Device *>(instance);
  const FiresimPort ports[] = {
      {"reset", 1, 1, &d.reset},
      {"nic__in_valid", 1, 1, &d.in_valid},
      {"nic__in_data", 64, 1, &d.in_data},
      {"nic__in_last", 1, 1, &d.in_last},
      {"nic__mac_address", 48, 1, &d.mac},
      {"nic__rate_increment", 16, 1, &d.rate_increment},
      {"nic__rate_period", 16, 1, &d.rate_period},
      {"nic__out_valid", 1, 0, &d.out_valid},
      {"nic__out_data", 64, 0, &d.out_data},
      {"nic__out_last", 1, 0, &d.out_last},
      {"uart__out_ready", 1, 1, &d.uart_ready},
      {"uart__in_valid", 1, 1, &d.uart_in_valid},
      {"uart__in_bits", 8, 1, &d.uart_in_bits},
      {"uart__out_valid", 1, 0, &d.uart_valid},
      {"uart__out_bits", 8, 0, &d.uart_bits},
      {"uart__in_ready", 1, 0, &d.uart_in_ready},
      {"end__valid", 1, 0, &d.end_valid},
      {"end__value", 32, 0, &d.end_value},
      {"trace__valid", 1, 0, &d.trace_valid},
      {"trace__pc", 64, 0, &d.trace_pc},
      {"trace__instruction", 32, 0, &d.trace_instruction},
      {"trace__privilege", 3, 0, &d.trace_privilege},
      {"trace__exception", 1, 0, &d.trace_exception},
      {"trace__interrupt", 1, 0, &d.trace_interrupt},
      {"trace__cause", 64, 0, &d.trace_cause},
      {"trace__tval", 64, 0, &d.trace_tval},
      {"asserts", 2, 0, &d.asserts},
      {"flits", 64, 0, &d.count},
  };
  return ports[index];
}

uint8_t tag_below = 0xa;  // bits of core.tagged that never change

FiresimSignal signal(void *instance, uint32_t index) {
  Device &d = *static_cast<Device *>(instance);
  const FiresimSignal signals[] = {
      {"core.data", 0, 64, 1, FIRESIM_REGISTER, &d.data_r},
      {"core.count", 0, 64, 1, FIRESIM_REGISTER, &d.count_r},
      {"core.recent", 32, 8, 4, FIRESIM_MEMORY, d.recent_high},
      {"core.recent", 0, 32, 4, FIRESIM_MEMORY, d.recent_low},
      {"core.data", 0, 64, 1, FIRESIM_WIRE, &d.data_r},
      {"core.sum", 0, 64, 1, FIRESIM_WIRE, &d.out_data},
      {"core.tagged", 4, 4, 1, FIRESIM_REGISTER, &d.tag_r},
      {"core.tagged", 0, 4, 1, FIRESIM_CONSTANT, &tag_below},
  };
  return signals[index];
}

const FiresimEngine kEngine = {
    TEST_DEVICE_ABI,
    28,
    "0123abcd",
    "test device",
    []() -> void * { return new (std::nothrow) Device{}; },
    [](void *instance) { delete static_cast<Device *>(instance); },
    port,
    settle,
    tick,
    [](void *instance, void (*write)(void *, const void *, size_t), void *to) {
      write(to, instance, sizeof(Device));
    },
    [](void *instance, const void *data, size_t bytes) {
      if (bytes != sizeof(Device)) return -1;
      std::memcpy(instance, data, bytes);
      return 0;
    },
    8,
    signal,
    [](void *) {},
};

}  // namespace

extern "C" const FiresimEngine *firesim_engine(void) { return &kEngine; }
