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

struct ProcessPlace {
  std::string name;
  std::string host;      // name or address
  uint16_t port = 0;     // the first of as many as there are processes
  uint32_t threads = 0;  // worker threads; 0: as the description says for all
};

class Mesh {
 public:
  // Called by a thread of the mesh, one at a time.
  struct Listener {
    std::function<void(size_t process, std::span<const uint8_t> message)> received;
    // The other process, its host or the way to it is gone; `why` is for a person.
    std::function<void(size_t process, const std::string &why)> lost;
  };

  virtual ~Mesh() = default;

  // Returns when all processes have found each other and agree on what they simulate. Throws
  // std::runtime_error naming the one that did not answer in time, or that does not agree.
  virtual void open(Listener listener) = 0;

  // Any thread, after `open`; does not wait.
  virtual void send(size_t process, Message message) = 0;

  // From now on a process may leave. What was sent before is delivered first.
  virtual void close() = 0;
};

// `self` is the index of this process. Those with another `agreement` are refused: it stands for
// what is simulated.
using MeshFactory = std::function<std::unique_ptr<Mesh>(const std::vector<ProcessPlace> &processes,
                                                        size_t self, const std::string &agreement)>;

}  // namespace firesim
