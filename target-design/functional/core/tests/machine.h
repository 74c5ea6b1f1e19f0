// SPDX-License-Identifier: BSD-3-Clause
// A machine whose code and state a test puts there, and random programs for it.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "assembler.h"
#include "bare_machine.h"

namespace firesim::functional {

inline constexpr uint64_t kMachineBytes = 1 << 20;
inline constexpr uint64_t kHandler = 0x1000, kData = 0x8000;  // offsets in DRAM

class Machine : public BareMachine {
 public:
  explicit Machine(size_t code_bytes = kMostCodeBytes, CodeStore *store = nullptr,
                   HartFeatures features = {})
      : BareMachine(kMachineBytes, code_bytes, store, features) {
    state.pc = kDramBase;
    state.mtvec = kDramBase + kHandler;
    state.mstatus = 3 << 11;
  }
  void put(uint64_t offset, uint64_t value, size_t bytes) {
    std::memcpy(memory().data() + offset, &value, bytes);
  }
  void code(const std::vector<uint32_t> &words, uint64_t offset = 0) {
    for (size_t i = 0; i < words.size(); ++i) put(offset + 4 * i, words[i], 4);
  }
  // Runs so many instructions from `state`.
  ArchitecturalState after(uint64_t instructions) {
    hart().set_state(state);
    run(state.cycle + instructions);
    return hart().state();
  }
  ArchitecturalState state;
};

// A random program that also stores into its own code, with a timer interrupt now and then.
inline void random_program(Machine &m, std::mt19937_64 &random) {
  namespace as = assembler;
  constexpr uint32_t kCodeWords = 900;
  const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const auto reg = [&] { return 5 + pick(26); };
  std::vector<uint32_t> words;
  for (uint32_t n = 0; n < kCodeWords; ++n) {
    const int32_t near = static_cast<int32_t>(pick(4096)) - 2048;
    switch (pick(11)) {
      case 0:
        words.push_back(as::ld(reg(), 2, near & ~7));
        break;
      case 1:
        words.push_back(as::s(0x23, pick(4), 2, reg(), near));
        break;
      case 2:
        // Forward mostly, at most to the end of the program.
        words.push_back(as::branch(pick(2) * 4 + pick(2), reg(), reg(), 4 * (1 + pick(12))));
        break;
      case 3:
        words.push_back(as::s(0x23, 2, 3, 4, (near & ~3) & 0x7ff));  // into the code
        break;
      case 4:
        words.push_back(as::csrrs(reg(), pick(2) ? 0xb02 : 0xb00, 0));
        break;
      case 5:
        words.push_back(as::i(0x13, pick(2) * 4, reg(), reg(), near));
        break;
      case 6:
        words.push_back(as::jal(pick(2), 4 * static_cast<int32_t>(1 + pick(12))));
        break;
      default:
        words.push_back(as::r(0x33, pick(8), pick(3) == 0, reg(), reg(), reg()));
    }
  }
  for (int n = 0; n < 16; ++n) words.push_back(0x13);
  words.push_back(as::i(0x67, 0, 0, 3, 0));  // again from the start
  m.code(words);
  // Exceptions go on after the instruction; the timer is set some ticks ahead.
  m.code({as::csrrw(5, 0x340, 5), as::csrrs(5, 0x342, 0), as::branch(4, 5, 0, 20),
          as::csrrs(5, 0x341, 0), as::addi(5, 5, 4), as::csrrw(0, 0x341, 5), as::kMret,
          as::lui(5, kClintBase + 0x4000), as::ld(6, 5, 0), as::addi(6, 6, 7), as::sd(5, 6, 0),
          as::kMret},
         kHandler);
  m.state.x[2] = kDramBase + kData;
  m.state.x[3] = kDramBase;
  m.state.x[4] = as::addi(7, 7, 1);
  for (uint32_t n = 5; n < 32; ++n) m.state.x[n] = random();
  m.state.mie = 1 << 7;
  m.state.mstatus |= 1 << 3;
  m.hart().set_state(m.state);
}

}  // namespace firesim::functional
