// SPDX-License-Identifier: BSD-3-Clause
// Random settings and random traffic; see traffic.h.
#include "bridges/memory/rtl/check/traffic.h"

#include <algorithm>
#include <bit>

namespace firesim::bridges::check {
namespace {

// Short times are as likely as those of real parts and as long ones.
uint64_t some_cycles(Random &random, uint64_t usual, uint64_t most) {
  switch (random.below(4)) {
    case 0:
      return random.from(1, 4);
    case 1:
      return random.from(1, std::min(most, 3 * usual));
    default:
      return usual;
  }
}

nlohmann::json random_timings(Random &random) {
  nlohmann::json t;
  t["tCAS"] = some_cycles(random, 14, 255);
  t["tCCD"] = random.one_in(2) ? 4 : random.from(4, 12);
  t["tCWD"] = std::min<uint64_t>(some_cycles(random, 10, 255),
                                 t["tCAS"].get<uint64_t>() + t["tCCD"].get<uint64_t>() + 2);
  t["tRCD"] = some_cycles(random, 14, 255);
  t["tRP"] = some_cycles(random, 14, 255);
  t["tRAS"] = some_cycles(random, 33, 1023);
  t["tRC"] = t["tRAS"].get<uint64_t>() + t["tRP"].get<uint64_t>() + random.below(8);
  t["tRRD"] = some_cycles(random, 6, 255);
  t["tFAW"] = some_cycles(random, 25, 1023);
  t["tWR"] = some_cycles(random, 15, 255);
  t["tWTR"] = some_cycles(random, 8, 255);
  t["tRTP"] = random.one_in(8) ? random.from(1, 255) : some_cycles(random, 8, 255);
  t["tRFC"] = some_cycles(random, 160, 4095);
  t["tRTRS"] = some_cycles(random, 2, 255);
  uint64_t least = 5;
  for (const char *key : {"tRFC", "tRC", "tRP", "tCWD", "tWR"}) least += t[key].get<uint64_t>();
  t["tREFI"] = random.one_in(3) ? least + random.below(200) : std::max<uint64_t>(least, 7800);
  return t;
}

nlohmann::json random_dram(Random &random, const TimingHardware &hardware) {
  nlohmann::json timing;
  const bool first_ready = !random.one_in(4);
  const uint64_t depth = random.from(1, hardware.queue_depth);
  timing["model"] = first_ready ? "fr_fcfs" : "fcfs";
  timing["timings"] = random_timings(random);
  timing["ranks"] = random.power_of_two(hardware.ranks);
  timing["banks"] = random.power_of_two(hardware.banks);
  timing["row_bytes"] = random.one_in(2) ? 8192 : 64 * random.power_of_two(1 << 14);
  timing["page_policy"] = random.one_in(3) ? "closed" : "open";
  timing["queue_depth"] = depth;
  if (first_ready) {
    timing["window"] = random.from(1, depth);
    timing["reorder_limit"] = random.one_in(2) ? random.from(1, 8) : 64;
  }
  timing["backend_latency_cycles"] = random.one_in(2) ? 0 : random.below(60);
  if (!random.one_in(2)) {
    timing["clock_ratio"] = {{"dram", random.from(1, random.one_in(4) ? 1000 : 5)},
                             {"target", random.from(1, random.one_in(4) ? 1000 : 5)}};
  }
  return timing;
}

}  // namespace

uint64_t Random::power_of_two(uint64_t most) {
  return uint64_t{1} << below(static_cast<uint64_t>(std::bit_width(most)));
}

RandomSettings random_settings(Random &random, const TimingHardware &hardware) {
  RandomSettings settings;
  if (hardware.dram) {
    settings.timing = random_dram(random, hardware);
  } else {
    settings.timing = {{"model", "fixed"},
                       {"latency_cycles", random.from(1, random.one_in(4) ? 2000 : 60)}};
  }
  if (!hardware.cache) return settings;
  settings.llc = {{"sets", random.power_of_two(hardware.sets)},
                  {"ways", random.from(1, hardware.ways)},
                  {"block_bytes", random.one_in(2) ? 64 : 64 * random.power_of_two(64)},
                  {"mshrs", random.from(1, hardware.mshrs)},
                  {"hit_latency_cycles", random.from(1, random.one_in(4) ? 300 : 12)}};
  return settings;
}

const char *shape_name(Shape shape) {
  static const char *const names[kShapes] = {"streams", "banks", "scattered",
                                             "bursts",  "idle",  "mixed"};
  return names[static_cast<int>(shape)];
}

Traffic::Traffic(Random &random, Shape shape, uint32_t access_bytes, uint64_t row_bytes,
                 uint64_t memory_bytes)
    : random_(random),
      shape_(shape),
      access_bytes_(access_bytes),
      row_bytes_(row_bytes),
      memory_bytes_(memory_bytes),
      writes_in_16_(random.below(17)),
      spacing_(random.from(1, 40)) {
  for (uint64_t &stream : streams_) stream = random.below(memory_bytes);
}

uint32_t Traffic::wanted() {
  if (idle_ != 0) {
    --idle_;
    return 0;
  }
  const Shape shape =
      shape_ == Shape::kMixed ? static_cast<Shape>(random_.below(kShapes - 1)) : shape_;
  switch (shape) {
    case Shape::kIdle:
      // Past several refreshes at times.
      idle_ = random_.one_in(8) ? random_.below(20'000) : random_.below(500);
      return 1 + static_cast<uint32_t>(random_.below(3));
    case Shape::kBursts:
      idle_ = random_.below(300);
      return 1 + static_cast<uint32_t>(random_.below(40));
    default:
      idle_ = random_.below(spacing_);
      return 1;
  }
}

MemoryAccess Traffic::next() {
  uint64_t address = 0;
  switch (shape_ == Shape::kMixed ? static_cast<Shape>(random_.below(kShapes - 1)) : shape_) {
    case Shape::kStreams:
    case Shape::kBursts: {
      uint64_t &stream = streams_[random_.below(4)];
      address = stream;
      stream += access_bytes_;
      break;
    }
    case Shape::kBanks:  // few rows of few banks
      address = random_.below(8) * row_bytes_ * 4 + random_.below(4) * 64;
      break;
    default:
      address = random_.bits();
  }
  address %= memory_bytes_;
  MemoryAccess access{};
  // The whole of a block, or a part of it.
  access.bytes = access_bytes_;
  address &= ~uint64_t{access_bytes_ - 1};
  if (random_.one_in(2)) {
    access.bytes = static_cast<uint32_t>(random_.from(1, access_bytes_));
    address += random_.below(access_bytes_ - access.bytes + 1);
  }
  access.address = address;
  access.write = random_.below(16) < writes_in_16_;
  return access;
}

}  // namespace firesim::bridges::check
