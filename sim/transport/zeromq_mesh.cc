// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets, their thread, and what it hears; see zeromq_mesh.h.
#include "transport/zeromq_mesh.h"

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/model.h"
#include "transport/zap_gate.h"
#include "transport/zeromq_message.h"

namespace firesim {

namespace {

constexpr const char *kGreeting = "firesim mesh 1";
constexpr int kHeartbeatMs = 1000;
constexpr int kSilenceMs = 3000;
constexpr int kLingerMs = 5000;  // for what is still to be delivered when a process leaves
constexpr int kPartingMs = 500;
constexpr int kRefusals = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                          ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
constexpr const char *kGone = "its connection ended, or it was silent for 3 seconds";

void check(bool good, const std::string &what) {
  if (!good) throw std::runtime_error(what + ": " + zmq_strerror(zmq_errno()));
}

void set(void *socket, int option, int value) {
  check(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "a socket takes no option");
}

void set_text(void *socket, int option, const std::string &value) {
  check(zmq_setsockopt(socket, option, value.c_str(), value.size() + 1) == 0,
        "a socket takes no key");
}

// The number of the next event of a monitor, or nothing. An event is two frames: its number and a
// value, and the address.
std::optional<uint16_t> take_event(void *monitor) {
  std::optional<uint16_t> event;
  take_message(monitor, [&](std::span<const uint8_t> frame) {
    event.emplace();
    std::memcpy(&*event, frame.data(), std::min(frame.size(), sizeof *event));
  });
  if (event) take_message(monitor, [](std::span<const uint8_t>) {});
  return event;
}

void check_hosts(const std::vector<ProcessPlace> &places, bool with_keys) {
  for (const ProcessPlace &place : places) {
    in_addr address;
    const std::string found = "process " + place.name + ": \"host\" is \"" + place.host + "\"";
    if (inet_pton(AF_INET, place.host.c_str(), &address) != 1) {
      throw DescriptionError(found + ", expected an IPv4 address");
    }
    if (with_keys || (ntohl(address.s_addr) >> 24) == IN_LOOPBACKNET) continue;
    throw DescriptionError(found + " and there are no keys (--keys FILE), expected an address of " +
                           "this computer, 127.x.x.x");
  }
}

void check_keys(const std::vector<ProcessPlace> &places, size_t self, const MeshKeys &keys) {
  if (keys.process != places[self].name) {
    throw DescriptionError("process " + places[self].name + ": found the keys of process " +
                           keys.process + ", expected its own");
  }
  for (const ProcessPlace &place : places) {
    if (keys.public_keys.contains(place.name)) continue;
    throw DescriptionError("process " + places[self].name + ": found no public key of process " +
                           place.name + ", expected one in its keys");
  }
}

struct Other {
  void *socket = nullptr;
  void *monitor = nullptr;
  bool greeted = false;
  bool gone = false;
  bool refused = false;  // somebody with another key was there
};

class ZeroMqMesh final : public Mesh {
 public:
  ZeroMqMesh(const std::vector<ProcessPlace> &processes, size_t self, const std::string &agreement,
             const ZeroMqOptions &options)
      : places_(processes),
        self_(self),
        greeting_(std::string(kGreeting) + "\n" + agreement),
        options_(options),
        others_(processes.size()),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    check_hosts(places_, options_.keys.has_value());
    if (options_.keys) check_keys(places_, self_, *options_.keys);
  }
  ~ZeroMqMesh() override {
    close();
    ::close(wake_);
  }

  void open(Listener listener) override;
  void send(size_t process, Message message) override;
  void close() override;

 private:
  void make_sockets();
  void make_socket(size_t process);
  void use_keys(size_t process, bool binds);
  void fail_to_open(const std::string &problem);
  void serve();
  void send_waiting();
  void hear(size_t process);
  void watch(size_t process);
  void greet(size_t process, std::span<const uint8_t> message);
  void wake() const {
    const uint64_t one = 1;
    static_cast<void>(!write(wake_, &one, sizeof one));
  }

