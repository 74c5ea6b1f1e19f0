// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between the processes of one simulation: tokens, ends, words, numbers, and compressed
// ones. What is taken is taken again, the same, from what it is written as.
#include <algorithm>
#include <utility>

#include "core/token_message.h"
#include "simulator/hostile/targets.h"
#include "transport/compressing_mesh.h"

namespace firesim::hostile {

namespace {

constexpr size_t kLinks = 3;
constexpr uint32_t kMessageCycles = 64;

std::string text_of(std::span<const uint8_t> message) { return {message.begin(), message.end()}; }

// Hands on what it is given, as if another process had sent it.
class OneMessageMesh final : public Mesh {
 public:
  explicit OneMessageMesh(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  void open(Listener listener) override { listener.received(1, {bytes_, nullptr}); }
  void send(size_t, Message) override {}
  void wait() override {}
  void interrupt() override {}
  MeshTraffic sent() const override { return {}; }
  void close() override {}

 private:
  const std::span<const uint8_t> bytes_;
};

// Keeps what it is sent.
class KeepingMesh final : public Mesh {
 public:
  explicit KeepingMesh(std::string &kept) : kept_(kept) {}
  void open(Listener) override {}
  void send(size_t, Message message) override { kept_ = text_of(message); }
  void wait() override {}
  void interrupt() override {}
  MeshTraffic sent() const override { return {}; }
  void close() override {}

 private:
  std::string &kept_;
};

void read_tokens(const Parcel &parcel, std::string &wrong) {
  const TokenMessage found = decode_tokens(parcel, kLinks);
  const Message again = encode_tokens(found);
  const TokenMessage same = decode_tokens({again, nullptr}, kLinks);
  if (encode_tokens(same) != again) wrong = "tokens are not what they are written as";
  for (const LinkTokens &one : found.links) {
    for (const Run &run : one.tokens.runs()) {
      if (run.length == 0 || run.end() > found.cycles) wrong = "tokens outside of their cycles";
    }
  }
}

void read_whole(const Parcel &parcel, std::string &wrong) {
  switch (kind_of(parcel.bytes)) {
    case MessageKind::kTokens:
      return read_tokens(parcel, wrong);
    case MessageKind::kReached:
    case MessageKind::kPause:
      static_cast<void>(decode_number(parcel.bytes));
      return;
    default:
      static_cast<void>(decode_text(parcel.bytes));
  }
}

Verdict take_message(const std::string &input) {
  std::string wrong;
  // With no byte of another's behind it, so that reading on is seen.
  const Message message(input.begin(), input.end());
  Verdict verdict = judged([&] {
    const auto mesh = make_compressing_mesh(std::make_unique<OneMessageMesh>(message));
    mesh->open({[&](size_t, const Parcel &parcel) { read_whole(parcel, wrong); }, nullptr});
  });
  if (!wrong.empty()) verdict.defect = wrong;
  return verdict;
}

TokenMessage some_tokens() {
  TokenMessage message;
  message.start_cycle = 1000;
  message.cycles = kMessageCycles;
  message.ends.push_back({"node0", true, {900, 3, false, "said"}});
  const uint64_t flits[] = {1, 2, 3, 4};
  for (const uint32_t link : {0, 2}) {
    LinkTokens &one = message.links.emplace_back();
    one.link = link;
    one.tokens.reset(message.start_cycle, message.cycles);
    one.tokens.append_run(3, flits, 4, false);
    one.tokens.append_run(7, flits, 2, true);
    one.tokens.append_run(60, flits, 4, true);
  }
  return message;
}

std::vector<std::string> good_messages() {
  const std::string long_word(1000, 'x');
  std::string compressed;
  make_compressing_mesh(std::make_unique<KeepingMesh>(compressed))
      ->send(0, encode_text(MessageKind::kReady, long_word));
  return {text_of(encode_tokens(some_tokens())),
          text_of(encode_tokens(1 << 20, kMessageCycles, {}, {})),
          text_of(encode_text(MessageKind::kStop, "{\"error\": \"\", \"lost\": []}")),
          text_of(encode_number(MessageKind::kPause, 123456)), compressed};
}

}  // namespace

Target messages_target() {
  return {"messages", good_messages(),
          [](const std::string &bytes, Random &random) { return mutated_bytes(bytes, random); },
          take_message};
}

}  // namespace firesim::hostile
