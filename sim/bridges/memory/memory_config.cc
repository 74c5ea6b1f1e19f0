// SPDX-License-Identifier: BSD-3-Clause
// Construction, loading and statistics of the memory driver; see memory_driver.h.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bridges/memory/memory_driver.h"

namespace firesim::bridges {
namespace {

// Bits per byte of the data bus; the strobe has one bit for each.
uint32_t data_bytes_of(const DriverContext &context) {
  const uint32_t bits = context.ports.input("r_data", 0).width_bits;
  if (bits < 8 || bits > 1024 || !std::has_single_bit(bits)) {
    throw ConfigError(
        fmt::format("{}: the data bus is {} bits wide, expected a power of two from "
                    "8 to 1024",
                    context.where, bits));
  }
  return bits / 8;
}

}  // namespace

MemoryDriver::MemoryDriver(const DriverContext &context)
    : ar_valid_(context.ports.output("ar_valid")),
      aw_valid_(context.ports.output("aw_valid")),
      w_valid_(context.ports.output("w_valid")),
      ar_id_(context.ports.output("ar_id", 0)),
      ar_addr_(context.ports.output("ar_addr", 0)),
      ar_len_(context.ports.output("ar_len", 8)),
      ar_size_(context.ports.output("ar_size", 3)),
      ar_burst_(context.ports.output("ar_burst", 2)),
      aw_id_(context.ports.output("aw_id", 0)),
      aw_addr_(context.ports.output("aw_addr", 0)),
      aw_len_(context.ports.output("aw_len", 8)),
      aw_size_(context.ports.output("aw_size", 3)),
      aw_burst_(context.ports.output("aw_burst", 2)),
      w_data_(context.ports.output("w_data", 0)),
      w_strb_(context.ports.output("w_strb", 0)),
      w_last_(context.ports.output("w_last")),
      b_ready_(context.ports.output("b_ready")),
      r_ready_(context.ports.output("r_ready")),
      answers_(context),
      where_(context.where),
      data_bytes_(data_bytes_of(context)),
      early_(kMostEarlyBeats) {
  context.ports.output("w_data", data_bytes_ * 8);
  context.ports.output("w_strb", data_bytes_);
  configure(context);
  const auto prepare = [](Direction &side, uint32_t slots) {
    side.slots.resize(slots);
    side.order.reserve(slots);
    side.latencies.reserve();
    for (uint32_t i = slots; i > 0; --i) side.free.push_back(i - 1);
  };
  prepare(reads_, limits_.max_reads);
  prepare(writes_, limits_.max_writes);
  issuing_.reserve(limits_.max_reads + limits_.max_writes);
  awaiting_data_.reserve(limits_.max_writes);
  done_.reserve(64 * (limits_.max_reads + limits_.max_writes));
  access_bytes_ = timing_->access_bytes();
  drive_ready(0);
}

void MemoryDriver::configure(const DriverContext &context) {
  Config config(context.config, where_);
  memory_ = GuestMemory::make(config, context.simulation);
  timing_ = make_timing_model(config.child("timing"), config.child("llc"), where_, limits_);
  if (const auto file = config.text("statistics")) {
    statistics_file_ = context.simulation.output_path(*file);
  }
  if (const auto file = config.text("histograms")) {
    histograms_file_ = context.simulation.output_path(*file);
  }
  image_ = MemoryImage(config, *memory_, context.simulation);
  program_ = ProgramInMemory::make(config, context);
  config.finish();
}

nlohmann::json MemoryDriver::statistics() const {
  TimingCounts counts;
  timing_->add_counts(counts);
  return memory_facts(reads_, writes_, counts);
}

void MemoryDriver::finish(uint64_t cycle) {
  if (program_) program_->finish();
  write_memory_facts(statistics_file_, statistics(), cycle, where_);
  write_latencies(histograms_file_, reads_.latencies, writes_.latencies, where_);
  image_.write([this](uint64_t offset, std::span<uint8_t> bytes) {
    std::copy_n(memory_->data() + offset, bytes.size(), bytes.data());
  });
}

}  // namespace firesim::bridges
