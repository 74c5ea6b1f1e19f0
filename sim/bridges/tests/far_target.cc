// SPDX-License-Identifier: BSD-3-Clause
// The process of a far target, and the wire to it; see far_target.h.
#include "far_target.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "bridges/driver.h"

namespace firesim::bridges {
namespace {

void send_all(int socket, const void *data, size_t bytes) {
  if (::send(socket, data, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) {
    throw std::runtime_error("the far target does not take what it is sent");
  }
}

// False at the end of the stream.
bool receive_all(int socket, void *data, size_t bytes) {
  return bytes == 0 || ::recv(socket, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

struct Header {
  uint32_t cycles, count;
};

uint64_t value_of(const FiresimPort &port) { return OutputPort(port)(); }

void put(const FiresimPort &port, uint64_t value) {
  std::memcpy(port.storage, &value, port_bytes(port.width_bits));
}

// What runs in the other process: a model, and which of its outputs wake a driver.
class Target {
 public:
  Target(const std::string &library, const Manifest &manifest)
      : model_(library, manifest.design_hash, "far target") {
    for (const auto &[name, port] : model_.ports()) (port.is_input ? ins_ : outs_).push_back(port);
    for (const BridgeInfo &bridge : manifest.bridges) {
      for (const auto &[name, wake] : bridge.wakes) {
        wakes_.emplace_back(OutputPort(model_.ports().at(bridge.ports.at(name))), wake);
      }
    }
  }

  OutputBatch run(uint32_t cycles, const std::vector<InputChange> &changes) {
    OutputBatch batch{};
    auto change = changes.begin();
    bool stop = false;
    while (!stop) {
      const uint32_t offset = batch.cycles++;
      for (; change != changes.end() && change->offset <= offset; ++change) {
        put(ins_[change->port], change->value);
      }
      model_.settle();
      stop = batch.cycles == cycles;
      bool seen = false;
      for (const auto &[port, wake] : wakes_) {
        if (port() == 0) continue;
        seen = true;
        stop = stop || wake == Wake::kAnswer;
      }
      if (seen || stop) {
        batch.rows.push_back({offset, {}});
        for (const FiresimPort &port : outs_) batch.rows.back().values.push_back(value_of(port));
      }
      model_.tick();
    }
    return batch;
  }

  void serve(int socket) {
    Header header;
    while (receive_all(socket, &header, sizeof header)) {
      std::vector<InputChange> changes(header.count);
      if (!receive_all(socket, changes.data(), changes.size() * sizeof(InputChange))) return;
      const OutputBatch batch = run(header.cycles, changes);
      header = {batch.cycles, static_cast<uint32_t>(batch.rows.size())};
      send_all(socket, &header, sizeof header);
      for (const OutputRow &row : batch.rows) {
        send_all(socket, &row.offset, sizeof row.offset);
        send_all(socket, row.values.data(), row.values.size() * 8);
      }
    }
  }

 private:
  ModelInstance model_;
  std::vector<FiresimPort> ins_, outs_;
  std::vector<std::pair<OutputPort, Wake>> wakes_;
};

}  // namespace

FarTarget::FarTarget(const std::string &library, const Manifest &manifest) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) throw std::runtime_error("socketpair");
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("fork");
  if (process_ == 0) {
    close(sockets[0]);
    try {
      Target(library, manifest).serve(sockets[1]);
    } catch (const std::exception &) {
      _exit(1);  // this end of the wire closes, which the other one tells
    }
    _exit(0);
  }
  close(sockets[1]);
  socket_ = sockets[0];
  const ModelInstance model(library, manifest.design_hash, "far target");
  for (const auto &[name, port] : model.ports()) outputs_ += port.is_input ? 0 : 1;
}

FarTarget::~FarTarget() {
  close(socket_);
  waitpid(process_, nullptr, 0);
}

OutputBatch FarTarget::run(uint32_t cycles, const std::vector<InputChange> &changes) {
  Header header{cycles, static_cast<uint32_t>(changes.size())};
  send_all(socket_, &header, sizeof header);
  send_all(socket_, changes.data(), changes.size() * sizeof(InputChange));
  const auto receive = [this](void *data, size_t bytes) {
    if (!receive_all(socket_, data, bytes)) throw std::runtime_error("the far target is gone");
  };
  receive(&header, sizeof header);
  OutputBatch batch{header.cycles, std::vector<OutputRow>(header.count)};
  for (OutputRow &row : batch.rows) {
    receive(&row.offset, sizeof row.offset);
    row.values.resize(outputs_);
    receive(row.values.data(), outputs_ * 8);
  }
  return batch;
}

}  // namespace firesim::bridges
