// SPDX-License-Identifier: BSD-3-Clause
// The same drivers before a target in this process and before one behind a wire that runs batches
// of cycles by itself: equal tokens in every cycle, equal files, equal end.
#include "far_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "bridges/driver_registry.h"
#include "bridges/driver_schedule.h"
#include "core/tests/random_seed.h"
#include "device_rig.h"
#include "devices/config.h"

namespace firesim::bridges {
namespace {

// The drivers of a far target's bridges. Their tokens lie in storage of this process.
class FarBlade {
 public:
  FarBlade(const Manifest &manifest, const json &settings, const SimulationContext &context)
      : manifest_(manifest), target_(TEST_DEVICE, manifest_), settings_(settings) {
    const ModelInstance model(TEST_DEVICE, manifest_.design_hash, "node0");
    for (const auto &[name, port] : model.ports()) {
      storage_.push_back(std::make_unique<uint64_t>(0));
      ports_[name] = {name.c_str(), port.width_bits, port.is_input, storage_.back().get()};
      (port.is_input ? ins_ : outs_).push_back(storage_.back().get());
    }
    sent_.resize(ins_.size());
    DriverRegistry registry;
    register_stock_drivers(registry);
    for (const BridgeInfo &bridge : manifest_.bridges) {
      const BridgePorts ports(bridge, ports_);
      drivers_.push_back(registry.make({bridge, ports, inputs_, status_, settings_[bridge.kind],
                                        "node0: bridges." + bridge.kind, "node0", context}));
      schedule_.add(*drivers_.back(), ports.wakes(), 0);
      if (LinkDriver *link = drivers_.back()->link()) link_ = link;
    }
    reset_ = std::make_unique<InputPort>(ports_.at("reset"), inputs_);
    reset_->set(1);
  }

  // The cycles of both batches, as Model::advance does.
  void advance(uint64_t start_cycle, const Batch &input, Batch &output) {
    const uint32_t cycles = input.cycles();
    link_->begin(start_cycle, input, output);
    for (uint32_t offset = 0; offset < cycles; ++offset) {  // known ahead, whatever the target does
      link_->drive(offset);
      note_changes(start_cycle + offset);
    }
    const uint64_t end = start_cycle + cycles;
    while (cycle_ < end && !status_.end.ended()) run_batch(end);
  }

  void finish() {
    for (const auto &driver : drivers_) driver->finish(cycle_);
  }

  const BladeEnd &end() const { return status_.end; }
  uint64_t batches() const { return batches_; }

 private:
  // As far as no driver has anything to do unless an output wakes it.
  void run_batch(uint64_t end) {
    uint64_t last = end - 1;
    if (cycle_ < kResetCycles) {
      last = std::min<uint64_t>(last, kResetCycles - 1);
    } else {
      last = std::min(last, std::max(cycle_, schedule_.quiet_until()));
    }
    std::vector<InputChange> changes;
    for (auto item = planned_.begin(); item != planned_.end() && item->first <= last;) {
      const auto offset = static_cast<uint32_t>(item->first - cycle_);
      for (const auto &[port, value] : item->second) changes.push_back({offset, port, value});
      item = planned_.erase(item);
    }
    const OutputBatch batch = target_.run(static_cast<uint32_t>(last + 1 - cycle_), changes);
    ++batches_;
    for (const OutputRow &row : batch.rows) take(cycle_ + row.offset, row);
    for (const InputChange &left : changes) {  // the batch was cut short
      if (left.offset >= batch.cycles) planned_[cycle_ + left.offset][left.port] = left.value;
    }
    cycle_ += batch.cycles;
    if (cycle_ == kResetCycles) {
      reset_->set(0);
      note_changes(cycle_);
    }
  }

  void take(uint64_t cycle, const OutputRow &row) {
    for (size_t i = 0; i < outs_.size(); ++i) *outs_[i] = row.values[i];
    if (cycle < kResetCycles || status_.end.ended() || !schedule_.due(cycle)) return;
    schedule_.exchange(cycle);
    note_changes(cycle + 1);
  }

