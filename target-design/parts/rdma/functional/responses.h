// SPDX-License-Identifier: BSD-3-Clause
// What requests of peers are answered with: acknowledgements, and the data that READs ask for.
// Those of a queue pair leave in the order of its requests; only READs keep others waiting.
#pragma once

#include <deque>
#include <optional>

#include "parts/rdma/functional/requester.h"

namespace firesim::functional::rdma {

// An acknowledgement, or the data of a READ.
struct Response {
  bool is_read = false;
  uint32_t qp = 0;
  uint32_t psn = 0;
  uint32_t msn = 0;
  uint8_t syndrome = 0;  // of an acknowledgement
  uint32_t key = 0;      // of what a READ asks for, and its place and size
  uint64_t address = 0;
  uint32_t bytes = 0;

  TxPacket acknowledgement(uint8_t with_syndrome) const;

  template <typename Field>
  void each(Field &&field) {
    field(is_read), field(qp, kQps - 1), field(psn, kPsnMask), field(msn, kPsnMask);
    field(syndrome), field(key), field(address), field(bytes);
  }
};

class Responses {
 public:
  explicit Responses(const Surroundings &around) : around_(around) {}

  void add(const Response &response);
  void configure(uint32_t qp) { stopped_ &= ~(uint64_t{1} << qp); }

  bool is_empty() const { return prompt_.empty() && waiting_.empty(); }
  bool has_prompt() const { return !prompt_.empty(); }
  TxPacket next_prompt();
  // The queue pair of the first of those that wait, if it may be answered when it is in `may_go`.
  std::optional<uint32_t> waiting_qp() const;
  bool may_answer(uint64_t may_go) const;
  // A packet of it. Of a READ as many as its bytes need, one at least. The region is looked up for
  // each, since software may take it back: the peer is told, and gets no more.
  TxPacket next_waiting();

  void save(StateWriter &state) const;
  void load(StateReader &state);

 private:
  static constexpr size_t kMostSaved = size_t{1} << 24;

  bool is_stopped(uint32_t qp) const { return (stopped_ >> qp & 1) != 0; }
  Access access(const Response &read) const;
  void done_with_first();

  Surroundings around_;
  std::deque<Response> prompt_, waiting_;
  uint64_t behind_ = 0;   // queue pairs with a READ among those that wait
  uint64_t stopped_ = 0;  // queue pairs that are told nothing more
  uint32_t done_ = 0;     // bytes of the READ
  uint32_t sent_ = 0;     // packets of the READ
};

}  // namespace firesim::functional::rdma
