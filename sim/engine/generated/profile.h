// SPDX-License-Identifier: BSD-3-Clause
//
// The profiling form of a generated model: every kInterval cycles it compares the values of two
// cycles that follow each other, and at its end writes which values differed in which sample into
// the folder that FIRESIM_PROFILE_DIRECTORY names.

#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace model {

class Profiler {
 public:
  // Called before (after = false) and after each cycle.
  void before(const State &state) {
    if (cycle_ % kInterval == 0) copy(state, earlier_);
    if (cycle_ % kInterval == 1) copy(state, between_);
  }

  void after(const State &state) {
    if (cycle_ % kInterval == 0) inputs_ = state.in;
    if (cycle_ % kInterval == 1) compare(state);
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
  static constexpr uint64_t kInterval = 151;
  static constexpr size_t kFields = sizeof(kWatched) / sizeof(kWatched[0]);

  static void copy(const State &state, std::vector<unsigned char> &to) {
    to.resize(sizeof(State));
    std::memcpy(to.data(), &state, sizeof(State));
  }

  // Before: state left by the cycle before last in earlier_, by the last one in between_, which
  // also holds the last cycle's other values but for its inputs (inputs_).
  void compare(const State &state) {
    const auto *now = reinterpret_cast<const unsigned char *>(&state);
    std::memcpy(between_.data() + offsetof(State, in), &inputs_, sizeof(Inputs));
    for (size_t index = 0; index < kFields; ++index) {
      const WatchedField &field = kWatched[index];
      const unsigned char *first = (field.is_state ? earlier_ : between_).data() + field.offset;
      const unsigned char *second = (field.is_state ? between_.data() : now) + field.offset;
      if (std::memcmp(first, second, field.bytes) == 0) continue;
      std::vector<uint64_t> &bits = changed_[index];
      bits.resize(samples_ / 64 + 1);
      bits[samples_ / 64] |= uint64_t{1} << (samples_ % 64);
    }
    ++samples_;
  }

  uint64_t cycle_ = 0;
  uint64_t samples_ = 0;
  Inputs inputs_;
  std::vector<unsigned char> earlier_;
  std::vector<unsigned char> between_;
  std::vector<std::vector<uint64_t>> changed_{kFields};
};

}  // namespace model
