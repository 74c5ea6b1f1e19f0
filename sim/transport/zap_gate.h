// SPDX-License-Identifier: BSD-3-Clause
//
// Asks everyone who connects for the key of the one process that is expected there: the answering
// side of ZeroMQ's authentication protocol (ZAP, RFC 27), inside this process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace firesim {

class ZapGate {
 public:
  // Of a ZeroMQ context, before its first socket is bound. Throws std::runtime_error.
  explicit ZapGate(void *context);
  ~ZapGate();
  ZapGate(const ZapGate &) = delete;
  ZapGate &operator=(const ZapGate &) = delete;

  // Before it is bound: who connects to this socket must have this public key, in Z85.
  void guard(void *socket, const std::string &domain, const std::string &public_key);

  void *socket() const { return socket_; }  // to be polled
  // Answers all that has been asked; calls `refused` with the domain for each wrong key.
  void answer(const std::function<void(const std::string &domain)> &refused);

 private:
  bool answer_one(const std::function<void(const std::string &domain)> &refused);

  void *socket_;
  std::map<std::string, std::vector<uint8_t>> keys_;  // by domain
};

}  // namespace firesim
