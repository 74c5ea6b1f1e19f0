// SPDX-License-Identifier: BSD-3-Clause
//
// memory-rtl-check: the timing models in RTL, compiled, against those in C++, on random settings
// and traffic. In every target cycle both must have room, or not, and the same accesses must be
// done, in the same order; at the end all counters must be equal. Prints one JSON object.
#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "bridges/memory/rtl/check/rtl_model.h"
#include "core/json_reader.h"

namespace {

using namespace firesim::bridges;
using namespace firesim::bridges::check;

constexpr uint64_t kRequests = 1'500;      // of one round: one draw of settings, one shape
constexpr uint64_t kMostCycles = 150'000;  // of a round, for slow memories and idle traffic

struct Totals {
  uint64_t rounds = 0, requests = 0, target_cycles = 0, refused = 0, row_conflicts = 0;
  std::array<uint64_t, kShapes> shape_cycles{}, shape_host_cycles{};
};

struct Difference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string list(const std::vector<uint32_t> &tags) { return nlohmann::json(tags).dump(); }

// Tags of accesses that are not pending, the one given back first first.
class Tags {
 public:
  explicit Tags(uint32_t count) {
    for (uint32_t tag = 0; tag < count; ++tag) free_.push_back(tag);
  }
  bool empty() const { return free_.empty(); }
  bool all(uint32_t count) const { return free_.size() == count; }
  uint32_t front() const { return free_.front(); }
  void take() { free_.pop_front(); }
  void give(uint32_t tag) { free_.push_back(tag); }

 private:
  std::deque<uint32_t> free_;
};

// One target cycle of both; `wanted` is how many accesses it would make.
class Round {
 public:
  Round(RtlModel &rtl, TimingModel &model, uint32_t tag_count, Totals &totals)
      : rtl_(rtl), model_(model), tag_count_(tag_count), tags_(tag_count), totals_(totals) {}

  // Gives up to `wanted` accesses; returns how many were taken.
  uint32_t give(uint32_t wanted, Traffic &traffic) {
    uint32_t taken = 0;
    for (; taken < wanted && !tags_.empty(); ++taken) {
      MemoryAccess access = traffic.next();
      access.tag = tags_.front();
      const bool room = model_.has_room();
      if (const bool found = rtl_.request(access); found != room) {
        throw Difference(fmt::format("cycle {}: room is {}, in C++ {}", cycle_, found, room));
      }
      if (!room) {
        ++totals_.refused;
        break;
      }
      model_.accept(cycle_, access);
      tags_.take();
    }
    return taken;
  }

  void end_cycle() {
    expected_.clear();
    found_.clear();
    ++cycle_;
    model_.advance(cycle_, expected_);
    rtl_.step(found_);
    if (found_ != expected_) {
      throw Difference(
          fmt::format("cycle {}: done are {}, in C++ {}", cycle_, list(found_), list(expected_)));
    }
    for (const uint32_t tag : expected_) tags_.give(tag);
  }

  bool pending() const { return !tags_.all(tag_count_); }
  uint64_t cycle() const { return cycle_; }

