// SPDX-License-Identifier: BSD-3-Clause
// Reads a blade's registers as software would; see machine_state.h.
#include "functional/warm_start/machine_state.h"

#include <fmt/format.h>

#include "core/check.h"

namespace firesim::functional {
namespace {

constexpr uint64_t kMachineMode = 3;
constexpr uint64_t kModifyPrivilege = 1 << 17;  // mstatus.MPRV
constexpr uint64_t kSoftwareInterrupt = kClintBase, kTimeCompare = kClintBase + 0x4000;
constexpr uint64_t kTime = kClintBase + 0xbff8;
constexpr uint64_t kPriority = kPlicBase, kEnable = kPlicBase + 0x2000;
constexpr uint64_t kThreshold = kPlicBase + 0x20'0000;
// Offsets in a NIC.
constexpr uint64_t kNicReceive = 0x08, kNicCounts = 0x20, kNicModeration = 0x60;
constexpr uint64_t kNicInterruptMask = 0x30, kNicRate = 0x38;
// Of a NIC with several receive queues: its indirection table, and the page of each queue.
constexpr uint64_t kNicTable = 0x80, kNicQueueBytes = 0x100;

// Registers of the devices beside NICs that can be read and written: address, bytes.
constexpr std::pair<uint64_t, uint32_t> kDeviceRegisters[] = {
    {kUartBase + 0x18, 4},         // divisor
    {kUartBase + 0x08, 4},         // transmit control
    {kUartBase + 0x0c, 4},         // receive control
    {kUartBase + 0x10, 4},         // interrupt enable
    {kBlockDeviceBase + 0x00, 8},  // address
    {kBlockDeviceBase + 0x08, 4},  // sector
    {kBlockDeviceBase + 0x10, 4},  // count
    {kBlockDeviceBase + 0x18, 4},  // write
    {kBlockDeviceBase + 0x50, 4},  // interrupt mask
};

uint64_t read(Bus &bus, uint64_t address, uint32_t bytes, uint64_t cycle) {
  uint64_t value = 0;
  FIRESIM_CHECK(bus.read(address, bytes, cycle, value), "the register is there");
  return value;
}

// Of a NIC, `add` takes each register that can be read and written: address, bytes.
template <typename Add>
void add_nic(uint64_t base, const NicFeatures &nic, Add add) {
  add(base + kNicInterruptMask, 4);  // of the first receive queue
  add(base + kNicRate, 4);
  if (nic.moderation) add(base + kNicModeration, 4);
  for (uint32_t queue = 1; queue < nic.queues; ++queue) {
    add(base + kNicInterruptMask + kNicQueueBytes * queue, 4);
    if (nic.moderation) add(base + kNicModeration + kNicQueueBytes * queue, 4);
  }
  for (uint32_t i = 0; nic.queues > 1 && i < NicReceiver::kTableWords; ++i)
    add(base + kNicTable + 8 * i, 8);
}

std::string nic_name(size_t port, size_t count) {
  return count == 1 ? "the NIC" : fmt::format("the NIC of port {}", port);
}

}  // namespace

uint32_t jump_register(const ArchitecturalState &hart) {
  for (uint32_t i = 1; i < 32; ++i) {
    const auto offset = static_cast<int64_t>(hart.pc - hart.x[i]);
    if (offset >= -2048 && offset < 2048) return i;
  }
  return 0;
}

MachineState machine_state(HartGroup &harts, Bus &bus, uint64_t cycle) {
  MachineState state;
  state.features = harts.features();
  const auto add = [&](uint64_t address, uint32_t bytes) {
    state.registers.push_back({address, bytes, read(bus, address, bytes, cycle)});
  };
  for (const auto &[address, bytes] : kDeviceRegisters) add(address, bytes);
  for (size_t port = 0; port < bus.nics(); ++port) {
    add_nic(bus.nic_base(port), bus.nic(port).features(), add);
  }
  for (uint32_t source = 1; source <= Plic::kSources; ++source) add(kPriority + 4 * source, 4);
  for (uint32_t context = 0; context < bus.plic().contexts(); ++context) {
    add(kThreshold + 0x1000 * context, 4);
    add(kEnable + 0x80 * context, 4);
  }
  for (uint32_t i = 0; i < harts.size(); ++i) {
    state.harts.push_back(harts[i].state());
    add(kSoftwareInterrupt + 4 * i, 4);
    add(kTimeCompare + 8 * i, 8);
  }
  for (size_t port = 0; port < bus.nics(); ++port) {
    const uint64_t base = bus.nic_base(port);
    const NicFeatures &nic = bus.nic(port).features();
    for (uint32_t queue = 0; queue < nic.queues; ++queue) {
      for (const uint64_t buffer : bus.nic(port).receive_buffers(queue)) {
        state.receive_requests.push_back({base + kNicReceive + kNicQueueBytes * queue, 8, buffer});
      }
    }
    const uint64_t counts = read(bus, base + kNicCounts, 4, cycle);
    state.nics.push_back({base, static_cast<uint32_t>(counts >> 16 & 0xff), nic.word()});
  }
  state.time_ticks = read(bus, kTime, 8, cycle);
  for (const OwnPart &part : bus.own_parts()) {
    RegisterSteps steps(part.base, state.parts);
    if (const CarryOver *carried = part.device->carry_over()) carried->restore(steps);
  }
  for (uint32_t i = 0; harts.l1() != nullptr && i < harts.size(); ++i) {
    state.caches.push_back(
        held_lines((*harts.l1())[i], kDramBase, kRestoreProgramBase, kRestoreProgramBytes));
  }
  return state;
}

std::string obstacle(HartGroup &harts, Bus &bus, uint64_t cycle) {
  for (uint32_t i = 0; i < harts.size(); ++i) {
    const ArchitecturalState hart = harts[i].state();
    if ((hart.mstatus & kModifyPrivilege) != 0) {
      return fmt::format("hart {} has mstatus.MPRV set", i);
    }
    if (hart.privilege == kMachineMode && jump_register(hart) == 0) {
      return fmt::format("hart {} is in M mode at 0x{:x}, which no register points to", i, hart.pc);
    }
  }
  bus.advance(0, cycle);
  for (size_t port = 0; port < bus.nics(); ++port) {
    const std::string name = nic_name(port, bus.nics());
    if (!bus.nic(port).at_rest()) return name + " is sending or receiving";
    if (bus.nic(port).holds_seen()) return "frames wait in " + name + " for a buffer";
  }
  if (!bus.block_device().at_rest()) return "the block device has a request in flight";
  if (!bus.uart().at_rest()) return "the UART is sending";
  if (bus.plic().has_claims()) return "an interrupt is claimed and not complete";
  for (const OwnPart &part : bus.own_parts()) {
    const CarryOver *carried = part.device->carry_over();
    const std::string found = carried == nullptr ? "" : carried->obstacle();
    if (!found.empty()) return part.name + " " + found;
  }
  return "";
}

}  // namespace firesim::functional
