// SPDX-License-Identifier: BSD-3-Clause
//
// The profiling form of a generated model: every 151 cycles, or as many as FIRESIM_PROFILE_INTERVAL
// says, it compares the values of two cycles that follow each other, and at its end writes which
// values differed in which sample into the folder that FIRESIM_PROFILE_DIRECTORY names.

#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace model {

class Profiler {
 public:
  Profiler() {
    const char *interval = std::getenv("FIRESIM_PROFILE_INTERVAL");
    if (interval != nullptr) interval_ = std::max(2l, std::strtol(interval, nullptr, 10));
    std::vector<size_t> order(kFields);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto lower = [](size_t a, size_t b) { return kWatched[a].offset < kWatched[b].offset; };
    std::sort(order.begin(), order.end(), lower);
    for (const size_t index : order) watch(index);
  }

  // Called before (after = false) and after each cycle.
  void before(State &state) {
    if (cycle_ % interval_ == 0) {
      clear_written(state);
      copy(state, earlier_);
    }
    if (cycle_ % interval_ == 1) copy(state, between_);
  }

  void after(const State &state) {
    if (cycle_ % interval_ == 0) inputs_ = state.in;
    if (cycle_ % interval_ == 1) compare(state);
    ++cycle_;
  }

  ~Profiler() {
    const char *folder = std::getenv("FIRESIM_PROFILE_DIRECTORY");
    if (folder == nullptr || samples_ == 0) return;
    static std::atomic<int> number{0};
    const std::string path = std::string(folder) + "/" + std::to_string(getpid()) + "-" +
                             std::to_string(number++) + ".profile";
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return;
    const uint64_t words = (samples_ + 63) / 64;
    const uint64_t header[2] = {samples_, words};
    std::fwrite(header, sizeof header, 1, file);
    for (std::vector<uint64_t> &bits : changed_) {
      bits.resize(words);
      std::fwrite(bits.data(), 8, words, file);
    }
    std::fclose(file);
  }

 private:
  static constexpr size_t kFields = sizeof(kWatched) / sizeof(kWatched[0]);
  // Bytes between two fields that are copied, too, to copy both at once.
  static constexpr size_t kGap = 64;

  struct Range {
    size_t offset, bytes;
  };

  // Adds a field, in order of their offsets. Memories are none, and so are never copied.
  void watch(size_t index) {
    const WatchedField &field = kWatched[index];
    if (ranges_.empty() || field.offset > ranges_.back().offset + ranges_.back().bytes + kGap) {
      ranges_.push_back({field.offset, 0});
    }
    Range &range = ranges_.back();
    copied_at_[index] = copied_ + field.offset - range.offset - range.bytes;
    copied_ = copied_at_[index] + field.bytes;
    range.bytes = field.offset + field.bytes - range.offset;
  }

  static void clear_written(State &state) {
    auto *bytes = reinterpret_cast<unsigned char *>(&state);
    for (const WatchedField &field : kWatched) {
      if (field.is_written) std::memset(bytes + field.offset, 0, field.bytes);
    }
  }

  void copy(const State &state, std::vector<unsigned char> &to) const {
    to.resize(copied_);
    const auto *from = reinterpret_cast<const unsigned char *>(&state);
    unsigned char *at = to.data();
    for (const Range &range : ranges_) {
      std::memcpy(at, from + range.offset, range.bytes);
      at += range.bytes;
    }
  }

  // Before: state left by the cycle before last in earlier_, by the last one in between_, which
  // also holds the last cycle's other values but for its inputs (inputs_).
  void compare(const State &state) {
    const auto *now = reinterpret_cast<const unsigned char *>(&state);
    const auto *inputs = reinterpret_cast<const unsigned char *>(&inputs_);
    for (size_t index = 0; index < kFields; ++index) {
      const WatchedField &field = kWatched[index];
      const unsigned char *first = (field.is_state ? earlier_ : between_).data();
      const unsigned char *second = between_.data() + copied_at_[index];
      first += copied_at_[index];
      if (!field.is_state) second = now + field.offset;
      const size_t in_inputs = field.offset - offsetof(State, in);
      if (in_inputs < sizeof(Inputs)) first = inputs + in_inputs;
      if (std::memcmp(first, second, field.bytes) == 0) continue;
      std::vector<uint64_t> &bits = changed_[index];
      bits.resize(samples_ / 64 + 1);
      bits[samples_ / 64] |= uint64_t{1} << (samples_ % 64);
    }
    ++samples_;
  }

  uint64_t interval_ = 151;
  uint64_t cycle_ = 0;
  uint64_t samples_ = 0;
  Inputs inputs_;
  std::vector<Range> ranges_;
  std::vector<size_t> copied_at_ = std::vector<size_t>(kFields);
  size_t copied_ = 0;
  std::vector<unsigned char> earlier_;
  std::vector<unsigned char> between_;
  std::vector<std::vector<uint64_t>> changed_{kFields};
};

}  // namespace model
