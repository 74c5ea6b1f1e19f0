// SPDX-License-Identifier: BSD-3-Clause
//
// Who hears what the sockets bring, and what is made of it; see zeromq_mesh.h.
#include "transport/zeromq_mesh.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/model.h"
#include "transport/zeromq_sockets.h"

namespace firesim {

namespace {

constexpr const char *kGreeting = "firesim mesh 2";
constexpr int kPartingMs = 500;
constexpr const char *kGone = "its connection ended, or it was silent for 3 seconds";
// While others wait for messages, the thread of the mesh looks after them that often: the others
// may all be busy for long.
constexpr int kLookAfterMs = 50;

// Messages come and go as long as the run lasts, some of them of megabytes: if their memory were
// given back each time, every round would pay for fresh pages (a tenth of one with 256 busy links).
void keep_memory() {
  constexpr int kLargestMessageBytes = 32 << 20;  // the most that mallopt takes
  constexpr int kKeptBytes = 256 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestMessageBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
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

// Wakes a thread that polls it.
class Bell {
 public:
  Bell() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() { ::close(descriptor_); }
  Bell(const Bell &) = delete;
  Bell &operator=(const Bell &) = delete;

  int descriptor() const { return descriptor_; }
  void ring() const {
    const uint64_t one = 1;
    static_cast<void>(!write(descriptor_, &one, sizeof one));
  }
  void silence() const {
    uint64_t count = 0;
    static_cast<void>(!read(descriptor_, &count, sizeof count));
  }

 private:
  const int descriptor_;
};

struct Other {
  bool greeted = false;  // by the other one, with the right greeting
  bool refused = false;  // somebody in its place, with another key
  std::atomic<bool> gone{false};
};

class ZeroMqMesh final : public Mesh {
 public:
  ZeroMqMesh(const MeshPlan &plan, const ZeroMqOptions &options)
      : places_(plan.processes),
        self_(plan.self),
        greeting_(std::string(kGreeting) + "\n" + plan.agreement),
        options_(options),
        sockets_(std::make_unique<ZeroMqSockets>(places_, self_)),
        others_(places_.size()) {
    check_hosts(places_, options_.keys.has_value());
    if (options_.keys) check_keys(places_, self_, *options_.keys);
  }
  ~ZeroMqMesh() override { close(); }

  void open(Listener listener) override;
  void send(size_t process, Message message) override;
  void wait() override;
  void interrupt() override { waiter_bell_.ring(); }
  MeshTraffic sent() const override { return {messages_, bytes_, bytes_}; }
  void close() override;

 private:
  void send_greeting(size_t process) {
    sockets_->send(process, Message(greeting_.begin(), greeting_.end()));
  }
  void fail_to_open(const std::string &problem);
  void serve();
  bool others_wait();
  bool hear_all();
  bool hear(size_t process);
  void watch_all();
  void watch(size_t process);
  void greet(size_t process, std::span<const uint8_t> message);

  const std::vector<ProcessPlace> places_;
  const size_t self_;
  const std::string greeting_;
  const ZeroMqOptions options_;
  Listener listener_;
  std::unique_ptr<ZeroMqSockets> sockets_;  // null once the mesh is closed
  std::vector<Other> others_;               // by process; that of this one is not used
  std::thread thread_;
  std::atomic<bool> closing_{false};
  std::atomic<uint64_t> messages_{0}, bytes_{0};  // sent

  // Who polls the sockets, or is about to: it takes all that is there only after it has said so.
  std::atomic<bool> thread_listens_{false};
  std::atomic<bool> waiter_listens_{false};
  std::atomic<uint64_t> waits_{0};  // calls of `wait`
  uint64_t waits_seen_ = 0;         // by the thread of the mesh
  Bell thread_bell_;
  Bell waiter_bell_;
  std::mutex hearing_;  // held while messages are taken and told: so they are told in their order

  std::mutex mutex_;  // guards what follows, and `greeted` and `refused` of others
  std::condition_variable changed_;
  size_t greeted_ = 0;
  std::string problem_;  // why the mesh could not be opened
};

void ZeroMqMesh::open(Listener listener) {
  listener_ = std::move(listener);
  keep_memory();
  sockets_->open(options_.keys);
  // The side that connects greets first; the other one answers with its own.
  for (size_t process = 0; process < self_; ++process) send_greeting(process);
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
  if (others_[process].gone.load(std::memory_order_relaxed)) return;
  messages_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(message.size(), std::memory_order_relaxed);
  sockets_->send(process, std::move(message));
  // Who polls may have missed what has come meanwhile; see zeromq_sockets.h.
  const bool waiter = waiter_listens_, thread = thread_listens_;
  if (!(waiter || thread) || !sockets_->has_come(process)) return;
  (waiter ? waiter_bell_ : thread_bell_).ring();
}

void ZeroMqMesh::wait() {
  ++waits_;
  waiter_listens_ = true;
  if (!hear_all()) {
    std::vector<pollfd> polled{{waiter_bell_.descriptor(), POLLIN, 0}};
    for (size_t process = 0; process < others_.size(); ++process) {
      if (process == self_ || others_[process].gone) continue;
      polled.push_back({sockets_->descriptor(process), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) waiter_bell_.silence();
    hear_all();
  }
  waiter_listens_ = false;
}

void ZeroMqMesh::close() {
  if (!thread_.joinable()) return;
  closing_ = true;
  thread_bell_.ring();
  thread_.join();
  for (size_t process = 0; process < others_.size(); ++process) {
    const Other &other = others_[process];
    if (process == self_ || (other.greeted && !other.gone)) continue;
    // Who is gone takes nothing any more; who has not come may still want to know why we leave.
    sockets_->set_linger_ms(process, other.gone ? 0 : kPartingMs);
  }
  sockets_.reset();
}

// Has another thread waited for messages since the last time?
bool ZeroMqMesh::others_wait() {
  const uint64_t waits = waits_;
  return waiter_listens_ || std::exchange(waits_seen_, waits) != waits;
}

void ZeroMqMesh::serve() {
  const int gate = sockets_->gate_descriptor();
  while (!closing_) {
    const bool leaves_it = others_wait();
    thread_listens_ = !leaves_it;
    std::vector<pollfd> polled{{thread_bell_.descriptor(), POLLIN, 0}};
    if (gate >= 0) polled.push_back({gate, POLLIN, 0});
    for (size_t process = 0; process < others_.size(); ++process) {
      if (process == self_) continue;
      polled.push_back({sockets_->monitor_descriptor(process), POLLIN, 0});
      if (!leaves_it) polled.push_back({sockets_->descriptor(process), POLLIN, 0});
    }
    watch_all();
    // Whoever waits finds nothing any more, and may have something to do nevertheless.
    if (hear_all()) waiter_bell_.ring();
    poll(polled.data(), polled.size(), leaves_it ? kLookAfterMs : -1);
    if (polled[0].revents != 0) thread_bell_.silence();
  }
}

// True if there was a message.
bool ZeroMqMesh::hear_all() {
  bool heard = false;
  const std::lock_guard lock(hearing_);
  for (size_t process = 0; process < others_.size(); ++process) {
    if (process != self_) heard = hear(process) || heard;
  }
  return heard;
}

// Guarded by hearing_.
bool ZeroMqMesh::hear(size_t process) {
  bool heard = false;
  while (const std::optional<Parcel> message = sockets_->take(process)) {
    heard = true;
    if (others_[process].greeted) {
      listener_.received(process, *message);
    } else {
      greet(process, message->bytes);
    }
  }
  return heard;
}

void ZeroMqMesh::greet(size_t process, std::span<const uint8_t> message) {
  const std::string text(reinterpret_cast<const char *>(message.data()), message.size());
  if (process > self_) send_greeting(process);
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

void ZeroMqMesh::watch_all() {
  if (ZapGate *gate = sockets_->gate()) {
    gate->answer([this](const std::string &domain) {
      const std::lock_guard lock(mutex_);
      others_[std::stoul(domain)].refused = true;
    });
  }
  for (size_t process = 0; process < others_.size(); ++process) {
    if (process != self_) watch(process);
  }
}

void ZeroMqMesh::watch(size_t process) {
  Other &other = others_[process];
  bool ended = false;
  while (const auto event = sockets_->take_event(process)) {
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
  if (!ended || other.gone) return;
  // What was sent before the connection ended is heard first.
  const std::lock_guard lock(hearing_);
  hear(process);
  if (!other.greeted) return;
  other.gone = true;
  if (!closing_) listener_.lost(process, kGone);
  waiter_bell_.ring();
}

}  // namespace

std::unique_ptr<Mesh> make_zeromq_mesh(const MeshPlan &plan, const ZeroMqOptions &options) {
  return std::make_unique<ZeroMqMesh>(plan, options);
}

}  // namespace firesim
