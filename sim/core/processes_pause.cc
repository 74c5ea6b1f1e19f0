// SPDX-License-Identifier: BSD-3-Clause
//
// How the processes of a target pause at one cycle, and what they tell each other while they do.
//
// The first process leads. For a pause that was not planned all hold, each says how far its models
// have got, and the first one says where to pause. During a pause it gives orders.
#include <algorithm>
#include <stdexcept>

#include "core/json_reader.h"
#include "core/processes.h"

namespace firesim {

void Processes::want_pause() {
  {
    const std::lock_guard lock(mutex_);
    reached_.clear();
  }
  send_all(encode_number(MessageKind::kHold, 0));
}

// In the first process.
void Processes::reached(size_t process, uint64_t cycle) {
  uint64_t greatest = 0;
  {
    const std::lock_guard lock(mutex_);
    reached_[process] = cycle;
    if (reached_.size() < places_.size()) return;
    for (const auto &[unused, one] : reached_) greatest = std::max(greatest, one);
  }
  send_all(encode_number(MessageKind::kPause, greatest));
  scheduler_->pause_at(greatest);
}

// Guarded by mutex_.
bool Processes::take_pause_message(size_t process, std::span<const uint8_t> message) {
  const MessageKind kind = kind_of(message);
  if (kind == MessageKind::kOrder) {
    orders_.push_back(parse_json(decode_text(message), kDescriptionLimits));
  } else if (kind == MessageKind::kAnswer) {
    answers_[process].assign(message.begin() + 1, message.end());
  } else {
    return false;
  }
  return true;
}

// What is waited for will not come. Guarded by mutex_.
void Processes::abandon_waiting() {
  for (const auto &[process, peer] : peers_) peer.model->abandon();
  changed_.notify_all();
}

void Processes::order(const nlohmann::json &order) {
  {
    const std::lock_guard lock(mutex_);
    answers_.clear();
  }
  send_all(encode_text(MessageKind::kOrder, dump_any(order)));
}

std::map<size_t, Message> Processes::answers() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return answers_.size() + 1 == places_.size() || !done_.empty() || stopped_by_other_;
  });
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process == self_ || answers_.contains(process)) continue;
    throw std::runtime_error("process " + name(process) + " does not answer any more");
  }
  return answers_;
}

std::optional<nlohmann::json> Processes::next_order() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !orders_.empty() || done_.contains(0); });
  if (orders_.empty()) return std::nullopt;
  nlohmann::json order = std::move(orders_.front());
  orders_.pop_front();
  return order;
}

void Processes::answer(std::span<const uint8_t> answer) {
  Message message{static_cast<uint8_t>(MessageKind::kAnswer)};
  message.insert(message.end(), answer.begin(), answer.end());
  mesh_->send(0, std::move(message));
}

void Processes::await_tokens(uint64_t cycle) {
  for (const auto &[process, peer] : peers_) {
    if (peer.model->await_received(cycle)) continue;
    throw std::runtime_error("the tokens of process " + name(process) + " do not come any more");
  }
}

}  // namespace firesim
