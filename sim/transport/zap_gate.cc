// SPDX-License-Identifier: BSD-3-Clause
//
// See zap_gate.h.
#include "transport/zap_gate.h"

#include <zmq.h>

#include <stdexcept>

#include "transport/mesh_keys.h"

namespace firesim {

namespace {

// Frames of a request, in this order.
enum Frame { kVersion, kRequestId, kDomain, kAddress, kIdentity, kMechanism, kKey, kFrames };

void send_frames(void *socket, const std::vector<std::string> &frames) {
  for (size_t i = 0; i < frames.size(); ++i) {
    const int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
    zmq_send(socket, frames[i].data(), frames[i].size(), more | ZMQ_DONTWAIT);
  }
}

}  // namespace

ZapGate::ZapGate(void *context) : socket_(zmq_socket(context, ZMQ_REP)) {
  const int none = 0;
  if (socket_ == nullptr || zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof none) != 0 ||
      zmq_bind(socket_, "inproc://zeromq.zap.01") != 0) {
    throw std::runtime_error(std::string("no authentication: ") + zmq_strerror(zmq_errno()));
  }
}

ZapGate::~ZapGate() { zmq_close(socket_); }

void ZapGate::guard(void *socket, const std::string &domain, const std::string &public_key) {
  std::vector<uint8_t> &key = keys_[domain];
  key.resize(kKeyBytes);
  zmq_z85_decode(key.data(), public_key.c_str());
  if (zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, domain.data(), domain.size()) != 0) {
    throw std::runtime_error(std::string("no authentication: ") + zmq_strerror(zmq_errno()));
  }
}

void ZapGate::answer(const std::function<void(const std::string &domain)> &refused) {
  while (answer_one(refused)) {
  }
}

bool ZapGate::answer_one(const std::function<void(const std::string &domain)> &refused) {
  std::vector<std::string> frames;
  for (int more = 1; more != 0;) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    if (zmq_msg_recv(&message, socket_, ZMQ_DONTWAIT) < 0) return false;
    frames.emplace_back(static_cast<const char *>(zmq_msg_data(&message)), zmq_msg_size(&message));
    more = zmq_msg_more(&message);
    zmq_msg_close(&message);
  }
  const auto expected = frames.size() == kFrames ? keys_.find(frames[kDomain]) : keys_.end();
  const bool good = expected != keys_.end() && frames[kMechanism] == "CURVE" &&
                    frames[kKey] == std::string(expected->second.begin(), expected->second.end());
  const std::string id = frames.size() > kRequestId ? frames[kRequestId] : "";
  send_frames(socket_, {"1.0", id, good ? "200" : "400", good ? "OK" : "another key", "", ""});
  if (!good && expected != keys_.end()) refused(frames[kDomain]);
  return true;
}

}  // namespace firesim
