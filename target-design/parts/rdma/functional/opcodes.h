// SPDX-License-Identifier: BSD-3-Clause
// Opcodes of the BTH for reliable connections and what they say, and the numbers that work
// requests, completions and acknowledgements have: those of RdmaTypes.scala.
#pragma once

#include <cstdint>

namespace firesim::functional::rdma {

inline constexpr uint8_t kSendFirst = 0x00, kWriteFirst = 0x06, kReadRequest = 0x0c;
inline constexpr uint8_t kReadFirst = 0x0d, kReadMiddle = 0x0e, kReadLast = 0x0f, kReadOnly = 0x10;
inline constexpr uint8_t kAcknowledge = 0x11;
inline constexpr uint8_t kSendLastInvalidate = 0x16, kSendOnlyInvalidate = 0x17;
inline constexpr uint8_t kNotification = 0x81;  // of congestion: CNP

// Sets of opcodes below 32, a bit each.
constexpr bool is_among(uint8_t opcode, uint32_t set) {
  return opcode < 32 && (set >> opcode & 1) != 0;
}

constexpr bool is_invalidate(uint8_t opcode) { return is_among(opcode, 0x00c0'0000); }
constexpr bool is_send(uint8_t opcode) { return is_among(opcode, 0x00c0'003f); }
constexpr bool is_write(uint8_t opcode) { return is_among(opcode, 0x0000'0fc0); }
constexpr bool is_response(uint8_t opcode) { return is_among(opcode, 0x0003'e000); }
constexpr bool has_immediate(uint8_t opcode) { return is_among(opcode, 0x0000'0a28); }
constexpr bool has_reth(uint8_t opcode) { return is_among(opcode, 0x0000'1c40); }
constexpr bool has_aeth(uint8_t opcode) { return is_among(opcode, 0x0003'a000); }
// A message begins with it: first and only.
constexpr bool begins_message(uint8_t opcode) { return is_among(opcode, 0x0081'2c71); }
// A message ends with it: last and only.
constexpr bool ends_message(uint8_t opcode) { return is_among(opcode, 0x00c1'8f3c); }

// Words of 32 bits between the BTH and the payload.
constexpr uint32_t extension_words(uint8_t opcode) {
  const bool one = has_immediate(opcode) || has_aeth(opcode) || is_invalidate(opcode);
  return (has_reth(opcode) || opcode == kNotification ? 4 : 0) + (one ? 1 : 0);
}

// What a work request asks for.
inline constexpr uint8_t kWorkWriteImmediate = 1, kWorkSendImmediate = 3, kWorkRead = 4;
inline constexpr uint8_t kWorkSendInvalidate = 12;

// What became of it: the status of its completion.
enum class Status : uint8_t {
  kSuccess = 0,
  kLocalLength = 1,
  kLocalOperation = 2,
  kLocalProtection = 4,
  kFlushed = 5,
  kRemoteInvalid = 9,
  kRemoteAccess = 10,
  kRemoteOperation = 11,
  kRetriesExceeded = 12,
  kNotReadyExceeded = 13
};

// First byte of an AETH.
inline constexpr uint8_t kPositive = 0x1f;  // no end-to-end credits
inline constexpr uint8_t kNotReady = 0x20;
inline constexpr uint8_t kSequenceError = 0x60, kInvalidRequest = 0x61, kAccessError = 0x62;
inline constexpr uint8_t kOperationError = 0x63;

}  // namespace firesim::functional::rdma