  // What drivers have put becomes the inputs from `cycle` on.
  void note_changes(uint64_t cycle) {
    inputs_.apply();
    for (uint32_t i = 0; i < ins_.size(); ++i) {
      if (*ins_[i] == sent_[i]) continue;
      sent_[i] = *ins_[i];
      planned_[cycle][i] = sent_[i];
    }
  }

  const Manifest manifest_;
  FarTarget target_;
  json settings_;
  std::vector<std::unique_ptr<uint64_t>> storage_;
  std::map<std::string, FiresimPort> ports_;
  std::vector<uint64_t *> ins_, outs_;
  std::vector<uint64_t> sent_;  // the inputs as of the last change noted
  std::map<uint64_t, std::map<uint32_t, uint64_t>> planned_;  // by cycle and port
  InputQueue inputs_{64};
  BladeStatus status_;
  std::vector<std::unique_ptr<Driver>> drivers_;
  LinkDriver *link_ = nullptr;
  DriverSchedule schedule_;
  std::unique_ptr<InputPort> reset_;
  uint64_t cycle_ = 0, batches_ = 0;
};

std::string content(const std::filesystem::path &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(FarTarget, DriversDoTheSameBeforeATargetBehindAWire) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr uint32_t kCycles = 5000, kPiece = 500;
  std::vector<std::pair<uint32_t, uint64_t>> flits;
  for (uint32_t cycle = 0; cycle < kCycles; ++cycle) {
    if (random() % 40 == 0) flits.emplace_back(cycle, random() % 1000);
  }
  flits.emplace_back(kCycles + kPiece / 2, 0xdead);
  constexpr uint32_t kTotal = kCycles + kPiece;
  json of_bridges = settings();
  of_bridges.erase("autocounter");
  Rig rig(test_manifest(), of_bridges);
  const Batch expected = rig.run(kTotal, flits, {kPiece});
  rig.blade->finish(kTotal);

  TemporaryFolder folder;
  std::ofstream(folder / "model.json") << test_manifest();
  SimulationContext context;
  context.description_directory = context.results_directory = folder.path();
  FarBlade far(Manifest::read(folder / "model.json"), of_bridges, context);
  Batch all(0, kTotal), output(0, kTotal);
  for (const auto &[cycle, data] : flits) all.append_flit(cycle, data, true);
  for (uint32_t start = 0; start < kTotal; start += kPiece) {
    Batch input(start, kPiece), piece(start, kPiece);
    input.append_part(all, start, start + kPiece, 0);
    far.advance(start, input, piece);
    output.append_part(piece, 0, kPiece, start);
  }
  far.finish();

  EXPECT_TRUE(output.same_tokens(expected));
  EXPECT_EQ(far.end().cycle, rig.blade->end()->cycle);
  EXPECT_EQ(far.end().message, rig.blade->end()->message);
  EXPECT_EQ(content(folder / "node0/uart.log"), rig.text("node0/uart.log"));
  EXPECT_EQ(content(folder / "node0/trace/hart0.log"), rig.text("node0/trace/hart0.log"));
  EXPECT_GT(output.flit_count(), 50u);
  // One for reset, one for the first call of all drivers, then whole pieces up to the end.
  EXPECT_EQ(far.batches(), 2 + kTotal / kPiece);
}

TEST(ModelLibrary, AModelOfAnotherVersionIsRefused) {
  try {
    const ModelInstance model(OLD_DEVICE, "0123abcd", "node0");
    FAIL() << "it was taken";
  } catch (const devices::ConfigError &error) {
    EXPECT_EQ(error.what(), fmt::format("node0: model {} has engine ABI version 3, expected 4; "
                                        "build it again",
                                        OLD_DEVICE));
  }
}

}  // namespace
}  // namespace firesim::bridges
