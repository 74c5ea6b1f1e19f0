// SPDX-License-Identifier: BSD-3-Clause
// A lone hart, instructions of several cycles, and what the NIC does under one of them: all of it
// comes out the same for any cut of time.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/state.h"
#include "core/token_hash.h"
#include "functional/blade/blade_model.h"
#include "functional/core/tests/assembler.h"

namespace firesim::functional {
namespace {

using namespace assembler;

constexpr uint32_t kCycles = 600;
// The boot ROM leaves the address of the program, which is at the beginning of DRAM, in t0.
constexpr uint32_t kProgram = 5, kNic = 8, kPlic = 9, kPlicEnable = 10, kWord = 11, kCount = 12;
constexpr int32_t kData = 256;   // from the program on: the NIC's requests
constexpr int32_t kOther = 128;  // more of the program

struct Guest {
  std::vector<uint32_t> program;
  std::vector<uint32_t> other;
  std::vector<uint64_t> requests;
};

uint32_t sw(uint32_t base, uint32_t value, int32_t imm) { return s(0x23, 2, base, value, imm); }

std::vector<uint32_t> send_request(int32_t index) {
  return {ld(kWord, kProgram, kData + 8 * index), sd(kNic, kWord, 0)};
}

void append(std::vector<uint32_t> &program, const std::vector<uint32_t> &more) {
  program.insert(program.end(), more.begin(), more.end());
}

uint64_t piece(uint64_t address, uint64_t flits, bool more) {
  return address | flits << 51 | uint64_t{more} << 63;
}

const std::vector<uint32_t> kCountOn = {addi(kCount, kCount, 1), branch(0, 0, 0, -4)};

// Counts until the NIC's interrupt says that a packet has been sent.
Guest interrupted(uint64_t flits) {
  Guest guest{{lui(kNic, kNicBase), lui(kPlic, kPlicBase), lui(kPlicEnable, kPlicBase + 0x2000),
               addi(kWord, 0, 1), sw(kNic, kWord, 0x30), sw(kPlic, kWord, 4 * kNicInterrupt),
               addi(kWord, 0, 1 << kNicInterrupt), sw(kPlicEnable, kWord, 0),
               addi(kWord, kProgram, kOther), csrrw(0, 0x305, kWord), addi(kWord, 0, -2048),
               csrrw(0, 0x304, kWord), addi(kWord, 0, 8), csrrs(0, 0x300, kWord)},
              {branch(0, 0, 0, 0)},
              {piece(kDramBase, flits, false)}};
  append(guest.program, send_request(0));
  append(guest.program, kCountOn);
  return guest;
}

// Counts when the NIC comes to a piece in memory that does not exist.
Guest ended_by_the_nic(uint64_t flits) {
  Guest guest{{lui(kNic, kNicBase)}, {}, {piece(kDramBase, flits, true), piece(0, 1, false)}};
  append(guest.program, send_request(0));
  append(guest.program, send_request(1));
  append(guest.program, kCountOn);
  return guest;
}

// Comes, while the NIC sends, to an instruction it has stored without a fence.i.
Guest ended_by_a_stale_fetch(uint64_t flits) {
  Guest guest{{lui(kNic, kNicBase)}, {}, {piece(kDramBase, flits, false)}};
  append(guest.program, send_request(0));
  guest.program.push_back(sd(kProgram, 0, kOther));
  while (guest.program.size() < kOther / 4) guest.program.push_back(addi(kCount, kCount, 1));
  return guest;
}

struct Times {
  uint32_t cycles_per_instruction;
  uint32_t quantum_cycles;
};

// The state after kCycles, and a hash of what was sent.
std::pair<std::vector<uint8_t>, uint64_t> run(const Guest &guest, const Times &times,
                                              uint32_t step) {
  FunctionalBlade blade({{"name", "n"},
                         {"kind", "functional"},
                         {"cycles_per_instruction", times.cycles_per_instruction},
                         {"quantum_cycles", times.quantum_cycles},
                         {"check_fence_i", true},
                         {"translate_after", step == 1 ? 0 : kNeverTranslated},
                         {"bridges",
                          {{"nic", {{"mac", "00:12:6D:00:00:02"}}},
                           {"memory", {{"base", kDramBase}, {"size_bytes", 1 << 20}}}}}},
                        SimulationContext{});
  uint8_t *memory = blade.settings().memory->at(kDramBase);
  const auto put = [memory](uint64_t at, const auto &words) {
    if (!words.empty()) std::memcpy(memory + at, words.data(), sizeof words[0] * words.size());
  };
  put(0, guest.program);
  put(kOther, guest.other);
  put(kData, guest.requests);
  uint64_t hash = 0;
  for (uint32_t cycle = 0; cycle < kCycles; cycle += step) {
    Batch input(cycle, step), output(cycle, step);
    blade.advance(cycle, step, {&input, 1}, {&output, 1});
    hash += hash_batch(output);
  }
  StateWriter writer;
  blade.save(writer);
  return {writer.data(), hash};
}

void expect_no_difference(Guest (*guest)(uint64_t flits)) {
  for (const Times &times : {Times{2, 1}, Times{3, 7}, Times{50, 10}}) {
    for (uint64_t flits = 1; flits <= 64; ++flits) {
      EXPECT_TRUE(run(guest(flits), times, 1) == run(guest(flits), times, kCycles))
          << flits << " flits, instructions of " << times.cycles_per_instruction << " cycles";
    }
  }
}

TEST(Cuts, AnInterruptIsSeenInTheSameCycle) { expect_no_difference(interrupted); }

TEST(Cuts, TheNicEndsTheBladeInTheSameState) { expect_no_difference(ended_by_the_nic); }

TEST(Cuts, AStaleFetchEndsTheBladeWithTheSameTokens) {
  expect_no_difference(ended_by_a_stale_fetch);
}

}  // namespace
}  // namespace firesim::functional
