// SPDX-License-Identifier: BSD-3-Clause
//
// Tokens to and from another process; see peer_model.h.
#include "core/peer_model.h"

#include <algorithm>
#include <stdexcept>

namespace firesim {

PeerModel::PeerModel(const std::string &name, size_t process, uint32_t links, uint32_t wire_cycles,
                     Mesh &mesh, Scheduler &scheduler)
    : Model("process " + name),
      process_(process),
      port_count_(links),
      wire_cycles_(wire_cycles),
      mesh_(&mesh),
      scheduler_(&scheduler),
      received_until_(wire_cycles) {}

void PeerModel::join(size_t index_in_scheduler) {
  index_ = index_in_scheduler;
  scheduler_->add_outside_input(index_, received_until_, wire_cycles_, name());
}

void PeerModel::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                        std::span<Batch> outputs) {
  // The ends after the tokens: what is known by now happened before what these follow from.
  const std::vector<NodeEnd> ends = scheduler_->ends_from(ends_told_);
  ends_told_ += ends.size();
  mesh_->send(process_, encode_tokens(start_cycle, cycles, ends, inputs));
  const uint64_t end_cycle = start_cycle + cycles;
  const std::lock_guard lock(mutex_);
  for (TokenMessage &message : received_) {
    if (message.start_cycle >= end_cycle) break;
    put_out(message, start_cycle, end_cycle, outputs);
  }
  while (!received_.empty() &&
         received_.front().start_cycle + received_.front().cycles <= end_cycle) {
    received_.pop_front();
  }
  put_out_until_ = end_cycle;
}

// What of a message is in these cycles. Most often that is all of it and nothing else.
void PeerModel::put_out(TokenMessage &message, uint64_t start_cycle, uint64_t end_cycle,
                        std::span<Batch> outputs) {
  const uint64_t from = std::max(start_cycle, message.start_cycle);
  const uint64_t to = std::min(end_cycle, message.start_cycle + message.cycles);
  const bool whole =
      message.start_cycle == start_cycle && message.cycles == to - from && end_cycle == to;
  for (LinkTokens &one : message.links) {
    if (whole) {
      outputs[one.link].swap(one.tokens);
      outputs[one.link].set_start_cycle(start_cycle);
      continue;
    }
    outputs[one.link].append_part(one.tokens, static_cast<uint32_t>(from - message.start_cycle),
                                  static_cast<uint32_t>(to - message.start_cycle),
                                  static_cast<uint32_t>(from - start_cycle));
  }
}

void PeerModel::receive(const Parcel &parcel) {
  TokenMessage message = decode_tokens(parcel, port_count_);
  const uint64_t until = received_until_.load(std::memory_order_relaxed);
  message.start_cycle += wire_cycles_;
  if (message.start_cycle != until) {
    throw std::runtime_error("sent the tokens of a cycle that is not the next one");
  }
  for (const NodeEnd &end : message.ends) scheduler_->note_remote_end(end);
  const uint64_t end_cycle = until + message.cycles;
  {
    const std::lock_guard lock(mutex_);
    received_.push_back(std::move(message));
    received_until_.store(end_cycle, std::memory_order_release);
  }
  received_changed_.notify_all();
  scheduler_->wake(index_);
}

bool PeerModel::await_received(uint64_t cycle) {
  std::unique_lock lock(mutex_);
  received_changed_.wait(lock, [this, cycle] {
    return abandoned_ || received_until_.load(std::memory_order_relaxed) >= cycle + wire_cycles_;
  });
  return !abandoned_;
}

void PeerModel::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  received_changed_.notify_all();
}

Batch PeerModel::received(uint32_t port) const {
  const std::lock_guard lock(mutex_);
  Batch tokens(put_out_until_, wire_cycles_);
  for (const TokenMessage &message : received_) {
    const uint64_t from = std::max(message.start_cycle, tokens.start_cycle());
    const uint64_t to = std::min(message.start_cycle + message.cycles, tokens.end_cycle());
    if (from >= to) continue;
    for (const LinkTokens &one : message.links) {
      if (one.link != port) continue;
      tokens.append_part(one.tokens, static_cast<uint32_t>(from - message.start_cycle),
                         static_cast<uint32_t>(to - message.start_cycle),
                         static_cast<uint32_t>(from - tokens.start_cycle()));
    }
  }
  return tokens;
}

void PeerModel::start_at(uint64_t cycle) {
  put_out_until_ = cycle;
  received_until_ = cycle + wire_cycles_;
  TokenMessage &message = received_.emplace_back();
  message.start_cycle = cycle;
  message.cycles = wire_cycles_;
}

void PeerModel::restore_received(uint32_t port, Batch tokens) {
  received_.front().links.push_back({port, std::move(tokens)});
}

}  // namespace firesim
