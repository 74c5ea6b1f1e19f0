// SPDX-License-Identifier: BSD-3-Clause
// Block device driver: moves sectors between the target and a SectorStore.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bridges/driver.h"
#include "devices/sector_store.h"

namespace firesim::bridges {

// Keys: those of Disk.
//
// Reads are served in order: one accepted in cycle t delivers its first beat in cycle
// t + latency_cycles at the earliest, then one beat a cycle. Write data is taken at one beat a
// cycle, for any tag; a write whose last beat is taken in cycle t is acknowledged in cycle
// t + latency_cycles at the earliest. Sectors beyond the end read as zeroes and ignore writes.
class BlockDeviceDriver final : public Driver {
 public:
  explicit BlockDeviceDriver(const DriverContext &context);
  uint64_t exchange(uint64_t cycle) override;
  void finish(uint64_t) override { disk_.store->note_written(); }
  nlohmann::json statistics() const override;
  bool can_save() const override { return true; }
  RestoreRole restore_role() const override { return RestoreRole::kTakesPart; }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  void start_warm(WarmStart &start, uint64_t cycle) override;

 private:
  static constexpr size_t kTags = 256;
  static constexpr uint32_t kBeatsPerSector = kSectorBytes / 8;

  // A request by tag. `beats` counts those left to move; 0 = the tag is free.
  struct Request {
    uint32_t beats = 0;
    uint32_t sector = 0;  // of the next beat
    bool write = false;
    bool acknowledge = false;  // written, waiting to be acknowledged
    alignas(8) uint8_t data[kSectorBytes] = {};
  };
  struct Due {
    uint8_t tag;
    uint64_t cycle;
  };
  // A first-in first-out queue that holds every tag once.
  struct Queue {
    Due items[kTags];
    size_t head = 0;
    size_t count = 0;
    const Due &front() const { return items[head]; }
    void push(Due due) { items[(head + count++) % kTags] = due; }
    void pop() {
      head = (head + 1) % kTags;
      --count;
    }
  };

  // When a queue of answers, whose head is on offer or not, next needs its driver.
  static uint64_t next_call(const Queue &queue, bool offered, uint64_t cycle) {
    if (queue.count == 0) return kNever;
    return offered ? cycle + 1 : std::max(cycle + 2, queue.front().cycle) - 1;
  }
  void take_request(uint64_t cycle);
  void take_write_beat(uint64_t cycle);
  void offer_read_beat(uint64_t cycle);
  void offer_acknowledgement(uint64_t cycle);
  [[noreturn]] void fail(const std::string &what) const;

  OutputBit req_valid_, req_write_;
  OutputPort req_sector_, req_count_, req_tag_;
  OutputBit wdata_valid_;
  OutputPort wdata_bits_, wdata_tag_;
  OutputBit rdata_ready_, wack_ready_;
  InputPort req_ready_, wdata_ready_, rdata_valid_, rdata_bits_, rdata_tag_, wack_valid_, wack_tag_;
  InputPort info_sectors_, info_max_request_;

  std::string where_;
  Disk disk_;
  std::vector<Request> requests_;
  Queue reads_, acknowledgements_;
  uint64_t read_count_ = 0, write_count_ = 0, sectors_read_ = 0, sectors_written_ = 0;
};

}  // namespace firesim::bridges
