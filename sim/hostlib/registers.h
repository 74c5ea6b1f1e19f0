// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the control registers (rtl/firesim_control.v), 32 bits each. What is wider has its
// low half first.
#pragma once

#include <cstdint>

namespace firesim::hostlib {

enum Register : uint32_t {
  kIdentity = 0x00,      // kIdentityValue
  kVersion = 0x04,       // kVersionValue
  kFingerprint = 0x08,   // 64 bits: the design hash
  kCycle = 0x10,         // 64 bits: target cycles that are over
  kStatus = 0x18,        // kStatusRunning, kStatusExpired, kStatusTogether, kStatusUsed
  kPatience = 0x1c,      // host cycles without progress that the watchdog bears; 0: any number
  kHostCycles = 0x20,    // 64 bits: since the host's reset
  kListen = 0x28,        // 64 bits, written: output channels that somebody listens to
  kStallSeed = 0x30,     // written: seeds the random stalls of all channels
  kStallRate = 0x34,     // written: host cycles of 256 in which a channel stalls
  kStopAt = 0x38,        // 64 bits, written: output channels that stop the target when they wake
  kCounterValue = 0x40,  // 64 bits: the counter chosen
  kCounterRose = 0x48,   // whether the last cycle made it greater by one
  kCounter = 0x4c,       // written: chooses a counter
  kScanWords = 0x50,     // words of the scan chain; 0: there is none
  kScan = 0x54,          // written: an operation of rtl/firesim_scan.v
  kScanRow = 0x58,       // written: the first row of a memory
  kDram = 0x60,          // written: an operation of rtl/firesim_dram_access.v, 15:8 the port
  kDramRow = 0x64,       // written: its first row of 64 bytes
  kDramRows = 0x68,      // written: how many rows
  kCaptureAt = 0x70,     // written: a place in rtl/firesim_capture.v
  kCaptureShape = 0x74,  // bits 31:8 the width of a row of its ring, 7:0 log2 of its rows; 0: none
  kCaptureValue = 0x78,  // 64 bits at that place; the high half writes both
  kPart = 0x80,          // written: chooses a bridge whose host's side is RTL
  kPartAt = 0x84,        // written: an address of it
  kPartValue = 0x88,     // 64 bits at that address; the high half writes both
  kGates = 0x90,         // gates (rtl/firesim_gate.v); 0: there are none
  kGateAt = 0x94,        // written: bits 15:8 choose one, bits 3:0 an address of it
  kGateValue = 0x98,     // written: a word there; read: of the one chosen, its state
};

inline constexpr uint32_t kIdentityValue = 0x4653494d;
inline constexpr uint32_t kVersionValue = 3;
inline constexpr uint32_t kStatusRunning = 1, kStatusExpired = 2;
// The target is one of a supernode: it runs a cycle when all of them are to.
inline constexpr uint32_t kStatusTogether = 4;
// The target has run, or its scan chain was used, since the board's bitstream was loaded. No reset
// clears it: none clears the target's registers and memories either.
inline constexpr uint32_t kStatusUsed = 8;

}  // namespace firesim::hostlib
