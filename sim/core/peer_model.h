// SPDX-License-Identifier: BSD-3-Clause
//
// The other end of the links to another process: a model whose ports are those links.
//
// A link of N cycles between two processes is cut in three: some cycles on this side, some on the
// wire, which has the same number for all links between the two, and the rest on the other side.
// In target cycle t a peer sends the tokens that its ports receive in t, and puts out those that
// its counterpart sent `wire_cycles` before; all links share one message. So what is under way is
// bounded as in any link, and a part of a latency can be computed while another one is on the wire.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "core/mesh.h"
#include "core/model.h"
#include "core/scheduler.h"
#include "core/token_message.h"

namespace firesim {

class PeerModel final : public Model {
 public:
  // `name` is that of the other process, and `process` its index in the mesh. Both sides number the
  // links between them alike.
  PeerModel(const std::string &name, size_t process, uint32_t links, uint32_t wire_cycles,
            Mesh &mesh, Scheduler &scheduler);

  // Before the run, when all links are there.
  void join(size_t index_in_scheduler);

  uint32_t port_count() const override { return port_count_; }
  bool counts_for_end() const override { return false; }
  void advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
               std::span<Batch> outputs) override;

  // A message with tokens has come. Any thread, one at a time. Throws std::runtime_error.
  void receive(const Parcel &message);

  // --- While every model of the target stands at one cycle ---
  // Waits for what its counterpart has sent before; false after `abandon`, from any thread.
  bool await_received(uint64_t cycle);
  void abandon();
  // What the port will put out in the `wire_cycles` from now on.
  Batch received(uint32_t port) const;

  // Starts at `cycle`, before the run; then at most one call for each port, in their order, with
  // what it has received.
  void start_at(uint64_t cycle) override;
  void restore_received(uint32_t port, Batch tokens);

 private:
  static void put_out(TokenMessage &message, uint64_t start_cycle, uint64_t end_cycle,
                      std::span<Batch> outputs);

  const size_t process_;
  const uint32_t port_count_;
  const uint32_t wire_cycles_;
  Mesh *mesh_;
  Scheduler *scheduler_;
  size_t index_ = 0;
  size_t ends_told_ = 0;

  mutable std::mutex mutex_;           // guards the next four
  std::deque<TokenMessage> received_;  // in the time of the ports; not wholly put out
  uint64_t put_out_until_ = 0;
  std::condition_variable received_changed_;
  bool abandoned_ = false;
  std::atomic<uint64_t> received_until_;  // tokens of all cycles before are there
};

}  // namespace firesim
