// SPDX-License-Identifier: BSD-3-Clause
// What a host driver needs of the platform that its target is on: control registers and two
// streams of 64-bit words. An FPGA board has one implementation, a metasimulation another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace firesim::hostlib {

class HostPlatform {
 public:
  HostPlatform() = default;
  HostPlatform(const HostPlatform &) = delete;
  HostPlatform &operator=(const HostPlatform &) = delete;
  virtual ~HostPlatform() = default;

  virtual uint32_t read(uint32_t address) = 0;
  virtual void write(uint32_t address, uint32_t value) = 0;
  // Registers of 64 bits: the low half is first, in its place and in time.
  uint64_t read_wide(uint32_t address) {
    const uint64_t low = read(address);
    return low | uint64_t{read(address + 4)} << 32;
  }
  void write_wide(uint32_t address, uint64_t value) {
    write(address, static_cast<uint32_t>(value));
    write(address + 4, static_cast<uint32_t>(value >> 32));
  }
  // Sends words down; returns when the platform has taken all of them.
  virtual void send(std::span<const uint64_t> words) = 0;
  // Fills `words` with what comes up. False when nothing came for a long time; what did come is
  // kept for the next call.
  virtual bool receive(std::span<uint64_t> words) = 0;
  // How many words that come up the way from the target keeps while nobody receives them. A caller
  // whose words are each answered by one sends no more before it receives: send() may not return
  // until there is room for the answers.
  virtual size_t answers_kept() const { return 128; }
  // Puts `content` behind a port to a DRAM of the target's host's side (rtl of a bridge); it stays
  // valid as long as this. False on a platform with a DRAM of its own, or with none.
  virtual bool serve_memory(uint32_t port, std::span<uint8_t> content) {
    static_cast<void>(port);
    static_cast<void>(content);
    return false;
  }
  // What the platform knows to be wrong with it; empty: nothing. For people, when a target stands.
  virtual std::string trouble() { return ""; }
  // For people: which platform it is, and what evaluates the target there.
  virtual std::string name() const = 0;
};

}  // namespace firesim::hostlib