 private:
  RtlModel &rtl_;
  TimingModel &model_;
  uint32_t tag_count_;
  Tags tags_;
  Totals &totals_;
  uint64_t cycle_ = 0;
  std::vector<uint32_t> expected_, found_;
};

void compare_counters(RtlModel &rtl, const TimingModel &model, Totals &totals) {
  TimingCounts counts;
  model.add_counts(counts);
  const std::array<uint64_t, 7> expected = {
      counts.row_hits,   counts.row_misses,   counts.row_conflicts,   counts.refreshes,
      counts.cache_hits, counts.cache_misses, counts.cache_writebacks};
  const std::array<uint64_t, 7> found = rtl.counters();
  totals.row_conflicts += counts.row_conflicts;
  if (found != expected) {
    throw Difference(fmt::format("counters are {}, in C++ {}", nlohmann::json(found).dump(),
                                 nlohmann::json(expected).dump()));
  }
  if (rtl.overflow()) throw Difference("more was pending than the hardware holds");
}

// The settings of a round go to `settings`, for the message. The register `disturbed` is one too
// large, to see that this is noticed.
void run_round(RtlModel &rtl, const TimingHardware &hardware, uint32_t tag_bits, uint64_t seed,
               uint32_t disturbed, RandomSettings &settings, Totals &totals) {
  Random random(seed);
  const auto shape = static_cast<Shape>(random.below(kShapes));
  settings = random_settings(random, hardware);
  AxiLimits limits;
  const TimingSettings read = read_timing(settings.timing, settings.llc, "check", limits);
  const auto model = make_timing_model(settings.timing, settings.llc, "check", limits);
  std::vector<TimingRegister> registers = timing_registers(read, hardware, "check");
  for (TimingRegister &set : registers) set.value += set.index == disturbed ? 1 : 0;
  rtl.start(registers);
  const uint64_t row_bytes = read.dram ? read.dram->row_bytes : 8192;
  const uint64_t memory_bytes = uint64_t{1} << random.from(16, 36);
  Traffic traffic(random, shape, std::min(model->access_bytes(), 4096u), row_bytes, memory_bytes);
  Round round(rtl, *model, 1u << tag_bits, totals);
  const uint64_t host_before = rtl.host_cycles();
  uint64_t given = 0;
  while (given < kRequests && round.cycle() < kMostCycles) {
    given += round.give(traffic.wanted(), traffic);
    round.end_cycle();
  }
  while (round.pending()) round.end_cycle();
  for (uint64_t i = random.below(2000); i > 0; --i) round.end_cycle();
  compare_counters(rtl, *model, totals);
  ++totals.rounds;
  totals.requests += given;
  totals.target_cycles += round.cycle();
  totals.shape_cycles[static_cast<size_t>(shape)] += round.cycle();
  totals.shape_host_cycles[static_cast<size_t>(shape)] += rtl.host_cycles() - host_before;
}

nlohmann::json facts(const Totals &totals, const RtlModel &rtl) {
  nlohmann::json shapes;
  for (int i = 0; i < kShapes; ++i) {
    const auto at = static_cast<size_t>(i);
    shapes[shape_name(static_cast<Shape>(i))] = {{"target_cycles", totals.shape_cycles[at]},
                                                 {"host_cycles", totals.shape_host_cycles[at]}};
  }
  return {{"rounds", totals.rounds},          {"requests", totals.requests},
          {"refused", totals.refused},        {"target_cycles", totals.target_cycles},
          {"shapes", std::move(shapes)},      {"row_conflicts", totals.row_conflicts},
          {"host_cycles", rtl.host_cycles()}, {"engine", rtl.engine_name()}};
}

int run(const nlohmann::json &task) {
  TimingHardware hardware;
  hardware.dram = task.at("dram");
  hardware.cache = task.at("cache");
  hardware.ranks = task.at("ranks");
  hardware.banks = task.at("banks");
  hardware.queue_depth = task.at("queue_depth");
  hardware.sets = task.at("sets");
  hardware.ways = task.at("ways");
  hardware.mshrs = task.at("mshrs");
  uint64_t seed = task.at("seed");
  Random stalls(seed);
  RtlModel rtl(task.at("library").get<std::string>(), task.at("design_hash"), stalls);
  const uint32_t disturbed = task.value("disturbed", UINT32_MAX);
  Totals totals;
  nlohmann::json result;
  RandomSettings settings;
  try {
    for (; totals.requests < task.at("requests").get<uint64_t>(); ++seed) {
      run_round(rtl, hardware, task.at("tag_bits"), seed, disturbed, settings, totals);
    }
  } catch (const std::runtime_error &error) {
    result["difference"] = {
        {"seed", seed}, {"what", error.what()}, {"timing", settings.timing}, {"llc", settings.llc}};
  }
  result.update(facts(totals, rtl));
  std::puts(result.dump().c_str());
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: memory-rtl-check TASK.json\n");
    return 2;
  }
  try {
    std::ifstream file(argv[1]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return run(firesim::parse_json(text, firesim::kDescriptionLimits));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "memory-rtl-check: %s\n", error.what());
    return 2;
  }
}
