// SPDX-License-Identifier: BSD-3-Clause
// What the harts of a functional blade see besides DRAM: boot ROM, CLINT, PLIC and the parts of the
// blade, each at its place.
//
// Time in the devices: the harts of a blade run their quantum one after the other, so an access may
// come earlier than one made before. The devices live in a time of their own that never goes back:
// an access brings them to its cycle, or meets them where an earlier hart has brought them to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/blade_end.h"
#include "devices/host_interface.h"
#include "devices/nic_settings.h"
#include "devices/sector_store.h"
#include "functional/blade/parts.h"
#include "functional/core/memory_map.h"
#include "functional/devices/block_device.h"
#include "functional/devices/clint.h"
#include "functional/devices/device_memory.h"
#include "functional/devices/nic.h"
#include "functional/devices/plic.h"
#include "functional/devices/uart.h"

namespace firesim::functional {

struct BusParameters {
  uint32_t harts = 1;
  bool supervisor = true;  // the harts have that mode
  uint32_t quantum_cycles = 1024;
  const std::vector<PartEntry> &parts;
  const std::vector<devices::NicSettings> &nics;  // of the parts of this kind, in their order
  devices::Disk &disk;
  devices::Console &console;
  devices::HostInterface *host = nullptr;  // of a program with tohost
};

// A part with a model of its own.
struct OwnPart {
  std::string name;
  uint64_t base = 0;
  std::unique_ptr<RegisterDevice> device;
};

class Bus final : public Mmio {
 public:
  Bus(const BusParameters &parameters, DeviceMemory &memory, InterruptLines &lines,
      devices::BladeEnd &end);

  bool read(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t &value) override;
  bool write(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t value) override;
  bool has_tables(uint64_t address) const override;

  // Hart `hart` runs: an access after which something is due before `until` stops it.
  void begin_run(uint32_t hart, uint64_t until) {
    running_ = hart;
    until_ = until;
  }

  // Does what is due in the devices up to `cycle`, or to the blade's end.
  void catch_up(uint64_t cycle);
  // The same, and brings the timer line of `hart` to `cycle`.
  void advance(uint32_t hart, uint64_t cycle);
  // The next cycle in which a device does something by itself.
  uint64_t next_device_event() const;
  // The same, or the timer of `hart` rings.
  uint64_t next_event(uint32_t hart) const;

  size_t nics() const { return nics_.size(); }
  Nic &nic(size_t port = 0) { return *nics_[port]; }
  const Nic &nic(size_t port = 0) const { return *nics_[port]; }
  // Where the registers of a NIC are.
  uint64_t nic_base(size_t port) const { return nic_bases_[port]; }
  // Of the NIC; a list where there are several.
  nlohmann::json nic_statistics() const;
  Uart &uart() { return uart_; }
  const Uart &uart() const { return uart_; }
  const BlockDevice &block_device() const { return block_device_; }
  const Plic &plic() const { return plic_; }
  const std::vector<OwnPart> &own_parts() const { return own_parts_; }

  void save(StateWriter &state) const;
  // `hart_cycles` are those the harts have reached.
  void load(StateReader &state, const std::vector<uint64_t> &hart_cycles);

 private:
  struct Place {
    uint64_t base;
    uint64_t bytes;
    RegisterDevice *device;  // null for the finisher
    uint32_t source;         // of the PLIC; 0 for none
    std::vector<uint32_t> more_sources;
    TableWindow *window;  // behind its registers; null for none

    bool is_in_window(uint64_t address) const {
      return window != nullptr && address - base >= kPageBytes;
    }
  };

  void make_nics(const BusParameters &parameters, DeviceMemory &memory);
  void map(const PartEntry &part, DeviceMemory &memory, size_t &next_nic);
  const Place *place(uint64_t address) const;
  uint64_t read_place(const Place &place, uint64_t address, uint32_t bytes);
  void release();
  void look_at_tohost(uint64_t cycle);
  void write_finisher(uint32_t offset, uint32_t bytes, uint64_t value, uint64_t cycle);
  void advance_devices(uint64_t cycle);
  void update_levels();
  void after_access();

  Clint clint_;
  Plic plic_;
  Uart uart_;
  BlockDevice block_device_;
  std::vector<std::unique_ptr<Nic>> nics_;  // by port
  std::vector<uint64_t> nic_bases_;
  std::vector<OwnPart> own_parts_;
  std::vector<Place> places_;
  std::vector<TableWindow *> windows_;
  InterruptLines *lines_;
  devices::BladeEnd *end_;
  devices::HostInterface *host_;
  devices::Console *console_;
  DeviceMemory *memory_;
  uint64_t device_cycle_ = 0;
  uint32_t running_ = 0;
  uint64_t until_ = 0;
  std::vector<bool> held_;  // harts whose reads of a window wait
};

// The boot ROM's content (target-design/rocket/src/main/asm/bootrom.S).
uint64_t read_boot_rom(uint64_t offset, uint32_t bytes);

}  // namespace firesim::functional
