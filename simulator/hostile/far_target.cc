// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a target whose ports lie between words that nobody may write. See the header.
#include "simulator/hostile/far_target.h"

#include <array>
#include <stdexcept>

#include "hostlib/host_target.h"
#include "hostlib/piece_words.h"

namespace firesim::hostile {

namespace {

constexpr uint64_t kCycles = 10;
constexpr uint64_t kStopped = uint64_t{1} << 63;
constexpr char kDesign[] = "0123456789abcdef";  // kFarHash
constexpr uint32_t kWidth = 70;
constexpr uint64_t kPieces = 0b101,
                   kToken = 7 | uint64_t{1} << 32;  // the first and third of 32 bits
constexpr uint64_t kGuard = 0x5afe5afe5afe5afe;

// Words of a port, between two that nobody may write.
struct GuardedPort {
  std::array<uint64_t, 4> words{kGuard, 0, 0, kGuard};
  hostlib::HostChannel channel(const char *name, bool is_input) {
    FiresimPort port{};
    port.storage = &words[1];
    port.width_bits = kWidth;
    return {name, is_input, kWidth, {{port, 0, !is_input}}};
  }
  bool is_sound() const { return words[0] == kGuard && words[3] == kGuard; }
};

}  // namespace

std::vector<uint64_t> far_row() {
  return {kStopped | (kCycles - 1) << hostlib::kNearUp | kPieces, kToken};
}

Verdict taken_target(const std::function<std::unique_ptr<hostlib::HostPlatform>()> &make) {
  GuardedPort in, out;
  Verdict verdict = judged([&] {
    const auto platform = make();
    hostlib::HostTarget target(*platform, {in.channel("in", true), out.channel("out", false)},
                               kDesign, "here");
    target.choose([](hostlib::HostChannel &channel) { channel.listened = true; });
    uint64_t cycle = 0;
    while (target.cycle() < kCycles) target.run(kCycles, [&](uint64_t now) { cycle = now; });
    if (cycle != kCycles - 1) throw std::logic_error("the last row was of another cycle");
  });
  if (!in.is_sound() || !out.is_sound()) verdict.defect = "a token was put beside its port";
  return verdict;
}

}  // namespace firesim::hostile