  const std::vector<ProcessPlace> places_;
  const size_t self_;
  const std::string greeting_;
  const ZeroMqOptions options_;
  Listener listener_;
  void *context_ = nullptr;
  std::unique_ptr<ZapGate> gate_;  // with keys
  std::vector<Other> others_;      // of the thread, once it runs; that of this process is not used
  const int wake_;
  std::thread thread_;
  std::atomic<bool> closing_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<std::pair<size_t, Message>> waiting_;
  size_t greeted_ = 0;
  std::string problem_;  // why the mesh could not be opened
};

void ZeroMqMesh::make_sockets() {
  context_ = zmq_ctx_new();
  check(context_ != nullptr, "no ZeroMQ context");
  if (options_.keys) gate_ = std::make_unique<ZapGate>(context_);
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process != self_) make_socket(process);
  }
}

void ZeroMqMesh::make_socket(size_t process) {
  Other &other = others_[process];
  other.socket = zmq_socket(context_, ZMQ_PAIR);
  check(other.socket != nullptr, "no ZeroMQ socket");
  set(other.socket, ZMQ_SNDHWM, 0);  // what is under way is bounded by the links' latencies
  set(other.socket, ZMQ_RCVHWM, 0);
  set(other.socket, ZMQ_LINGER, kLingerMs);
  set(other.socket, ZMQ_HEARTBEAT_IVL, kHeartbeatMs);
  set(other.socket, ZMQ_HEARTBEAT_TIMEOUT, kSilenceMs);
  const std::string events = "inproc://events-" + std::to_string(process);
  check(zmq_socket_monitor(other.socket, events.c_str(), ZMQ_EVENT_DISCONNECTED | kRefusals) == 0,
        "a socket cannot be watched");
  other.monitor = zmq_socket(context_, ZMQ_PAIR);
  check(zmq_connect(other.monitor, events.c_str()) == 0, "a socket cannot be watched");
  const size_t binds = std::min(process, self_), connects = std::max(process, self_);
  const std::string endpoint =
      "tcp://" + places_[binds].host + ":" + std::to_string(places_[binds].port + connects);
  if (options_.keys) use_keys(process, binds == self_);
  if (binds == self_) {
    check(zmq_bind(other.socket, endpoint.c_str()) == 0, "cannot listen at " + endpoint);
  } else {
    check(zmq_connect(other.socket, endpoint.c_str()) == 0, "cannot connect to " + endpoint);
    // The other side answers with its own.
    check(zmq_send(other.socket, greeting_.data(), greeting_.size(), 0) >= 0, "cannot greet");
  }
}

// The side that binds asks for the other one's key; the other one only talks to the owner of the
// secret that belongs to the public key it knows.
void ZeroMqMesh::use_keys(size_t process, bool binds) {
  void *socket = others_[process].socket;
  const MeshKeys &keys = *options_.keys;
  const std::string &far = keys.public_keys.at(places_[process].name);
  set_text(socket, ZMQ_CURVE_SECRETKEY, keys.secret);
  if (binds) {
    set(socket, ZMQ_CURVE_SERVER, 1);
    gate_->guard(socket, std::to_string(process), far);
  } else {
    set_text(socket, ZMQ_CURVE_PUBLICKEY, keys.public_keys.at(keys.process));
    set_text(socket, ZMQ_CURVE_SERVERKEY, far);
  }
}

void ZeroMqMesh::open(Listener listener) {
  listener_ = std::move(listener);
  make_sockets();
  thread_ = std::thread([this] { serve(); });
  std::unique_lock lock(mutex_);
  const auto timeout = std::chrono::duration<double>(options_.open_timeout_s);
  const bool complete = changed_.wait_for(
      lock, timeout, [this] { return !problem_.empty() || greeted_ + 1 == places_.size(); });
  if (!problem_.empty()) throw std::runtime_error(problem_);
  if (complete) return;
  std::string silent;
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process == self_ || others_[process].greeted) continue;
    silent += (silent.empty() ? "" : ", ") + places_[process].name + " on " + places_[process].host;
    if (others_[process].refused) silent += " (somebody with another key was refused)";
  }
  throw std::runtime_error("no answer within " +
                           std::to_string(static_cast<int>(options_.open_timeout_s)) +
                           " seconds from process " + silent);
}

void ZeroMqMesh::send(size_t process, Message message) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(process, std::move(message));
    if (waiting_.size() > 1) return;  // the thread is being woken already
  }
  wake();
}

