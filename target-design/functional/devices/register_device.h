// SPDX-License-Identifier: BSD-3-Clause
// A device's page of registers, with the rules of the RTL's RegisterFrontEnd: a read touches every
// register it overlaps, a write must cover a register, and what meets none, or is refused, reads as
// 0 and changes nothing (Rocket ignores the bus error).
#pragma once

#include <cstdint>
#include <span>

namespace firesim {
class StateWriter;
class StateReader;
}  // namespace firesim

namespace firesim::functional {

class CarryOver;
class StreamStage;
class TableWindow;

// The registers of a device fill one page.
inline constexpr uint64_t kPageBytes = 0x1000;

// "No event": later than every cycle.
inline constexpr uint64_t kNever = UINT64_MAX;

struct RegisterInfo {
  enum Access : uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };
  uint16_t offset;
  uint8_t bytes;  // 4 or 8
  Access access;
};

// A device lives in target cycles that never decrease: `advance` brings it to a cycle, accesses
// happen in the cycle it has been brought to.
class RegisterDevice {
 public:
  virtual ~RegisterDevice() = default;

  // `bytes` is 1, 2, 4 or 8, `offset` a multiple of it within the device's 4 KiB.
  uint64_t read(uint32_t offset, uint32_t bytes);
  void write(uint32_t offset, uint32_t bytes, uint64_t value);

  // Does everything the device does by itself in cycles up to and including `cycle`.
  virtual void advance(uint64_t cycle) = 0;
  // The next cycle in which it does something that others could notice without an access: change
  // its interrupt, or memory.
  virtual uint64_t next_event() const = 0;
  virtual bool interrupt() const = 0;
  // Of the interrupts beyond the first, from 0.
  virtual bool more_interrupt(uint32_t /*index*/) const { return false; }

  // The same part in the NIC's stream socket, if it stands there.
  virtual StreamStage *stream() { return nullptr; }

  // The same part's window onto page tables, behind its registers, if it has one.
  virtual TableWindow *window() { return nullptr; }

  // What a warm start needs to know; null: RTL cannot go on from it.
  virtual const CarryOver *carry_over() const { return nullptr; }

  virtual void save(StateWriter &state) const = 0;
  virtual void load(StateReader &state) = 0;

 protected:
  virtual std::span<const RegisterInfo> registers() const = 0;
  virtual uint64_t read_register(uint32_t offset) = 0;
  virtual void write_register(uint32_t offset, uint64_t value) = 0;
};

}  // namespace firesim::functional
