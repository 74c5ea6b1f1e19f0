// SPDX-License-Identifier: BSD-3-Clause
//
// See chaos_mesh.h.
#include "transport/chaos_mesh.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/token_message.h"

namespace firesim {

namespace {

using Clock = std::chrono::steady_clock;

// More than the targets of tests have between two processes.
constexpr size_t kMostLinks = 1024;

struct Waiting {
  Clock::time_point due;
  Message message;
};

struct Queue {
  std::mt19937_64 random;
  std::deque<Waiting> messages;  // in the order in which they were sent, and come due
};

bool has_tokens(const Message &message) { return kind_of(message) == MessageKind::kTokens; }

// What has ended is told with the first part: it was known before the tokens of either.
std::pair<Message, Message> cut(const TokenMessage &whole, uint32_t at) {
  std::vector<Batch> first = whole.links, second(whole.links.size());
  for (size_t link = 0; link < first.size(); ++link) first[link].split(at, second[link]);
  return {encode_tokens(whole.start_cycle, at, whole.ends, first),
          encode_tokens(whole.start_cycle + at, whole.cycles - at, {}, second)};
}

Message put_together(TokenMessage first, const TokenMessage &second) {
  first.ends.insert(first.ends.end(), second.ends.begin(), second.ends.end());
  for (size_t link = 0; link < first.links.size(); ++link) {
    first.links[link].merge(second.links[link]);
  }
  return encode_tokens(first.start_cycle, first.cycles + second.cycles, first.ends, first.links);
}

class ChaosMesh final : public Mesh {
 public:
  ChaosMesh(std::unique_ptr<Mesh> mesh, size_t processes, size_t self, uint64_t seed)
      : mesh_(std::move(mesh)), queues_(processes) {
    for (size_t process = 0; process < processes; ++process) {
      std::seed_seq sequence{seed, uint64_t{self}, uint64_t{process}};
      queues_[process].random.seed(sequence);
    }
  }
  ~ChaosMesh() override { stop(); }

  void open(Listener listener) override {
    mesh_->open(std::move(listener));
    thread_ = std::thread([this] { deliver(); });
  }

  void send(size_t process, Message message) override {
    {
      const std::lock_guard lock(mutex_);
      add(queues_[process], std::move(message));
    }
    changed_.notify_one();
  }

  void close() override {
    stop();
    mesh_->close();
  }

 private:
  void add(Queue &queue, Message message) {
    const uint64_t chance = queue.random() % 8;
    if (has_tokens(message) && chance == 0 && !queue.messages.empty() &&
        has_tokens(queue.messages.back().message)) {
      Message &last = queue.messages.back().message;
      last = put_together(decode_tokens(last, kMostLinks), decode_tokens(message, kMostLinks));
      return;
    }
    if (has_tokens(message) && chance == 1) {
      const TokenMessage whole = decode_tokens(message, kMostLinks);
      if (whole.cycles > 1) {
        auto [first, second] =
            cut(whole, 1 + static_cast<uint32_t>(queue.random() % (whole.cycles - 1)));
        queue.messages.push_back({due(queue), std::move(first)});
        message = std::move(second);
      }
    }
    queue.messages.push_back({due(queue), std::move(message)});
  }

  // Most at once, some late, and a few very late.
  static Clock::time_point due(Queue &queue) {
    const uint64_t chance = queue.random() % 256;
    const uint64_t most_us = chance == 0 ? 20'000 : chance < 32 ? 500 : 1;
    const Clock::time_point wanted =
        Clock::now() + std::chrono::microseconds(queue.random() % most_us);
    return queue.messages.empty() ? wanted : std::max(wanted, queue.messages.back().due);
  }

  void deliver() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      std::optional<Clock::time_point> next;
      for (size_t process = 0; process < queues_.size(); ++process) {
        std::deque<Waiting> &messages = queues_[process].messages;
        const Clock::time_point now = Clock::now();
        while (!messages.empty() && messages.front().due <= now) {
          mesh_->send(process, std::move(messages.front().message));
          messages.pop_front();
        }
        if (messages.empty()) continue;
        next = next ? std::min(*next, messages.front().due) : messages.front().due;
      }
      if (next) {
        changed_.wait_until(lock, *next);
      } else {
        changed_.wait(lock);
      }
    }
  }

  // What is still waiting goes at once.
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
    for (size_t process = 0; process < queues_.size(); ++process) {
      for (Waiting &waiting : queues_[process].messages) {
        mesh_->send(process, std::move(waiting.message));
      }
    }
  }

  const std::unique_ptr<Mesh> mesh_;
  std::thread thread_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Queue> queues_;  // by process
  bool stopping_ = false;
};

}  // namespace

std::unique_ptr<Mesh> make_chaos_mesh(std::unique_ptr<Mesh> mesh, size_t processes, size_t self,
                                      uint64_t seed) {
  return std::make_unique<ChaosMesh>(std::move(mesh), processes, self, seed);
}

}  // namespace firesim
