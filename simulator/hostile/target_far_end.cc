// SPDX-License-Identifier: BSD-3-Clause
//
// What a board on PCIe answers to the host's loads: registers, the state of its window, words and
// rows of tokens. Whatever they are, a run ends in a sentence, and tokens go into their ports only.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "hostlib/registers.h"
#include "hostlib/window_platform.h"
#include "simulator/hostile/far_target.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

constexpr uint64_t kRoom = uint64_t{256} << 4;
constexpr size_t kMostLoads = 4096;
constexpr uint64_t kBoardIsWell = 0x42530003;  // rtl/firesim_board_status.v

// A function each load of which gives the next 8 bytes of a text, and 0 after them.
class SpokenFunction final : public hostlib::PciFunction {
 public:
  explicit SpokenFunction(const std::string &text) : text_(text) {}
  uint32_t load(int, uint32_t) override { return static_cast<uint32_t>(next()); }
  void store(int, uint32_t, uint32_t) override {}
  void load_words(int, uint32_t, std::span<uint64_t> words) override {
    for (uint64_t &word : words) word = next();
  }
  void store_word(int, uint32_t, uint64_t) override {}
  const std::string &device() const override { return device_; }

 private:
  uint64_t next() {
    if (++loads_ > kMostLoads) throw std::logic_error("a board that says nothing is waited for");
    uint64_t value = 0;
    std::memcpy(&value, text_.data() + at_, std::min(sizeof value, text_.size() - at_));
    at_ = std::min(at_ + sizeof value, text_.size());
    return value;
  }

  const std::string text_;
  const std::string device_ = "board";
  size_t at_ = 0, loads_ = 0;
};

Verdict take_far_end(const std::string &input) {
  return taken_target([&]() -> std::unique_ptr<hostlib::HostPlatform> {
    const hostlib::WindowPatience patience{std::chrono::milliseconds{0},
                                           std::chrono::milliseconds{0}, 2};
    return std::make_unique<hostlib::WindowPlatform>(std::make_unique<SpokenFunction>(input),
                                                     patience);
  });
}

std::string state(uint64_t shown, uint64_t sent, uint64_t taken) {
  const uint64_t bits = shown | (kRoom - (sent << 4)) | sent << 16 | taken << 40;
  return {reinterpret_cast<const char *>(&bits), sizeof bits};
}

std::string words(const std::vector<uint64_t> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(uint64_t)};
}

// What a target says that runs ten cycles and has one token in the last of them.
std::string good_board() {
  const uint64_t identity = hostlib::kIdentityValue;
  return words({kBoardIsWell}) + state(0, 0, 0) +
         words({identity, hostlib::kVersionValue, kFarHash & UINT32_MAX, kFarHash >> 32, 0}) +
         words(std::vector<uint64_t>(5, identity)) +  // after each write of a register
         state(2, 1, 0) + words(far_row());
}

// Some of its words are near what they were, have another bit or say anything.
std::string with_other_words(std::string bytes, Random &random) {
  bytes.resize(std::max(bytes.size(), sizeof(uint64_t)));  // what is mutated may be nothing
  for (uint64_t left = 1 + random() % 3; left > 0; --left) {
    char *place = bytes.data() + random() % (bytes.size() / sizeof(uint64_t)) * sizeof(uint64_t);
    uint64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    const uint64_t others[] = {value + random() % 9 - 4, value ^ uint64_t{1} << random() % 64,
                               random(), UINT64_MAX};
    value = others[random() % std::size(others)];
    std::memcpy(place, &value, sizeof value);
  }
  return bytes;
}

}  // namespace

Target far_end_target() {
  return {"far-end",
          {good_board()},
          [](const std::string &bytes, Random &random) {
            return random() % 2 == 0 ? mutated_bytes(bytes, random)
                                     : with_other_words(bytes, random);
          },
          take_far_end};
}

}  // namespace firesim::hostile
