// SPDX-License-Identifier: BSD-3-Clause
// Random traffic through the memory driver with every timing model, against a plain copy of the
// memory: data right, every burst answered once, responses of one id in order.
#include <map>
#include <random>

#include "axi_master.h"
#include "core/tests/random_seed.h"

namespace firesim::bridges {
namespace {

struct Expected {
  uint32_t beats;
  std::vector<uint64_t> data;
};

// Reads go to the low half of the area and writes to the high half; then all is read back.
void run_random(const nlohmann::json &config, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + " " + config.dump());
  std::mt19937_64 random(seed);
  AxiMaster master(config);
  constexpr uint64_t kBase = 0x80000000, kHalf = 1 << 18;
  std::vector<uint64_t> model(2 * kHalf / 8);
  for (size_t i = 0; i < kHalf / 8; ++i) model[i] = random();
  std::memcpy(master.driver->memory().at(kBase), model.data(), kHalf);
  std::map<uint32_t, std::deque<Expected>> expected;
  size_t writes = 0, beats_expected = 0;
  const auto random_burst = [&](uint64_t start) {
    const uint32_t beats = 1u << (random() % 5);
    const uint64_t bytes = beats * 8;
    const uint32_t kind = beats > 1 && random() % 4 == 0 ? 2 : 1;
    uint64_t address = start + random() % (kHalf / bytes) * bytes;
    if (kind == 2) address += random() % beats * 8;
    return AxiMaster::Request{address, beats, static_cast<uint32_t>(random() % 4), 3, kind};
  };
  const auto beat_address = [](const AxiMaster::Request &r, uint32_t i) {
    const uint64_t bytes = r.beats * 8;
    if (r.burst == 1) return r.address + i * 8;
    return r.address / bytes * bytes + (r.address + i * 8) % bytes;
  };
  for (int i = 0; i < 200; ++i) {
    const AxiMaster::Request read = random_burst(kBase);
    Expected answer{read.beats, {}};
    for (uint32_t b = 0; b < read.beats; ++b) {
      answer.data.push_back(model[(beat_address(read, b) - kBase) / 8]);
    }
    expected[read.id].push_back(answer);
    beats_expected += read.beats;
    master.read(read);
    const AxiMaster::Request write = random_burst(kBase + kHalf);
    const auto data = write_beats(random(), write.beats);
    for (uint32_t b = 0; b < write.beats; ++b) {
      model[(beat_address(write, b) - kBase) / 8] = data[b].data;
    }
    master.write(write, data);
    ++writes;
  }
  for (int i = 0;
       i < 200'000 && master.responses.size() + master.beats.size() < writes + beats_expected;
       ++i) {
    master.r_ready = random() % 4 != 0;
    master.b_ready = random() % 4 != 0;
    master.offer_read = random() % 3 != 0;
    master.offer_write = random() % 3 != 0;
    master.offer_data = random() % 5 != 0;
    master.cycle();
  }
  ASSERT_EQ(master.beats.size(), beats_expected);
  ASSERT_EQ(master.responses.size(), writes);
  for (size_t i = 0; i < master.beats.size();) {
    const uint32_t id = master.beats[i].id;
    const Expected answer = expected[id].front();
    expected[id].pop_front();
    for (uint32_t b = 0; b < answer.beats; ++b, ++i) {
      ASSERT_EQ(master.beats[i].id, id);
      ASSERT_EQ(master.beats[i].data, answer.data[b]);
      ASSERT_EQ(master.beats[i].last, b + 1 == answer.beats);
    }
  }
  EXPECT_EQ(std::memcmp(master.driver->memory().at(kBase), model.data(), 2 * kHalf), 0);
}

TEST(MemoryRandom, EveryTimingModel) {
  const uint64_t seed = random_seed();
  RecordProperty("seed", std::to_string(seed));
  const nlohmann::json timings[] = {
      {{"model", "fixed"}, {"latency_cycles", 3}},
      {{"model", "fixed"}, {"latency_cycles", 30}, {"max_reads", 2}, {"bytes_per_cycle", 5}},
      {{"model", "fcfs"}},
      {{"model", "fr_fcfs"}, {"ranks", 2}, {"queue_depth", 16}, {"window", 16}},
      {{"model", "fr_fcfs"},
       {"page_policy", "closed"},
       {"clock_ratio", {{"dram", 5}, {"target", 7}}},
       {"timings", {{"tREFI", 400}}}},
  };
  const nlohmann::json caches[] = {nullptr,
                                   {{"sets", 16}, {"ways", 2}, {"mshrs", 2}},
                                   {{"sets", 8}, {"ways", 4}, {"block_bytes", 256}}};
  for (const auto &timing : timings) {
    for (const auto &llc : caches) run_random({{"timing", timing}, {"llc", llc}}, seed);
  }
}

}  // namespace
}  // namespace firesim::bridges
