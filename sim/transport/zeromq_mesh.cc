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

namespace firesim {

namespace {

constexpr const char *kGreeting = "firesim mesh 1";
constexpr int kHeartbeatMs = 1000;
constexpr int kSilenceMs = 3000;
constexpr int kLingerMs = 5000;  // for what is still to be delivered when a process leaves
constexpr const char *kGone = "its connection ended, or it was silent for 3 seconds";

void check(bool good, const std::string &what) {
  if (!good) throw std::runtime_error(what + ": " + zmq_strerror(zmq_errno()));
}

void set(void *socket, int option, int value) {
  check(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "a socket takes no option");
}

// Gives the whole next message to `use`; false when there is none.
template <typename Use>
bool take_message(void *socket, Use use) {
  zmq_msg_t message;
  zmq_msg_init(&message);
  const bool found = zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0;
  if (found) {
    use(std::span(static_cast<const uint8_t *>(zmq_msg_data(&message)), zmq_msg_size(&message)));
  }
  zmq_msg_close(&message);
  return found;
}

struct Other {
  void *socket = nullptr;
  void *monitor = nullptr;
  bool greeted = false;
  bool gone = false;
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
    for (const ProcessPlace &place : places_) {
      in_addr address;
      if (inet_pton(AF_INET, place.host.c_str(), &address) == 1) continue;
      throw DescriptionError("process " + place.name + ": \"host\" is \"" + place.host +
                             "\", expected an IPv4 address");
    }
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
  std::vector<Other> others_;  // of the thread, once it runs; that of this process is not used
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
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process == self_) continue;
    Other &other = others_[process];
    other.socket = zmq_socket(context_, ZMQ_PAIR);
    check(other.socket != nullptr, "no ZeroMQ socket");
    set(other.socket, ZMQ_SNDHWM, 0);  // what is under way is bounded by the links' latencies
    set(other.socket, ZMQ_RCVHWM, 0);
    set(other.socket, ZMQ_LINGER, kLingerMs);
    set(other.socket, ZMQ_HEARTBEAT_IVL, kHeartbeatMs);
    set(other.socket, ZMQ_HEARTBEAT_TIMEOUT, kSilenceMs);
    const std::string events = "inproc://events-" + std::to_string(process);
    check(zmq_socket_monitor(other.socket, events.c_str(), ZMQ_EVENT_DISCONNECTED) == 0,
          "a socket cannot be watched");
    other.monitor = zmq_socket(context_, ZMQ_PAIR);
    check(zmq_connect(other.monitor, events.c_str()) == 0, "a socket cannot be watched");
    const size_t binds = std::min(process, self_), connects = std::max(process, self_);
    const std::string endpoint =
        "tcp://" + places_[binds].host + ":" + std::to_string(places_[binds].port + connects);
    if (binds == self_) {
      check(zmq_bind(other.socket, endpoint.c_str()) == 0, "cannot listen at " + endpoint);
    } else {
      check(zmq_connect(other.socket, endpoint.c_str()) == 0, "cannot connect to " + endpoint);
      // The other side answers with its own.
      check(zmq_send(other.socket, greeting_.data(), greeting_.size(), 0) >= 0, "cannot greet");
    }
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
    if (other.monitor != nullptr) zmq_close(other.monitor);
    if (other.socket != nullptr) zmq_close(other.socket);
  }
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
  for (const auto &[process, message] : messages) {
    if (others_[process].gone) continue;
    // A connection that has just ended is reported by its monitor.
    zmq_send(others_[process].socket, message.data(), message.size(), ZMQ_DONTWAIT);
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
  while (!closing_) {
    zmq_poll(items.data(), static_cast<int>(items.size()), -1);
    send_waiting();
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
  const std::lock_guard lock(mutex_);
  if (text == greeting_) {
    others_[process].greeted = true;
    ++greeted_;
  } else {
    problem_ = "process " + places_[process].name + " on " + places_[process].host +
               " simulates another description, or is of another version of the simulator";
  }
  changed_.notify_all();
}

void ZeroMqMesh::watch(size_t process) {
  Other &other = others_[process];
  bool ended = false;
  // An event is two frames: its number, and the address.
  while (take_message(other.monitor, [](std::span<const uint8_t>) {})) ended = true;
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
