// SPDX-License-Identifier: BSD-3-Clause
// The memory in RTL as its host sees it; see memory_rtl_driver.h.
#include "bridges/memory/memory_rtl_driver.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "bridges/memory/burst.h"
#include "bridges/memory/fixed_timing.h"
#include "bridges/memory/timing_registers.h"

namespace firesim::bridges {
namespace {

// Addresses of rtl/memory_host_registers.sv; those below 0x40 are of the timing model when written.
enum Register : uint32_t {
  kTimingCounts = 0x00,  // row hits, misses, conflicts, refreshes, cache hits, misses, write-backs
  kReadCounts = 0x10,    // bursts, beats, bytes, latency, decode errors
  kWriteCounts = 0x18,
  kStatus = 0x20,  // bit 0: started; 1: an access of the host is under way; 4:2: fault
  kCycle = 0x21,   // the target's, that is answered next
  kFaultAddress = 0x22,
  kFaultBurst = 0x23,
  kTokenData = 0x28,  // what the target is given in the cycle that it stands before
  kTokenFlags = 0x29,
  kTokenIds = 0x2a,
  kBase = 0x40,
  kSize = 0x41,
  kLimits = 0x42,  // 17:9: writes outstanding; 8:0: reads
  kBytesPerCycle = 0x43,
  kAccessLog2 = 0x44,
  kFirstCycle = 0x45,
  kStart = 0x46,
};
enum Fault : uint64_t { kNone, kReadBurst, kWriteBurst, kLateLast, kEarlyLast, kOverflow };

TimingHardware hardware_of(const hostlib::BridgePart &part) {
  const auto power = [&part](const char *name) { return 1u << part.parameter(name); };
  const auto number = [&part](const char *name) {
    return static_cast<uint32_t>(part.parameter(name));
  };
  return {part.parameter("DRAM") != 0,
          part.parameter("CACHE") != 0,
          power("RANKS_LOG2"),
          power("BANKS_LOG2"),
          number("QUEUE"),
          power("SETS_LOG2"),
          number("WAYS"),
          number("MSHRS")};
}

uint32_t access_bytes(const TimingSettings &settings) {
  if (settings.cache) return settings.cache->block_bytes;
  return settings.dram ? DramTiming::kAccessBytes : FixedTiming::kAccessBytes;
}

}  // namespace

MemoryRtlDriver::MemoryRtlDriver(const DriverContext &context)
    : answers_(context), where_(context.where), part_(*context.part) {
  Config config(context.config, where_);
  memory_ = GuestMemory::make(config, context.simulation);
  AxiLimits limits;
  const TimingSettings settings =
      read_timing(config.child("timing"), config.child("llc"), where_, limits);
  if (const auto file = config.text("statistics")) {
    statistics_file_ = context.simulation.output_path(*file);
  }
  config.has("histograms");  // the RTL counts no single latencies
  image_ = MemoryImage(config, *memory_, context.simulation);
  config.finish();
  check_limits(limits);
  const auto registers = timing_registers(settings, hardware_of(part_), where_);
  serve_memory();
  for (const TimingRegister &set : registers) part_.write(set.index, set.value);
  set_up(settings, limits, context.reset_cycles);
}

void MemoryRtlDriver::serve_memory() {
  std::vector<hostlib::DramRange> filled;
  for (const auto &[offset, bytes] : memory_->filled()) filled.push_back({offset, bytes});
  try {
    part_.serve_memory({memory_->data(), memory_->size_bytes()}, filled);
  } catch (const std::runtime_error &error) {
    throw ConfigError(where_ + ": " + error.what());
  }
}

void MemoryRtlDriver::check_limits(const AxiLimits &limits) const {
  const uint32_t slots = 1u << part_.parameter("SLOTS_LOG2");
  for (const auto &[what, found] :
       {std::pair{"max_reads", limits.max_reads}, std::pair{"max_writes", limits.max_writes}}) {
    if (found <= slots) continue;
    throw ConfigError(fmt::format("{}: found {} {}, expected at most {}, which this hardware has",
                                  where_, what, found, slots));
  }
}

void MemoryRtlDriver::set_up(const TimingSettings &settings, const AxiLimits &limits,
                             uint64_t reset_cycles) {
  part_.write(kBase, memory_->base());
  part_.write(kSize, memory_->size_bytes());
  part_.write(kLimits, uint64_t{limits.max_writes} << 9 | limits.max_reads);
  part_.write(kBytesPerCycle, limits.bytes_per_cycle);
  part_.write(kAccessLog2, static_cast<uint64_t>(std::countr_zero(access_bytes(settings))));
  part_.write(kFirstCycle, reset_cycles);
  part_.write(kStart, 1);
}

// The RTL follows the target: it is through with a cycle some host cycles after it, or stands
// still.
void MemoryRtlDriver::wait_for_target() const {
  part_.wait_for_target(kCycle, [this] { return fault() != kNone; });
}

uint64_t MemoryRtlDriver::fault() const { return part_.read(kStatus) >> 2; }

void MemoryRtlDriver::throw_fault() const {
  const uint64_t fault = this->fault();
  if (fault == kNone) return;
  const uint64_t address = part_.read(kFaultAddress), bits = part_.read(kFaultBurst);
  if (fault == kOverflow) {
    throw std::runtime_error(
        fmt::format("{}: more accesses are pending than this hardware holds", where_));
  }
  if (fault == kLateLast || fault == kEarlyLast) {
    throw std::runtime_error(fmt::format("{}: w_last is {} at beat {} of a write burst of {} beats",
                                         where_, fault == kLateLast ? 1 : 0, address & UINT32_MAX,
                                         address >> 32));
  }
  const Burst burst{address, static_cast<uint32_t>(bits >> 5 & 0xff) + 1, 1u << (bits >> 2 & 7),
                    static_cast<BurstType>(bits & 3)};
  const uint32_t data_bytes = static_cast<uint32_t>(part_.parameter("DATA_BITS")) / 8;
  throw std::runtime_error(fmt::format("{}: the target's {} burst of {} beats at 0x{:x} {}", where_,
                                       fault == kReadBurst ? "read" : "write", burst.beats,
                                       burst.address, burst.violation(data_bytes)));
}

void MemoryRtlDriver::show_inputs() {
  wait_for_target();
  const uint64_t data = part_.read(kTokenData), flags = part_.read(kTokenFlags);
  const uint64_t ids = part_.read(kTokenIds);
  answers_.r_last.set(flags & 1);
  answers_.r_resp.set(flags >> 1 & 3);
  answers_.r_valid.set(flags >> 3 & 1);
  answers_.b_resp.set(flags >> 4 & 3);
  answers_.b_valid.set(flags >> 6 & 1);
  answers_.w_ready.set(flags >> 7 & 1);
  answers_.aw_ready.set(flags >> 8 & 1);
  answers_.ar_ready.set(flags >> 9 & 1);
  answers_.r_id.set(ids & UINT32_MAX);
  answers_.b_id.set(ids >> 32);
  answers_.r_data.set(data);
}

DirectionCounts MemoryRtlDriver::direction(uint32_t first) const {
  return {part_.read(first), part_.read(first + 2), part_.read(first + 1), part_.read(first + 3),
          part_.read(first + 4)};
}

nlohmann::json MemoryRtlDriver::counted() const {
  wait_for_target();
  TimingCounts counts;
  uint32_t at = kTimingCounts;
  for (uint64_t *value :
       {&counts.row_hits, &counts.row_misses, &counts.row_conflicts, &counts.refreshes,
        &counts.cache_hits, &counts.cache_misses, &counts.cache_writebacks}) {
    *value = part_.read(at++);
  }
  return memory_facts(direction(kReadCounts), direction(kWriteCounts), counts);
}

void MemoryRtlDriver::finish(uint64_t cycle) {
  facts_ = counted();
  write_memory_facts(statistics_file_, facts_, cycle, where_);
  image_.write(
      [this](uint64_t offset, std::span<uint8_t> bytes) { part_.read_memory(offset, bytes); });
}

std::string MemoryRtlDriver::why_not_saved() const {
  return "the timing of its memory is in RTL; expected memory: host, in simulation.metasim or in "
         "the build of its bitstream";
}

void MemoryRtlDriver::load(StateReader &state) { state.fail("found that " + why_not_saved()); }

}  // namespace firesim::bridges
