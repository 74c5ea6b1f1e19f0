// SPDX-License-Identifier: BSD-3-Clause
// Offsets of the registers of the RDMA NIC, and the commands of its mailbox (docs/how-to/rdma.md).
#pragma once

#include <cstdint>

namespace firesim::functional::rdma {

inline constexpr uint32_t kEnable = 0x00, kMac = 0x08, kIp = 0x10, kCommand = 0x18;
inline constexpr uint32_t kSendDoorbell = 0x20, kReceiveDoorbell = 0x28, kPending = 0x30,
                          kMask = 0x38;
inline constexpr uint32_t kSizes = 0x40, kFailed = 0x48;
// Of a NIC with pages: where their table is, and how many entries it has.
inline constexpr uint32_t kTable = 0x50, kPages = 0x58;
// Registers of a kind, eight bytes apart.
inline constexpr uint32_t kMailbox = 0x80, kFirstCounter = 0xc0, kCongestion = 0x140;
inline constexpr uint32_t kShown = 0x1a0, kRate = 0x1a8, kTarget = 0x1b0, kAlpha = 0x1b8;
// Commands of the mailbox; the number of the object begins at bit 16.
inline constexpr uint32_t kSetQp = 1, kSetRegion = 2, kClearRegion = 3, kSetCq = 4, kTakeUpQp = 5,
                          kTakeUpCq = 6;
inline constexpr uint32_t kCommandIndex = 16;

}  // namespace firesim::functional::rdma
