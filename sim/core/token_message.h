// SPDX-License-Identifier: BSD-3-Clause
//
// What two processes tell each other, as bytes: tokens of all links between them in one message,
// with the ends of nodes that became known meanwhile; and why a process stops.
//
// Numbers are little end first. Empty stretches take no room: a message of empty links is 16 bytes.
// Flits lie at multiples of eight bytes, so that who takes a message need not copy them.
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

struct LinkTokens {
  uint32_t link = 0;
  Batch tokens;  // of exactly the cycles of the message
};

struct TokenMessage {
  uint64_t start_cycle = 0;
  uint32_t cycles = 0;
  std::vector<NodeEnd> ends;
  std::vector<LinkTokens> links;  // that carry anything, in ascending order
};

Message encode_tokens(uint64_t start_cycle, uint32_t cycles, const std::vector<NodeEnd> &ends,
                      std::span<const Batch> links);
Message encode_tokens(const TokenMessage &message);
// The flits stay where they are if the parcel has an owner, who is kept as long as they are needed;
// else they are copied. Throws std::runtime_error unless it is a message with tokens of
// `link_count` links.
TokenMessage decode_tokens(const Parcel &message, size_t link_count);

Message encode_text(MessageKind kind, const std::string &text);
std::string decode_text(std::span<const uint8_t> message);
Message encode_number(MessageKind kind, uint64_t number);
uint64_t decode_number(std::span<const uint8_t> message);

}  // namespace firesim
