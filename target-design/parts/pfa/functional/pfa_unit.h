// SPDX-License-Identifier: BSD-3-Clause
// The page-fault accelerator of functional nodes: the RTL's registers, entries and messages
// (docs/how-to/page-faults.md), with a time of its own:
//
// - A page is in memory, its entry is changed and the walk goes on in the cycle of the last flit.
// - A page that is evicted is read when its message begins; it is gone with the answer's last flit.
// - No lines of entries are kept: each walk reads memory, and what is forgotten is without effect.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "functional/devices/carry_over.h"
#include "functional/devices/device_memory.h"
#include "functional/devices/register_device.h"
#include "functional/devices/table_window.h"
#include "parts/pfa/functional/pages.h"

namespace firesim::functional::pfa {

class PfaUnit final : public RegisterDevice,
                      public StreamStage,
                      public TableWindow,
                      public CarryOver {
 public:
  static constexpr uint32_t kQueueDepth = 64, kEvictions = 16;

  explicit PfaUnit(DeviceMemory &memory) : memory_(&memory) {}

  StreamStage *stream() override { return this; }
  TableWindow *window() override { return this; }
  const CarryOver *carry_over() const override { return this; }
  std::string obstacle() const override;
  void restore(RegisterSteps &steps) const override;

  bool from_link(StreamFrame &frame, uint64_t cycle) override;
  bool has_frame() const override { return asks() || writes(); }
  StreamFrame next_frame(uint64_t cycle) override;
  std::optional<uint64_t> read_entry(uint32_t offset) override;
  bool is_released() override { return std::exchange(released_, false); }

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override { return false; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;

 private:
  // A message and its answer.
  struct Exchange {
    uint64_t tag = 0;
    bool is_due = false;      // to be sent
    bool is_awaited = false;  // the answer is
    uint64_t deadline = 0;    // of the answer
  };
  // What a page is fetched for.
  enum class For : uint8_t { kNobody, kSoftware, kWalk };

  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;

  // To be sent now; a page that waits to be evicted is not asked for.
  bool asks() const;
  bool writes() const { return write_.is_due; }
  uint64_t status() const;
  uint64_t entry_address(uint32_t offset) const;
  uint64_t load_entry(uint32_t offset);
  void start(For whom, PageAndFrame pair);
  void arrive(const StreamFrame &frame);
  void end_fetch(bool arrived);
  void change_entry();
  void end_eviction();
  void expire(Exchange &exchange);
  template <typename Self, typename Field>
  static void each_field(Self &self, Field &&field);

  DeviceMemory *memory_;
  uint64_t now_ = 0;
  uint64_t enabled_ = 0, own_ = 0, peer_ = 0, timeout_ = 0, tries_ = 0, shown_ = 0;
  std::deque<uint64_t> free_;                 // frames
  std::deque<PageAndFrame> fresh_, leaving_;  // of `leaving_`, the first is on its way
  For fetches_ = For::kNobody;
  PageAndFrame fetched_pair_;
  uint64_t asked_ = 0, failed_ = 0;
  uint64_t walked_ = 0;   // offset of the entry that a walk waits for, or has waited for
  bool answers_ = false;  // the walk of `walked_` gets the entry as it is
  uint64_t begun_ = 0;    // the cycle in which it began to wait
  Exchange read_, write_{.tag = 1};
  bool released_ = false;
  uint64_t fetched_ = 0, evicted_ = 0, repeated_ = 0, walks_ = 0, waited_ = 0;
};

}  // namespace firesim::functional::pfa
