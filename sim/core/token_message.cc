// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between processes; see token_message.h.
#include "core/token_message.h"

#include <cstring>
#include <stdexcept>

namespace firesim {

namespace {

[[noreturn]] void refuse() { throw std::runtime_error("sent a message that cannot be read"); }

class Writer {
 public:
  explicit Writer(MessageKind kind) { number(static_cast<uint8_t>(kind)); }
  template <typename T>
  void number(T value) {
    bytes(&value, sizeof value);
  }
  void bytes(const void *data, size_t size) {
    const auto *first = static_cast<const uint8_t *>(data);
    message_.insert(message_.end(), first, first + size);
  }
  void text(const std::string &text) {
    number(static_cast<uint32_t>(text.size()));
    bytes(text.data(), text.size());
  }
  Message take() { return std::move(message_); }

 private:
  Message message_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> message) : left_(message.subspan(1)) {}
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, bytes(sizeof value), sizeof value);
    return value;
  }
  bool boolean() {
    const auto value = number<uint8_t>();
    if (value > 1) refuse();
    return value == 1;
  }
  const uint8_t *bytes(size_t size) {
    if (size > left_.size()) refuse();
    const uint8_t *data = left_.data();
    left_ = left_.subspan(size);
    return data;
  }
  std::string text() {
    const auto size = number<uint32_t>();
    return {reinterpret_cast<const char *>(bytes(size)), size};
  }
  size_t left() const { return left_.size(); }
  void finish() const {
    if (!left_.empty()) refuse();
  }

 private:
  std::span<const uint8_t> left_;
};

constexpr uint32_t kMostEnds = 1 << 20;

void write_batch(Writer &writer, uint32_t link, const Batch &batch) {
  writer.number(link);
  writer.number(static_cast<uint32_t>(batch.runs().size()));
  for (const Run &run : batch.runs()) {
    writer.number(run.offset);
    writer.number(run.length);
    writer.number(static_cast<uint8_t>(run.last ? 1 : 0));
    writer.bytes(run.data, size_t{run.length} * 8);
  }
}

// The data of runs is not aligned in the message.
void read_batch(Reader &reader, Batch &batch) {
  std::vector<uint64_t> data;
  uint64_t next = 0;
  for (auto runs = reader.number<uint32_t>(); runs > 0; --runs) {
    const auto offset = reader.number<uint32_t>();
    const auto length = reader.number<uint32_t>();
    const bool last = reader.boolean();
    if (offset < next || length == 0 || uint64_t{offset} + length > batch.cycles()) refuse();
    next = uint64_t{offset} + length;
    const uint8_t *flits = reader.bytes(size_t{length} * 8);
    data.resize(length);
    std::memcpy(data.data(), flits, size_t{length} * 8);
    batch.append_run(offset, data.data(), length, last);
  }
}

}  // namespace

MessageKind kind_of(std::span<const uint8_t> message) {
  if (message.empty() || message[0] < 1 || message[0] > 9) refuse();
  return static_cast<MessageKind>(message[0]);
}

Message encode_tokens(uint64_t start_cycle, uint32_t cycles, const std::vector<NodeEnd> &ends,
                      std::span<const Batch> links) {
  Writer writer(MessageKind::kTokens);
  writer.number(start_cycle);
  writer.number(cycles);
  writer.number(static_cast<uint32_t>(ends.size()));
  for (const NodeEnd &one : ends) {
    writer.text(one.node);
    writer.number(static_cast<uint8_t>(one.counts ? 1 : 0));
    writer.number(one.end.cycle);
    writer.number(static_cast<int32_t>(one.end.exit_code));
    writer.number(static_cast<uint8_t>(one.end.assert_failed ? 1 : 0));
    writer.text(one.end.message);
  }
  for (uint32_t link = 0; link < links.size(); ++link) {
    if (!links[link].empty()) write_batch(writer, link, links[link]);
  }
  return writer.take();
}

TokenMessage decode_tokens(std::span<const uint8_t> message, size_t link_count) {
  Reader reader(message);
  TokenMessage found;
  found.start_cycle = reader.number<uint64_t>();
  found.cycles = reader.number<uint32_t>();
  const auto ends = reader.number<uint32_t>();
  if (found.cycles == 0 || ends > kMostEnds) refuse();
  for (uint32_t i = 0; i < ends; ++i) {
    NodeEnd one;
    one.node = reader.text();
    one.counts = reader.boolean();
    one.end.cycle = reader.number<uint64_t>();
    one.end.exit_code = reader.number<int32_t>();
    one.end.assert_failed = reader.boolean();
    one.end.message = reader.text();
    found.ends.push_back(std::move(one));
  }
  for (size_t link = 0; link < link_count; ++link) {
    found.links.emplace_back(found.start_cycle, found.cycles);
  }
  for (size_t next = 0; reader.left() > 0;) {
    const auto link = reader.number<uint32_t>();
    if (link < next || link >= link_count) refuse();
    next = size_t{link} + 1;
    read_batch(reader, found.links[link]);
  }
  return found;
}

Message encode_text(MessageKind kind, const std::string &text) {
  Writer writer(kind);
  writer.text(text);
  return writer.take();
}

std::string decode_text(std::span<const uint8_t> message) {
  Reader reader(message);
  std::string text = reader.text();
  reader.finish();
  return text;
}

Message encode_number(MessageKind kind, uint64_t number) {
  Writer writer(kind);
  writer.number(number);
  return writer.take();
}

uint64_t decode_number(std::span<const uint8_t> message) {
  Reader reader(message);
  const auto number = reader.number<uint64_t>();
  reader.finish();
  return number;
}

}  // namespace firesim
