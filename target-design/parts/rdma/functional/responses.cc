// SPDX-License-Identifier: BSD-3-Clause
// Answers to peers, in their order; see responses.h.
#include "parts/rdma/functional/responses.h"

#include "parts/rdma/functional/state_fields.h"

namespace firesim::functional::rdma {

TxPacket Response::acknowledgement(uint8_t with_syndrome) const {
  TxPacket made;
  made.qp = qp;
  made.opcode = kAcknowledge;
  made.psn = psn;
  made.extension = {uint32_t{with_syndrome} << 24 | msn};
  return made;
}

void Responses::add(const Response &response) {
  const uint64_t bit = uint64_t{1} << response.qp;
  if (waiting_.empty()) behind_ = 0;
  if (!response.is_read && (behind_ & bit) == 0) {
    prompt_.push_back(response);
    return;
  }
  if (is_stopped(response.qp)) return;
  waiting_.push_back(response);
  behind_ |= bit;
}

TxPacket Responses::next_prompt() {
  const Response response = prompt_.front();
  prompt_.pop_front();
  return response.acknowledgement(response.syndrome);
}

Access Responses::access(const Response &read) const {
  return {read.key,           read.address + done_,
          read.bytes - done_, around_.pairs.configs[read.qp].domain(),
          kRemoteRead,        false};
}

std::optional<uint32_t> Responses::waiting_qp() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().qp;
}

// Only data has to wait for its queue pair's rate.
bool Responses::may_answer(uint64_t may_go) const {
  if (waiting_.empty()) return false;
  const Response &first = waiting_.front();
  return (may_go >> first.qp & 1) != 0 || !first.is_read || !around_.regions.find(access(first));
}

TxPacket Responses::next_waiting() {
  const Response first = waiting_.front();
  if (!first.is_read) {
    done_with_first();
    return first.acknowledgement(first.syndrome);
  }
  const std::optional<uint64_t> physical = around_.regions.find(access(first));
  if (!physical) {
    TxPacket refusal = first.acknowledgement(kAccessError);
    refusal.psn = psn_add(first.psn, sent_);
    around_.pairs.fail(first.qp);
    stopped_ |= uint64_t{1} << first.qp;
    done_with_first();
    return refusal;
  }
  const uint32_t mtu = around_.pairs.configs[first.qp].mtu(), left = first.bytes - done_;
  const bool last = left <= mtu;
  TxPacket data = first.acknowledgement(kPositive);
  data.opcode = sent_ == 0 ? (last ? kReadOnly : kReadFirst) : (last ? kReadLast : kReadMiddle);
  data.psn = psn_add(first.psn, sent_);
  data.address = *physical;
  data.bytes = last ? left : mtu;
  if (last) {
    done_with_first();
  } else {
    done_ += mtu;
    ++sent_;
  }
  return data;
}

// Those that are told nothing more are passed over.
void Responses::done_with_first() {
  done_ = 0;
  sent_ = 0;
  waiting_.pop_front();
  while (!waiting_.empty() && is_stopped(waiting_.front().qp)) waiting_.pop_front();
}

void Responses::save(StateWriter &state) const {
  state.section("rdma_responses", 1);
  for (const auto *queue : {&prompt_, &waiting_}) {
    state.u64(queue->size());
    for (const Response &response : *queue) save_fields(state, response);
  }
  for (const uint64_t value : {behind_, stopped_, uint64_t{done_}, uint64_t{sent_}}) {
    state.u64(value);
  }
}

void Responses::load(StateReader &state) {
  state.section("rdma_responses", 1);
  for (auto *queue : {&prompt_, &waiting_}) {
    queue->clear();
    for (uint64_t left = state.u64(kMostSaved); left > 0; --left) {
      load_fields(state, queue->emplace_back());
    }
  }
  behind_ = state.u64();
  stopped_ = state.u64();
  done_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  sent_ = static_cast<uint32_t>(state.u64(kPsnMask));
}

}  // namespace firesim::functional::rdma
