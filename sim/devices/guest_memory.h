// SPDX-License-Identifier: BSD-3-Clause
// The target's DRAM content: zeroes, reserved but not committed by the host until touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/mapped_memory.h"
#include "core/registry.h"
#include "devices/config.h"

namespace firesim::devices {

// Whose programs a blade takes.
enum class Processor { kRiscv64, kAny };

class GuestMemory {
 public:
  // `base` is a target address. Throws ConfigError when the host cannot reserve `size_bytes`.
  GuestMemory(uint64_t base, uint64_t size_bytes);
  // By the keys base, size_bytes and load. Throws ConfigError.
  static std::unique_ptr<GuestMemory> make(Config &config, const SimulationContext &simulation);

  uint64_t base() const { return base_; }
  uint64_t size_bytes() const { return size_bytes_; }
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base_ && address - base_ <= size_bytes_ &&
           bytes <= size_bytes_ - (address - base_);
  }
  uint8_t *data() { return memory_.data(); }
  // Host address of a target address that contains() allows.
  uint8_t *at(uint64_t address) { return memory_.data() + (address - base_); }

  // What files were loaded into, by offset and length in bytes; all else is zeroes before a run.
  std::vector<std::pair<uint64_t, uint64_t>> filled() const;

  // `load` replaces the whole memory: pointers into it are valid no longer.
  void save(StateWriter &state) const;
  void load(StateReader &state);

  // Copies the loadable segments of an ELF file to their physical addresses.
  void load_elf(const std::filesystem::path &file, const std::string &where,
                Processor processor = Processor::kRiscv64);
  // Copies a whole file to `address`.
  void load_raw(const std::filesystem::path &file, uint64_t address, const std::string &where);

 private:
  struct Loaded {
    uint64_t start;
    uint64_t end;
    std::string file;
  };
  void load_files(Config &config, const SimulationContext &simulation);
  template <typename Elf>
  void load_segments(const std::vector<uint8_t> &bytes, const std::string &name,
                     Processor processor, const std::string &where);
  // Notes that [address, address + bytes) comes from `file`. Throws ConfigError when it is outside
  // the memory or overlaps what another file put there.
  void claim(uint64_t address, uint64_t bytes, const std::string &file, const std::string &where);

  uint64_t base_;
  uint64_t size_bytes_;
  MappedMemory memory_;
  std::vector<Loaded> loaded_;
};

}  // namespace firesim::devices
