// SPDX-License-Identifier: BSD-3-Clause
// Address decoding, device time and interrupts; see bus.h.
#include "functional/blade/bus.h"

#include <algorithm>
#include <cstring>

#include "core/state.h"
#include "devices/blade_end.h"
#include "functional/devices/stream_stage.h"
#include "functional/devices/table_window.h"

namespace firesim::functional {
namespace {

constexpr uint32_t kBootRom[] = {
    0xf140'2573,  // csrr a0, mhartid
    0x0000'85b7,  // lui a1, 0x8
    0x01f5'859b,  // addiw a1, a1, 31
    0x0105'9593,  // slli a1, a1, 16: the device tree at 0x801f0000
    0x0010'029b,  // li t0, 1
    0x01f2'9293,  // slli t0, t0, 31: DRAM at 0x80000000
    0x0002'8067,  // jr t0
};
static_assert(kDeviceTreeBase == uint64_t{0x8000 + 31} << 16 && kDramBase == uint64_t{1} << 31);

NicFeatures nic_features(const PartEntry &part) {
  return {.checksum = part.option("checksum", 0) != 0,
          .moderation = part.option("moderation", 0) != 0,
          .queues = static_cast<uint32_t>(part.option("queues", 1))};
}

bool within(uint64_t address, uint64_t base, uint64_t bytes) {
  return address >= base && address - base < bytes;
}

}  // namespace

// What the assembler makes of the ROM's source; zeros after it.
uint64_t read_boot_rom(uint64_t offset, uint32_t bytes) {
  uint64_t value = 0;
  if (offset < sizeof kBootRom) {
    const auto *rom = reinterpret_cast<const uint8_t *>(kBootRom);
    std::memcpy(&value, rom + offset, std::min<uint64_t>(bytes, sizeof kBootRom - offset));
  }
  return value;
}

Bus::Bus(const BusParameters &parameters, DeviceMemory &memory, InterruptLines &lines,
         devices::BladeEnd &end)
    : clint_(parameters.harts, lines),
      plic_(parameters.harts, lines, parameters.supervisor),
      uart_(parameters.console),
      block_device_(parameters.disk, memory),
      lines_(&lines),
      end_(&end),
      host_(parameters.host),
      console_(&parameters.console),
      memory_(&memory),
      held_(parameters.harts) {
  make_nics(parameters, memory);
  size_t next_nic = 0;
  for (const PartEntry &part : parameters.parts) map(part, memory, next_nic);
}

// One for each part of this kind; without any, one that nothing reaches.
void Bus::make_nics(const BusParameters &parameters, DeviceMemory &memory) {
  const auto add = [&](uint64_t base, const NicFeatures &features) {
    nic_bases_.push_back(base);
    nics_.push_back(std::make_unique<Nic>(parameters.nics.at(nics_.size()),
                                          parameters.quantum_cycles, memory, features));
  };
  for (const PartEntry &part : parameters.parts) {
    if (part.kind == "nic") add(part.base, nic_features(part));
  }
  if (nics_.empty()) add(kNicBase, {});
}

void Bus::map(const PartEntry &part, DeviceMemory &memory, size_t &next_nic) {
  RegisterDevice *device = nullptr;
  if (!part.library.empty()) {
    own_parts_.push_back({part.name, part.base, make_part(part, memory)});
    device = own_parts_.back().device.get();
    if (StreamStage *stage = device->stream()) nic(part.port).add_stage(*stage);
  } else if (part.kind == "uart") {
    device = &uart_;
  } else if (part.kind == "block_device") {
    device = &block_device_;
  } else if (part.kind == "nic") {
    device = nics_[next_nic++].get();
  }
  TableWindow *const window = device == nullptr ? nullptr : device->window();
  if (window != nullptr) windows_.push_back(window);
  places_.push_back({part.base, part.bytes, device, part.interrupt, part.more_interrupts, window});
}

const Bus::Place *Bus::place(uint64_t address) const {
  for (const Place &place : places_) {
    if (within(address, place.base, place.bytes)) return &place;
  }
  return nullptr;
}

bool Bus::has_tables(uint64_t address) const {
  const Place *found = place(address);
  return found != nullptr && found->is_in_window(address);
}

uint64_t Bus::read_place(const Place &place, uint64_t address, uint32_t bytes) {
  const auto offset = static_cast<uint32_t>(address - place.base);
  if (!place.is_in_window(address)) return place.device->read(offset, bytes);
  const std::optional<uint64_t> entry = place.window->read_entry(offset & ~7u);
  if (!entry) {
    held_[running_] = true;
    lines_->hold(running_);
    return 0;
  }
  return *entry >> (8 * (offset % 8));
}

bool Bus::read(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t &value) {
  value = 0;
  if (within(address, kDevicesBase, kDevicesBytes)) {
    const Place *found = place(address);
    if (found == nullptr || found->device == nullptr) return true;  // as in RTL
    advance_devices(cycle);
    value = read_place(*found, address, bytes);
    update_levels();
    after_access();
  } else if (within(address, kClintBase, kClintBytes)) {
    value = clint_.read(static_cast<uint32_t>(address - kClintBase), bytes, cycle);
  } else if (within(address, kPlicBase, kPlicBytes)) {
    advance_devices(cycle);
    value = plic_.read(static_cast<uint32_t>(address - kPlicBase), bytes);
  } else if (within(address, kBootRomBase, kBootRomBytes)) {
    value = read_boot_rom(address - kBootRomBase, bytes);
  } else {
    return false;
  }
  return true;
}

bool Bus::write(uint64_t address, uint32_t bytes, uint64_t cycle, uint64_t value) {
  if (within(address, kDevicesBase, kDevicesBytes)) {
    advance_devices(cycle);
    if (const Place *found = place(address); found != nullptr) {
      const auto offset = static_cast<uint32_t>(address - found->base);
      if (found->device == nullptr) {
        write_finisher(offset, bytes, value, cycle);
      } else {
        found->device->write(offset, bytes, value);
        update_levels();
      }
    }
  } else if (within(address, kClintBase, kClintBytes)) {
    clint_.write(static_cast<uint32_t>(address - kClintBase), bytes, value, cycle);
  } else if (within(address, kPlicBase, kPlicBytes)) {
    advance_devices(cycle);
    plic_.write(static_cast<uint32_t>(address - kPlicBase), bytes, value);
  } else {
    return false;
  }
  after_access();
  return true;
}

// Its one register has 4 bytes; an 8-byte store covers it. Other words than the known ones do
// nothing.
void Bus::write_finisher(uint32_t offset, uint32_t bytes, uint64_t value, uint64_t cycle) {
  if (offset != 0 || bytes < 4 || end_->ended()) return;
  const auto word = static_cast<uint32_t>(value);
  const uint32_t code = word & 0xffff;
  if (code == 0x5555 || code == 0x3333 || code == 0x7777) {
    *end_ = devices::finisher_end(word, cycle);
  }
}

void Bus::advance_devices(uint64_t cycle) {
  if (cycle <= device_cycle_) return;
  while (device_cycle_ < cycle) {
    device_cycle_ = std::min(cycle, std::max(next_device_event(), device_cycle_ + 1));
    uart_.advance(device_cycle_);
    block_device_.advance(device_cycle_);
    for (const auto &nic : nics_) nic->advance(device_cycle_);
    for (const OwnPart &part : own_parts_) part.device->advance(device_cycle_);
    release();
    if (host_ != nullptr) look_at_tohost(device_cycle_);
  }
  update_levels();
}

// A read that waits is made again by its hart, in the cycle in which it may go on.
void Bus::release() {
  bool released = false;
  for (TableWindow *window : windows_) released |= window->is_released();
  if (!released) return;
  for (uint32_t hart = 0; hart < held_.size(); ++hart) {
    if (held_[hart]) lines_->go_on(hart);
    held_[hart] = false;
  }
}

// The whole exchange at once, as all accesses of devices to memory are here.
void Bus::look_at_tohost(uint64_t cycle) {
  if (!devices::HostInterface::is_look(cycle) || end_->ended()) return;
  std::optional<devices::HostInterface::Request> request = host_->look();
  while (request && !end_->ended()) {
    uint64_t data = request->data;
    if (request->write) {
      memory_->write(request->address, &data, sizeof data, cycle, "HTIF");
    } else if (const uint8_t *at = memory_->read(request->address, sizeof data, cycle, "HTIF")) {
      std::memcpy(&data, at, sizeof data);
    }
    request = host_->answer(data, cycle, *end_, console_);
  }
}

// Devices stand where something was last due or asked for: that does not depend on how time is cut.
// Nor does what they do at the end, which may be found by an instruction that reaches beyond it.
void Bus::catch_up(uint64_t cycle) {
  while (true) {
    const uint64_t due = std::max(next_device_event(), device_cycle_ + 1);
    if (due > (end_->ended() ? std::min(cycle, end_->cycle) : cycle)) break;
    advance_devices(due);
  }
}

void Bus::advance(uint32_t hart, uint64_t cycle) {
  catch_up(cycle);
  clint_.update(hart, cycle);
}

uint64_t Bus::next_device_event() const {
  uint64_t next = std::min(uart_.next_event(), block_device_.next_event());
  for (const auto &nic : nics_) next = std::min(next, nic->next_event());
  for (const OwnPart &part : own_parts_) next = std::min(next, part.device->next_event());
  if (host_ != nullptr) next = std::min(next, devices::HostInterface::next_look(device_cycle_));
  return next;
}

uint64_t Bus::next_event(uint32_t hart) const {
  return std::min(next_device_event(), clint_.next_timer(hart));
}

nlohmann::json Bus::nic_statistics() const {
  if (nics_.size() == 1) return nic().statistics();
  nlohmann::json all = nlohmann::json::array();
  for (const auto &one : nics_) all.push_back(one->statistics());
  return all;
}

void Bus::update_levels() {
  for (const Place &place : places_) {
    if (place.source != 0) plic_.set_level(place.source, place.device->interrupt());
    for (uint32_t i = 0; i < place.more_sources.size(); ++i) {
      plic_.set_level(place.more_sources[i], place.device->more_interrupt(i));
    }
  }
}

void Bus::after_access() {
  if (end_->ended() || next_event(running_) < until_) lines_->stop(running_);
}

void Bus::save(StateWriter &state) const {
  state.section("bus", 2);
  state.u64(device_cycle_);
  for (const bool held : held_) state.boolean(held);
  clint_.save(state);
  plic_.save(state);
  uart_.save(state);
  block_device_.save(state);
  for (const auto &nic : nics_) nic->save(state);
  for (const OwnPart &part : own_parts_) part.device->save(state);
}

void Bus::load(StateReader &state, const std::vector<uint64_t> &hart_cycles) {
  const uint32_t version = state.section("bus", 2);
  device_cycle_ = state.past_cycle();
  for (uint32_t hart = 0; version > 1 && hart < held_.size(); ++hart) {
    held_[hart] = state.boolean();
    if (held_[hart]) lines_->hold(hart);
  }
  clint_.load(state);
  plic_.load(state);
  uart_.load(state);
  block_device_.load(state);
  for (const auto &nic : nics_) nic->load(state);
  for (const OwnPart &part : own_parts_) part.device->load(state);
  // As every device left it: none is behind the bus.
  uart_.advance(device_cycle_);
  block_device_.advance(device_cycle_);
  for (const auto &nic : nics_) nic->advance(device_cycle_);
  for (const OwnPart &part : own_parts_) part.device->advance(device_cycle_);
  for (uint32_t hart = 0; hart < hart_cycles.size(); ++hart) {
    clint_.loaded(hart, hart_cycles[hart]);
  }
  plic_.refresh();
}

}  // namespace firesim::functional
