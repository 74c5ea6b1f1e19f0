// SPDX-License-Identifier: BSD-3-Clause
//
// What the bare engine below the mesh takes: round trips of a message between two processes over a
// ZeroMQ PAIR socket and TCP on loopback, each waiting for its descriptor as the mesh does.
//
//   pair-bench ROUNDS BYTES    prints {"median_us": …, "p99_us": …, "mean_us": …}
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace {

void fail(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
  std::_Exit(1);
}

void take(void *socket, std::vector<char> &message) {
  zmq_pollitem_t item{socket, 0, ZMQ_POLLIN, 0};
  while (zmq_recv(socket, message.data(), message.size(), ZMQ_DONTWAIT) < 0) {
    if (zmq_poll(&item, 1, -1) < 0) fail("poll");
  }
}

void give(void *socket, const std::vector<char> &message) {
  if (zmq_send(socket, message.data(), message.size(), 0) < 0) fail("send");
}

int echo(int endpoint_pipe, size_t rounds, size_t bytes) {
  char endpoint[256] = {};
  if (read(endpoint_pipe, endpoint, sizeof endpoint - 1) <= 0) return 1;
  void *context = zmq_ctx_new();
  void *socket = zmq_socket(context, ZMQ_PAIR);
  if (zmq_connect(socket, endpoint) != 0) fail(endpoint);
  std::vector<char> message(bytes);
  for (size_t i = 0; i < rounds; ++i) {
    take(socket, message);
    give(socket, message);
  }
  zmq_close(socket);
  zmq_ctx_term(context);
  return 0;
}

std::vector<double> measure(int endpoint_pipe, size_t rounds, size_t bytes) {
  void *context = zmq_ctx_new();
  void *socket = zmq_socket(context, ZMQ_PAIR);
  if (zmq_bind(socket, "tcp://127.0.0.1:*") != 0) fail("bind");
  char endpoint[256];
  size_t length = sizeof endpoint;
  zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &length);
  if (write(endpoint_pipe, endpoint, length) < 0) fail("pipe");
  std::vector<char> message(bytes);
  std::vector<double> times_us;
  for (size_t i = 0; i < rounds; ++i) {
    const auto before = std::chrono::steady_clock::now();
    give(socket, message);
    take(socket, message);
    const std::chrono::duration<double, std::micro> took =
        std::chrono::steady_clock::now() - before;
    times_us.push_back(took.count());
  }
  zmq_close(socket);
  zmq_ctx_term(context);
  return times_us;
}

}  // namespace

int main(int argc, char **argv) {
  const size_t rounds = argc == 3 ? std::strtoul(argv[1], nullptr, 10) : 0;
  const size_t bytes = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
  int ends[2];
  if (rounds == 0 || bytes == 0 || pipe(ends) != 0) {
    std::fprintf(stderr, "usage: pair-bench ROUNDS BYTES\n");
    return 2;
  }
  const pid_t other = fork();
  if (other == 0) _exit(echo(ends[0], rounds, bytes));
  std::vector<double> times_us = measure(ends[1], rounds, bytes);
  int status = 0;
  waitpid(other, &status, 0);
  if (status != 0) return 1;
  const double mean_us =
      std::accumulate(times_us.begin(), times_us.end(), 0.0) / static_cast<double>(rounds);
  std::sort(times_us.begin(), times_us.end());
  std::printf("{\"median_us\": %.3f, \"p99_us\": %.3f, \"mean_us\": %.3f}\n", times_us[rounds / 2],
              times_us[rounds * 99 / 100], mean_us);
  return 0;
}
