// SPDX-License-Identifier: BSD-3-Clause
//
// What connects the processes that simulate the parts of one target: messages between any two,
// in order, none lost. An engine for it is in sim/transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace firesim {

using Message = std::vector<uint8_t>;

// A message that has come. The bytes are there as long as somebody keeps the owner.
struct Parcel {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

struct ProcessPlace {
  std::string name;
  std::string host;      // name or address
  uint16_t port = 0;     // the first of as many as there are processes
  uint32_t threads = 0;  // worker threads; 0: as the description says for all
};

// What a process has sent.
struct MeshTraffic {
  uint64_t messages = 0;
  uint64_t bytes = 0;          // of the messages
  uint64_t bytes_on_wire = 0;  // what became of them on their way
};

class Mesh {
 public:
  // Called by a thread of the mesh or one that waits, one at a time.
  struct Listener {
    std::function<void(size_t process, const Parcel &message)> received;
    // The other process, its host or the way to it is gone; `why` is for a person.
    std::function<void(size_t process, const std::string &why)> lost;
  };

  virtual ~Mesh() = default;

  // Returns when all processes have found each other and agree on what they simulate. Throws
  // std::runtime_error naming the one that did not answer in time, or that does not agree.
  virtual void open(Listener listener) = 0;

  // Any thread, after `open`; does not wait.
  virtual void send(size_t process, Message message) = 0;

  // What comes is heard by a thread of the mesh, unless another one has nothing else to do: it
  // waits here, one thread at a time, and hears it with fewer hand-overs. Returns once something
  // has been heard, or after `interrupt`; also without a reason.
  virtual void wait() = 0;
  // Any thread: `wait` returns, or the next call of it if there is none.
  virtual void interrupt() = 0;

  // So far; any thread, until `close`.
  virtual MeshTraffic sent() const = 0;

  // From now on a process may leave. What was sent before is delivered first.
  virtual void close() = 0;
};

// What a mesh is for.
struct MeshPlan {
  std::vector<ProcessPlace> processes;
  size_t self = 0;          // index of this process
  std::string agreement;    // stands for what is simulated: processes with another one are refused
  bool compressed = false;  // as the description wants it
};

using MeshFactory = std::function<std::unique_ptr<Mesh>(const MeshPlan &plan)>;

}  // namespace firesim
