// SPDX-License-Identifier: BSD-3-Clause
#include "bare_machine.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace firesim::functional {
namespace {

constexpr uint64_t kCyclesPerTick = 100;
constexpr uint64_t kTimeCompare = kClintBase + 0x4000, kTime = kClintBase + 0xbff8;
constexpr uint64_t kDeviceTree = kDeviceTreeBase;
constexpr uint64_t kUartPending = kUartBase + 0x14;

}  // namespace

BareMachine::BareMachine(uint64_t dram_bytes, size_t code_bytes, CodeStore *store,
                         HartFeatures features)
    : memory_(dram_bytes),
      shared_(Dram{kDramBase, dram_bytes, memory_.data()}, code_bytes, store),
      hart_(0, Dram{kDramBase, dram_bytes, memory_.data()}, *this, 1, shared_, features) {}

void BareMachine::load_elf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(file), {}};
  Elf64_Ehdr header;
  if (data.size() < sizeof header) throw std::runtime_error(path + ": not an ELF file.");
  std::memcpy(&header, data.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_RISCV) {
    throw std::runtime_error(path + ": not an ELF file for RISC-V.");
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    const size_t at = header.e_phoff + static_cast<size_t>(i) * sizeof part;
    if (at + sizeof part > data.size()) throw std::runtime_error(path + ": cut off.");
    std::memcpy(&part, data.data() + at, sizeof part);
    if (part.p_type != PT_LOAD || part.p_filesz == 0) continue;
    const uint64_t offset = part.p_paddr - kDramBase;
    if (part.p_offset + part.p_filesz > data.size() || offset + part.p_memsz > memory_.size()) {
      throw std::runtime_error(path + ": a segment does not fit into the memory.");
    }
    std::memcpy(memory_.data() + offset, data.data() + part.p_offset, part.p_filesz);
  }
  ArchitecturalState state;
  state.mstatus = 3 << 11;
  state.pc = header.e_entry;
  state.x[11] = kDeviceTree;
  hart_.set_state(state);
}

void BareMachine::load_raw(const std::string &path, uint64_t address) {
  std::ifstream file(path, std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(file), {}};
  const uint64_t offset = address - kDramBase;
  if (!file || offset + data.size() > memory_.size()) {
    throw std::runtime_error(path + ": cannot be read, or does not fit into the memory.");
  }
  std::memcpy(memory_.data() + offset, data.data(), data.size());
}

void BareMachine::update_timer(uint64_t cycle) {
  hart_.set_interrupt(7, cycle / kCyclesPerTick + time_offset_ >= compare_);
}

bool BareMachine::run(uint64_t to_cycle) {
  while (!ended_ && cycle_ < to_cycle) {
    update_timer(cycle_);
    // The cycle of the next timer interrupt, if there is one.
    const uint64_t left = compare_ - time_offset_;
    const bool armed = compare_ > cycle_ / kCyclesPerTick + time_offset_ &&
                       left < (~uint64_t{0} >> 1) / kCyclesPerTick;
    const uint64_t event = armed ? left * kCyclesPerTick : to_cycle;
    const uint64_t stop = std::min(to_cycle, event);
    cycle_ = hart_.run(cycle_, stop);
    if (hart_.waiting()) cycle_ = std::max(cycle_, stop);
  }
  return ended_;
}

bool BareMachine::read(uint64_t address, uint32_t, uint64_t cycle, uint64_t &value) {
  if (address >= kUartBase && address < kUartBase + kUartBytes) {
    value = address == kUartPending ? 1 : 0;
    return true;
  }
  if (address == kClintBase) {
    value = software_;
  } else if (address == kTimeCompare) {
    value = compare_;
  } else if (address == kTime) {
    value = cycle / kCyclesPerTick + time_offset_;
  } else {
    return false;
  }
  return true;
}

bool BareMachine::write(uint64_t address, uint32_t, uint64_t cycle, uint64_t value) {
  if (address == kUartBase) {
    console_ += static_cast<char>(value);
  } else if (address == kFinisherBase) {
    ended_ = true;
    exit_code_ = value == 0x5555 ? 0 : static_cast<uint32_t>(value >> 16);
    hart_.stop();
  } else if (address == kClintBase) {
    software_ = value & 1;
    hart_.set_interrupt(3, software_ != 0);
  } else if (address == kTimeCompare) {
    compare_ = value;
    update_timer(cycle);
    hart_.stop();
  } else if (address == kTime) {
    time_offset_ = value - cycle / kCyclesPerTick;
    update_timer(cycle);
    hart_.stop();
  } else {
    return address >= kUartBase && address < kUartBase + kUartBytes;
  }
  return true;
}

}  // namespace firesim::functional
