// SPDX-License-Identifier: BSD-3-Clause
//
// batch SEED CYCLES: drives the text of a batch and what Golden Gate made of it with the same
// random inputs, in one Verilator model, and prints `differs INDEX CYCLE` for each signal of a
// module that is different, with the first cycle in which it is.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "Vbench.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

std::mt19937_64 generator;

bool happens(uint64_t one_in) { return generator() % one_in == 0; }

// Corners are as likely as random numbers, and a value often stays as it is.
template <typename Value>
void draw(Value &value, uint32_t width_bits) {
  const uint64_t mask = (uint64_t{2} << (width_bits - 1)) - 1;
  switch (generator() % 8) {
    case 0:
      value = 0;
      return;
    case 1:
      value = static_cast<Value>(mask);
      return;
    case 2:
      value = static_cast<Value>(uint64_t{1} << generator() % width_bits);
      return;
    case 3:
      value = static_cast<Value>((value + 1) & mask);
      return;
    case 4:
      return;
    default:
      value = static_cast<Value>(generator() & mask);
  }
}

// Resets are seldom active, so that state can build up, and then for several cycles or one.
void draw_reset(uint8_t &value, uint8_t active, uint64_t cycle) {
  const bool is_active = value == active;
  value = cycle < 3 || (is_active ? !happens(2) : happens(24)) ? active : !active;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  generator.seed(std::strtoull(argv[1], nullptr, 10));
  const uint64_t cycles = std::strtoull(argv[2], nullptr, 10);
  VerilatedContext context;
  Vbench bench(&context);
  bench.arst_n = 1;
  bench.eval();
  std::vector<bool> differed(READER_FUZZ_SIGNALS);
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    draw(bench.a, 16);
    draw(bench.b, 32);
    draw(bench.c, 8);
    draw(bench.d, 12);
    draw(bench.i, 4);
    draw(bench.e, 1);
    draw_reset(bench.arst, 1, cycle);
    draw_reset(bench.arst_n, 0, cycle);
    draw_reset(bench.srst, 1, cycle);
    bench.clock = 0;
    bench.eval();
    for (size_t index = 0; index < differed.size(); ++index) {
      if (differed[index] || (bench.differs[index / 32] >> index % 32 & 1) == 0) continue;
      differed[index] = true;
      std::printf("differs %zu %llu\n", index, static_cast<unsigned long long>(cycle));
    }
    bench.clock = 1;
    bench.eval();
  }
  return 0;
}
