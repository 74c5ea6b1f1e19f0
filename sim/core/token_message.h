// SPDX-License-Identifier: BSD-3-Clause
//
// What two processes tell each other, as bytes: tokens of all links between them in one message,
// with the ends of nodes that became known meanwhile; and why a process stops.
//
// Numbers are little end first. Empty stretches take no room: a message of empty links is 17 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/mesh.h"
#include "core/scheduler.h"

namespace firesim {

enum class MessageKind : uint8_t {
  kTokens = 1,
  kStop = 2,   // the sender's run failed or was interrupted
  kDone = 3,   // the sender's run is over; its part of the results
  kReady = 4,  // before the run: what the others have to know of the sender
  // Pauses and snapshots, led by the first process.
  kHold = 5,     // stand still
  kReached = 6,  // the sender does, and can pause at this cycle
  kPause = 7,    // all pause at this cycle
  kOrder = 8,    // to those at a pause
  kAnswer = 9,   // to an order
};

// Throws std::runtime_error for what is none.
MessageKind kind_of(std::span<const uint8_t> message);

struct TokenMessage {
  uint64_t start_cycle = 0;
  uint32_t cycles = 0;
  std::vector<NodeEnd> ends;
  std::vector<Batch> links;  // each of exactly these cycles
};

Message encode_tokens(uint64_t start_cycle, uint32_t cycles, const std::vector<NodeEnd> &ends,
                      std::span<const Batch> links);
// Throws std::runtime_error unless it is a message with tokens of `link_count` links.
TokenMessage decode_tokens(std::span<const uint8_t> message, size_t link_count);

Message encode_text(MessageKind kind, const std::string &text);
std::string decode_text(std::span<const uint8_t> message);
Message encode_number(MessageKind kind, uint64_t number);
uint64_t decode_number(std::span<const uint8_t> message);

}  // namespace firesim
