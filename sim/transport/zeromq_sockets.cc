// SPDX-License-Identifier: BSD-3-Clause
//
// See zeromq_sockets.h.
#include "transport/zeromq_sockets.h"

#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "transport/zeromq_message.h"

namespace firesim {

namespace {

constexpr int kHeartbeatMs = 1000;
constexpr int kSilenceMs = 3000;
constexpr int kLingerMs = 5000;  // for what is still to be delivered when a process leaves
constexpr int kRefusals = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                          ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

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

int number_of(void *socket, int option) {
  int value = 0;
  size_t size = sizeof value;
  check(zmq_getsockopt(socket, option, &value, &size) == 0, "a socket says nothing of itself");
  return value;
}

}  // namespace

ZeroMqSockets::ZeroMqSockets(const std::vector<ProcessPlace> &places, size_t self)
    : places_(places), self_(self), sockets_(places.size()) {}

void ZeroMqSockets::open(const std::optional<MeshKeys> &keys) {
  context_ = zmq_ctx_new();
  check(context_ != nullptr, "no ZeroMQ context");
  if (keys) gate_ = std::make_unique<ZapGate>(context_);
  for (size_t process = 0; process < places_.size(); ++process) {
    if (process != self_) make(process, keys);
  }
}

ZeroMqSockets::~ZeroMqSockets() {
  for (const One &one : sockets_) {
    if (one.monitor != nullptr) zmq_close(one.monitor);
    if (one.socket != nullptr) zmq_close(one.socket);
  }
  gate_.reset();
  if (context_ == nullptr) return;
  while (zmq_ctx_term(context_) != 0 && zmq_errno() == EINTR) {  // a signal: not yet ended
  }
}

void ZeroMqSockets::make(size_t process, const std::optional<MeshKeys> &keys) {
  One &one = sockets_[process];
  one.mutex = std::make_unique<std::mutex>();
  one.socket = zmq_socket(context_, ZMQ_PAIR);
  check(one.socket != nullptr, "no ZeroMQ socket");
  set(one.socket, ZMQ_SNDHWM, 0);  // what is under way is bounded by the links' latencies
  set(one.socket, ZMQ_RCVHWM, 0);
  set(one.socket, ZMQ_LINGER, kLingerMs);
  set(one.socket, ZMQ_HEARTBEAT_IVL, kHeartbeatMs);
  set(one.socket, ZMQ_HEARTBEAT_TIMEOUT, kSilenceMs);
  one.descriptor = number_of(one.socket, ZMQ_FD);
  watch(one, process);
  const size_t binds = std::min(process, self_), connects = std::max(process, self_);
  const std::string endpoint =
      "tcp://" + places_[binds].host + ":" + std::to_string(places_[binds].port + connects);
  if (keys) use_keys(process, *keys, binds == self_);
  if (binds == self_) {
    check(zmq_bind(one.socket, endpoint.c_str()) == 0, "cannot listen at " + endpoint);
  } else {
    check(zmq_connect(one.socket, endpoint.c_str()) == 0, "cannot connect to " + endpoint);
  }
}

void ZeroMqSockets::watch(One &one, size_t process) {
  const std::string events = "inproc://events-" + std::to_string(process);
  check(zmq_socket_monitor(one.socket, events.c_str(), ZMQ_EVENT_DISCONNECTED | kRefusals) == 0,
        "a socket cannot be watched");
  one.monitor = zmq_socket(context_, ZMQ_PAIR);
  check(zmq_connect(one.monitor, events.c_str()) == 0, "a socket cannot be watched");
  one.monitor_descriptor = number_of(one.monitor, ZMQ_FD);
}

// The side that binds asks for the other one's key; the other one only talks to the owner of the
// secret that belongs to the public key it knows.
void ZeroMqSockets::use_keys(size_t process, const MeshKeys &keys, bool binds) {
  void *socket = sockets_[process].socket;
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

void ZeroMqSockets::send(size_t process, Message message) {
  const One &one = sockets_[process];
  const std::lock_guard lock(*one.mutex);
  give_message(one.socket, std::move(message));
}

bool ZeroMqSockets::has_come(size_t process) {
  const One &one = sockets_[process];
  const std::lock_guard lock(*one.mutex);
  return (number_of(one.socket, ZMQ_EVENTS) & ZMQ_POLLIN) != 0;
}

std::optional<Parcel> ZeroMqSockets::take(size_t process) {
  const One &one = sockets_[process];
  const std::lock_guard lock(*one.mutex);
  return take_message(one.socket);
}

// An event is two frames: its number and a value, and the address.
std::optional<uint16_t> ZeroMqSockets::take_event(size_t process) {
  void *monitor = sockets_[process].monitor;
  const std::optional<Parcel> frame = take_message(monitor);
  if (!frame) return std::nullopt;
  uint16_t event = 0;
  std::memcpy(&event, frame->bytes.data(), std::min(frame->bytes.size(), sizeof event));
  take_message(monitor);
  return event;
}

int ZeroMqSockets::gate_descriptor() const {
  return gate_ ? number_of(gate_->socket(), ZMQ_FD) : -1;
}

void ZeroMqSockets::set_linger_ms(size_t process, int linger_ms) {
  set(sockets_[process].socket, ZMQ_LINGER, linger_ms);
}

}  // namespace firesim
