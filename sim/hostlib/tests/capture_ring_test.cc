// SPDX-License-Identifier: BSD-3-Clause
// A ring of captured signals whose registers say what cannot be. Against the real Verilog:
// sim/goldengate/tests/test_capture_ring.py and deploy/tests/test_capture.py.
#include "hostlib/capture_ring.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "core/model.h"
#include "hostlib/registers.h"

namespace firesim::hostlib {
namespace {

constexpr uint32_t kAfterPlace = 1 << 16;

// Registers that keep what is written, by place, beside what they are given to say.
class FarRing final : public HostPlatform {
 public:
  uint32_t read(uint32_t address) override {
    if (address == kCaptureShape) return shape;
    const uint64_t value = says.count(at_) != 0 ? says[at_] : put[at_];
    return static_cast<uint32_t>(address == kCaptureValue ? value : value >> 32);
  }
  void write(uint32_t address, uint32_t value) override {
    if (address == kCaptureAt) at_ = value;
    if (address == kCaptureValue) low_ = value;
    if (address == kCaptureValue + 4) put[at_] = low_ | uint64_t{value} << 32;
  }
  void send(std::span<const uint64_t>) override { FAIL(); }
  bool receive(std::span<uint64_t>) override { return false; }
  std::string name() const override { return "far"; }

  uint32_t shape = 70 << 8 | 4;
  std::map<uint32_t, uint64_t> says, put;

 private:
  uint32_t at_ = 0, low_ = 0;
};

const CaptureLayout kLayout{16, {{"wide", 0, 66}, {"few", 66, 4}}};

TEST(CaptureRing, ArmsWithWholeRows) {
  FarRing far;
  CaptureRing ring(far, kLayout, "soc");
  CaptureTrigger trigger{uint64_t{5} << 40, 9, {7, 3}, {uint64_t{1} << 63, 2}};
  ring.arm(trigger);
  const std::map<uint32_t, uint64_t> expected{
      {0, trigger.from_cycle},      {kAfterPlace, 9},      {1 << 24, 7}, {1 << 24 | 1 << 16, 3},
      {2 << 24, uint64_t{1} << 63}, {2 << 24 | 1 << 16, 2}};
  EXPECT_EQ(far.put, expected);
}

TEST(CaptureRing, ReadsARowWhereverTheRingIs) {
  FarRing far;
  CaptureRing ring(far, kLayout, "soc");
  far.says[3 << 24 | 5] = 77;
  far.says[3 << 24 | 1 << 16 | 5] = 88;
  Words row;
  ring.read(16 * 1000 + 5, row);
  EXPECT_EQ(row, (Words{77, 88}));
}

TEST(CaptureRing, KnowsTheCycleOfTheTrigger) {
  FarRing far;
  CaptureRing ring(far, kLayout, "soc");
  ring.arm({0, 9, {0, 0}, {0, 0}});
  far.says[0] = 100;
  EXPECT_FALSE(ring.progress().trigger_cycle.has_value());
  far.says[0] = uint64_t{1} << 63 | 100;
  far.says[kAfterPlace] = 3;
  EXPECT_EQ(ring.progress().cycles, 100u);
  EXPECT_EQ(ring.progress().trigger_cycle, 93u);
}

TEST(CaptureRing, RefusesWhatCannotBe) {
  FarRing far;
  CaptureRing ring(far, kLayout, "soc");
  ring.arm({0, 9, {0, 0}, {0, 0}});
  far.says[0] = uint64_t{1} << 63 | 100;
  far.says[kAfterPlace] = 10;  // More than were to come.
  EXPECT_THROW(ring.progress(), std::runtime_error);
  far.says[0] = uint64_t{1} << 63 | 4;
  far.says[kAfterPlace] = 0;  // Nine after the trigger, and four in all.
  EXPECT_THROW(ring.progress(), std::runtime_error);
  far.shape = 70 << 8 | 5;
  try {
    CaptureRing other(far, kLayout, "soc");
    FAIL();
  } catch (const DescriptionError &error) {
    EXPECT_STREQ(error.what(),
                 "soc: found a capture of 70 bits and 2^5 cycles on the platform, expected 70 bits "
                 "and 2^4 cycles, as in the manifest");
  }
}

}  // namespace
}  // namespace firesim::hostlib
