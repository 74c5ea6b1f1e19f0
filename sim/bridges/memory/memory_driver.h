// SPDX-License-Identifier: BSD-3-Clause
// Memory bridge driver: the AXI4 slave side of the target's DRAM. Data is moved here, when things
// happen is decided by a TimingModel.
//
// Order: responses with the same id come in the order of their requests; beats of different bursts
// are never interleaved. A write takes effect when its data is taken, a read sees memory as it is
// when the beat is offered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "bridges/memory/axi_answers.h"
#include "bridges/memory/burst.h"
#include "bridges/memory/memory_image.h"
#include "bridges/memory/memory_statistics.h"
#include "bridges/memory/program_in_memory.h"
#include "bridges/memory/timing.h"
#include "devices/guest_memory.h"

namespace firesim::bridges {

// Keys: base, size_bytes, load, timing, llc, statistics and histograms (paths of JSON files),
// image; program and console, of ProgramInMemory.
class MemoryDriver final : public Driver {
 public:
  explicit MemoryDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override {
    if (cycle >= wake_ || ar_valid_() || aw_valid_() || w_valid_()) run(cycle);
    return wake_;
  }
  void finish(uint64_t cycle) override;
  nlohmann::json statistics() const override;
  bool can_save() const override { return true; }
  RestoreRole restore_role() const override { return RestoreRole::kTakesPart; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  void start_warm(WarmStart &start, uint64_t cycle) override;
  bool ends_blade() const override { return program_ != nullptr; }
  GuestMemory &memory() { return *memory_; }

 private:
  static constexpr uint32_t kMostDataBytes = 128;
  static constexpr uint32_t kMostEarlyBeats = 64;  // write data that came before its address
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint8_t kOkay = 0, kDecodeError = 3;

  struct Transaction {
    Burst burst;
    uint64_t arrival = 0;  // cycle of the address handshake (read) or of the last data beat (write)
    uint64_t done = 0;     // bit per access, by place
    uint32_t id = 0;
    uint32_t next_beat = 0;
    uint32_t accesses = 0, issued = 0;
    uint32_t same_id_before = 0;  // outstanding ones with this id that are older
    uint8_t response = kOkay;
  };
  struct WriteBeat {
    uint64_t strobe[2];
    uint8_t data[kMostDataBytes];
    bool last;
  };
  // One direction: its outstanding transactions, by slot and by age.
  struct Direction : DirectionCounts {
    std::vector<Transaction> slots;
    std::vector<uint32_t> free;
    std::vector<uint32_t> order;  // oldest first
    uint32_t offering = kNone;    // slot whose response is going on
    Histogram latencies;          // cycles, as latency_sum
  };
  struct Pace {  // bytes_per_cycle of one data channel
    uint64_t free = 0;
    bool allows(uint64_t cycle, uint32_t rate) const { return cycle * rate >= free; }
    void take(uint64_t cycle, uint32_t rate, uint32_t bytes);
  };

  void configure(const DriverContext &context);
  void run(uint64_t cycle);
  bool take_responses();
  void take_read_address(uint64_t cycle);
  void take_write_address();
  void take_write_data(uint64_t cycle);
  void apply_beat(uint64_t cycle, const WriteBeat &beat);
  void issue_accesses(uint64_t cycle);
  void collect_done(uint64_t cycle);
  void offer_read(uint64_t next_cycle);
  void offer_write(uint64_t next_cycle);
  uint32_t choose(Direction &side, uint64_t next_cycle);
  void drive_ready(uint64_t next_cycle);
  void set_read_beat(Transaction &read);
  uint32_t begin(Direction &side, const Burst &burst, uint32_t id, const char *what);
  void end(Direction &side, uint32_t slot);
  bool complete(const Transaction &transaction) const;
  static void save_direction(StateWriter &state, const Direction &side);
  static void load_direction(StateReader &state, Direction &side);

  OutputBit ar_valid_, aw_valid_, w_valid_;
  OutputPort ar_id_, ar_addr_, ar_len_, ar_size_, ar_burst_;
  OutputPort aw_id_, aw_addr_, aw_len_, aw_size_, aw_burst_;
  OutputPort w_data_, w_strb_;
  OutputBit w_last_, b_ready_, r_ready_;
  AxiAnswers answers_;

  std::string where_;
  std::unique_ptr<GuestMemory> memory_;
  std::unique_ptr<TimingModel> timing_;
  AxiLimits limits_;
  std::filesystem::path statistics_file_, histograms_file_;
  MemoryImage image_;
  std::unique_ptr<ProgramInMemory> program_;
  uint32_t data_bytes_;
  uint32_t access_bytes_ = 0;
  uint64_t wake_ = 0;  // nothing to do before this cycle unless the target asks
  Direction reads_, writes_;
  std::vector<uint32_t> issuing_;        // tags of transactions with accesses to send
  std::vector<uint32_t> awaiting_data_;  // write slots without all their data, oldest first
  std::vector<WriteBeat> early_;         // ring
  uint32_t early_head_ = 0, early_count_ = 0;
  std::vector<uint32_t> done_;
  Pace read_pace_, write_pace_;
  bool reads_wait_for_pace_ = false;
};

}  // namespace firesim::bridges