void ZeroMqMesh::close() {
  if (!thread_.joinable()) return;
  closing_ = true;
  wake();
  thread_.join();
  for (const Other &other : others_) {
    if (other.socket == nullptr) continue;
    // Who is gone takes nothing any more; who has not come may still want to know why we leave.
    if (other.gone || !other.greeted) set(other.socket, ZMQ_LINGER, other.gone ? 0 : kPartingMs);
    zmq_close(other.monitor);
    zmq_close(other.socket);
  }
  gate_.reset();
  zmq_ctx_term(context_);
}

void ZeroMqMesh::send_waiting() {
  uint64_t count = 0;
  static_cast<void>(!read(wake_, &count, sizeof count));
  std::vector<std::pair<size_t, Message>> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(waiting_);
  }
  for (auto &[process, message] : messages) {
    if (!others_[process].gone) give_message(others_[process].socket, std::move(message));
  }
}

void ZeroMqMesh::serve() {
  std::vector<zmq_pollitem_t> items{{nullptr, wake_, ZMQ_POLLIN, 0}};
  std::vector<size_t> processes;
  for (size_t process = 0; process < others_.size(); ++process) {
    if (process == self_) continue;
    processes.push_back(process);
    items.push_back({others_[process].socket, 0, ZMQ_POLLIN, 0});
    items.push_back({others_[process].monitor, 0, ZMQ_POLLIN, 0});
  }
  if (gate_) items.push_back({gate_->socket(), 0, ZMQ_POLLIN, 0});
  while (!closing_) {
    zmq_poll(items.data(), static_cast<int>(items.size()), -1);
    send_waiting();
    if (gate_) {
      gate_->answer([this](const std::string &domain) {
        const std::lock_guard lock(mutex_);
        others_[std::stoul(domain)].refused = true;
      });
    }
    for (size_t i = 0; i < processes.size(); ++i) {
      // What was sent before a connection ended is heard first.
      if ((items[1 + 2 * i].revents & ZMQ_POLLIN) != 0) hear(processes[i]);
      if ((items[2 + 2 * i].revents & ZMQ_POLLIN) != 0) watch(processes[i]);
    }
  }
  send_waiting();
}

void ZeroMqMesh::hear(size_t process) {
  Other &other = others_[process];
  while (take_message(other.socket, [&](std::span<const uint8_t> message) {
    if (other.greeted) {
      listener_.received(process, message);
    } else {
      greet(process, message);
    }
  })) {
  }
}

void ZeroMqMesh::greet(size_t process, std::span<const uint8_t> message) {
  const std::string text(reinterpret_cast<const char *>(message.data()), message.size());
  if (process > self_) zmq_send(others_[process].socket, greeting_.data(), greeting_.size(), 0);
  if (text != greeting_) {
    return fail_to_open("process " + places_[process].name + " on " + places_[process].host +
                        " simulates another description, or is of another version of the " +
                        "simulator");
  }
  const std::lock_guard lock(mutex_);
  others_[process].greeted = true;
  ++greeted_;
  changed_.notify_all();
}

void ZeroMqMesh::fail_to_open(const std::string &problem) {
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) problem_ = problem;
  changed_.notify_all();
}

void ZeroMqMesh::watch(size_t process) {
  Other &other = others_[process];
  bool ended = false;
  while (const auto event = take_event(other.monitor)) {
    if (*event == ZMQ_EVENT_DISCONNECTED) {
      ended = true;
    } else if (!other.greeted && process < self_ && *event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
      fail_to_open("process " + places_[process].name + " on " + places_[process].host +
                   " refused the key of this process");
    } else if (!other.greeted) {
      const std::lock_guard lock(mutex_);
      other.refused = true;
    }
  }
  if (!ended || !other.greeted || other.gone) return;
  hear(process);
  other.gone = true;
  if (!closing_) listener_.lost(process, kGone);
}

}  // namespace

std::unique_ptr<Mesh> make_zeromq_mesh(const std::vector<ProcessPlace> &processes, size_t self,
                                       const std::string &agreement, const ZeroMqOptions &options) {
  return std::make_unique<ZeroMqMesh>(processes, self, agreement, options);
}

}  // namespace firesim
