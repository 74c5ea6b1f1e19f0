// SPDX-License-Identifier: BSD-3-Clause
// The block device: two trackers over a disk that answers as the RTL's driver does. Reads are
// served in order, each `latency_cycles` after its start at the earliest, then 8 bytes a cycle; a
// write's data goes out at 8 bytes a cycle, one request after the other, and is acknowledged
// `latency_cycles` later. A read changes memory in the cycle it completes; a write takes its data
// in the cycle it starts.
#pragma once

#include <array>
#include <deque>

#include "devices/sector_store.h"
#include "functional/devices/device_memory.h"
#include "functional/devices/register_device.h"

namespace firesim::functional {

class BlockDevice final : public RegisterDevice {
 public:
  BlockDevice(devices::Disk &disk, DeviceMemory &memory) : disk_(&disk), memory_(&memory) {}

  void advance(uint64_t cycle) override;
  uint64_t next_event() const override;
  bool interrupt() const override { return interrupt_mask_ && !completions_.empty(); }
  // No request is going on, and no completion waits.
  bool at_rest() const { return first_done() == nullptr && completions_.empty(); }
  void save(StateWriter &state) const override;
  void load(StateReader &state) override;
  nlohmann::json statistics() const;

 private:
  static constexpr uint32_t kTrackers = 2;
  static constexpr uint64_t kCyclesPerSector = devices::kSectorBytes / 8;

  struct Tracker {
    bool busy = false;
    bool write = false;
    uint64_t address = 0;
    uint32_t sector = 0;
    uint32_t count = 0;
    uint64_t completion = 0;  // the cycle in which it is done
  };

  std::span<const RegisterInfo> registers() const override;
  uint64_t read_register(uint32_t offset) override;
  void write_register(uint32_t offset, uint64_t value) override;
  uint32_t allocate();
  void plan(Tracker &tracker);
  void take_data(const Tracker &tracker);
  void deliver_data(const Tracker &tracker);
  // The busy tracker that is done first; nullptr when there is none.
  Tracker *first_done();
  const Tracker *first_done() const;
  bool has_room() const { return completions_.size() < kTrackers; }

  devices::Disk *disk_;
  DeviceMemory *memory_;
  uint64_t now_ = 0;
  uint64_t address_ = 0;
  uint32_t sector_ = 0, count_ = 0;
  bool write_ = false;
  bool interrupt_mask_ = false;
  std::array<Tracker, kTrackers> trackers_{};
  std::deque<uint8_t> completions_;
  uint64_t reads_free_ = 0, writes_free_ = 0;  // first cycle in which the next one's data can move
  uint64_t read_count_ = 0, write_count_ = 0, sectors_read_ = 0, sectors_written_ = 0;
};

}  // namespace firesim::functional
