// SPDX-License-Identifier: BSD-3-Clause
//
// A ZeroMQ PAIR socket over TCP for each other process, with a monitor that says when its
// connection ends.
//
// A socket belongs to one thread at a time; whoever sends or takes has it for as long as that
// takes. Who waits does so at the socket's descriptor, which says that something has changed but
// not what, and says it only once: after that all must be taken. Sending, too, may swallow it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/mesh.h"
#include "transport/mesh_keys.h"
#include "transport/zap_gate.h"

namespace firesim {

class ZeroMqSockets {
 public:
  ZeroMqSockets(const std::vector<ProcessPlace> &places, size_t self);
  ~ZeroMqSockets();
  ZeroMqSockets(const ZeroMqSockets &) = delete;
  ZeroMqSockets &operator=(const ZeroMqSockets &) = delete;

  // Binds and connects: between two processes, the one that stands first in the list binds, at its
  // port plus the index of the other one. With keys all is encrypted, and each side has shown that
  // it is who it should be. Throws std::runtime_error.
  void open(const std::optional<MeshKeys> &keys);

  // --- Any thread ---
  // Does not wait. What is sent to one whose connection has ended is lost.
  void send(size_t process, Message message);
  // Whether there is something to take. Who has just sent asks for those that wait.
  bool has_come(size_t process);
  // The whole next message, or nothing.
  std::optional<Parcel> take(size_t process);

  // --- One thread ---
  int descriptor(size_t process) const { return sockets_[process].descriptor; }
  int monitor_descriptor(size_t process) const { return sockets_[process].monitor_descriptor; }
  // The next event of its connection, or nothing.
  std::optional<uint16_t> take_event(size_t process);
  ZapGate *gate() { return gate_.get(); }  // null without keys
  int gate_descriptor() const;
  // What has not been delivered to the process is kept for so long when all is over.
  void set_linger_ms(size_t process, int linger_ms);

 private:
  struct One {
    void *socket = nullptr;  // null for this process itself
    void *monitor = nullptr;
    int descriptor = -1;
    int monitor_descriptor = -1;
    std::unique_ptr<std::mutex> mutex;  // who has the socket
  };

  void make(size_t process, const std::optional<MeshKeys> &keys);
  void watch(One &one, size_t process);
  void use_keys(size_t process, const MeshKeys &keys, bool binds);

  const std::vector<ProcessPlace> places_;
  const size_t self_;
  void *context_ = nullptr;
  std::unique_ptr<ZapGate> gate_;
  std::vector<One> sockets_;  // by process
};

}  // namespace firesim
