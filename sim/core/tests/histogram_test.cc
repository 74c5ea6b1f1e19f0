// SPDX-License-Identifier: BSD-3-Clause
//
// Histograms: which bin a value is in, and that all that is counted is kept.
#include "core/histogram.h"

#include <gtest/gtest.h>

#include <random>

#include "random_seed.h"

namespace firesim {
namespace {

TEST(Histogram, EveryValueIsInItsBinAndBinsFollowEachOther) {
  static_assert(Histogram::bin_of(127) == 127 && Histogram::bin_of(128) == 128);
  static_assert(Histogram::bin_of(129) == 128 && Histogram::bin_of(130) == 129);
  static_assert(Histogram::bin_of(UINT64_MAX) == Histogram::kBins - 1);
  for (size_t bin = 1; bin < Histogram::kBins; ++bin) {
    const uint64_t low = Histogram::low_of(bin);
    ASSERT_EQ(Histogram::bin_of(low), bin);
    ASSERT_EQ(Histogram::bin_of(low - 1), bin - 1);
    const uint64_t width = low - Histogram::low_of(bin - 1);
    ASSERT_LE(width * 64, std::max<uint64_t>(Histogram::low_of(bin - 1), 64));
  }
}

TEST(Histogram, SaysWhatWasCounted) {
  Histogram histogram;
  histogram.add(3);
  histogram.add(3, 4);
  histogram.add(300);
  EXPECT_EQ(
      histogram.to_json(),
      (nlohmann::json{
          {"count", 6}, {"sum", 315}, {"largest", 300}, {"bins", {{3, 3, 5}, {300, 303, 1}}}}));
}

TEST(Histogram, GoesThroughASnapshot) {
  Histogram histogram, other;
  other.reserve();
  other.add(77);
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1000; ++i) histogram.add(random() >> (random() % 64), random() % 100);
  StateWriter writer;
  writer.section("histogram", 1);
  histogram.save(writer);
  StateReader reader("here", writer);
  reader.section("histogram", 1);
  other.load(reader);
  reader.finish();
  EXPECT_EQ(other.to_json(), histogram.to_json());
}

TEST(Histogram, RefusesABinThatIsNone) {
  StateWriter writer;
  writer.section("histogram", 1);
  writer.u64s(std::vector<uint64_t>{Histogram::kBins, 1});
  StateReader reader("here", writer);
  reader.section("histogram", 1);
  Histogram histogram;
  EXPECT_THROW(histogram.load(reader), SnapshotError);
}

}  // namespace
}  // namespace firesim
