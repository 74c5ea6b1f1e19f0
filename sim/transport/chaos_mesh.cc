// SPDX-License-Identifier: BSD-3-Clause
//
// See chaos_mesh.h.
#include "transport/chaos_mesh.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
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

constexpr size_t kAnyLinks = SIZE_MAX;

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
std::pair<Message, Message> cut(TokenMessage whole, uint32_t at) {
  TokenMessage rest;
  rest.start_cycle = whole.start_cycle + at;
  rest.cycles = whole.cycles - at;
  for (LinkTokens &one : whole.links) {
    LinkTokens &tail = rest.links.emplace_back();
    tail.link = one.link;
    one.tokens.split(at, tail.tokens);
  }
  whole.cycles = at;
  return {encode_tokens(whole), encode_tokens(rest)};
}

Message put_together(TokenMessage first, const TokenMessage &second) {
  std::map<uint32_t, Batch> links;
  const auto in_both = [&](const LinkTokens &one) -> Batch & {
    Batch &batch = links[one.link];
    if (batch.cycles() == 0) batch.reset(first.start_cycle, first.cycles + second.cycles);
    return batch;
  };
  for (const LinkTokens &one : first.links) {
    in_both(one).append_part(one.tokens, 0, first.cycles, 0);
  }
  for (const LinkTokens &one : second.links) {
    in_both(one).append_part(one.tokens, 0, second.cycles, first.cycles);
  }
  TokenMessage both;
  both.start_cycle = first.start_cycle;
  both.cycles = first.cycles + second.cycles;
  both.ends = std::move(first.ends);
  both.ends.insert(both.ends.end(), second.ends.begin(), second.ends.end());
  for (auto &[link, tokens] : links) both.links.push_back({link, std::move(tokens)});
  return encode_tokens(both);
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

  void wait() override { mesh_->wait(); }
  void interrupt() override { mesh_->interrupt(); }
  MeshTraffic sent() const override { return mesh_->sent(); }

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
      last = put_together(decode_tokens({last, nullptr}, kAnyLinks),
                          decode_tokens({message, nullptr}, kAnyLinks));
      return;
    }
    if (has_tokens(message) && chance == 1) {
      TokenMessage whole = decode_tokens({message, nullptr}, kAnyLinks);
      if (whole.cycles > 1) {
        const auto at = 1 + static_cast<uint32_t>(queue.random() % (whole.cycles - 1));
        auto [first, second] = cut(std::move(whole), at);
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

std::unique_ptr<Mesh> make_chaos_mesh(std::unique_ptr<Mesh> mesh, const MeshPlan &plan,
                                      uint64_t seed) {
  return std::make_unique<ChaosMesh>(std::move(mesh), plan.processes.size(), plan.self, seed);
}

}  // namespace firesim
