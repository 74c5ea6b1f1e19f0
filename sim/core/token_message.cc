// SPDX-License-Identifier: BSD-3-Clause
//
// Messages between processes; see token_message.h.
#include "core/token_message.h"

#include <cstring>
#include <stdexcept>

namespace firesim {

namespace {

[[noreturn]] void refuse() { throw std::runtime_error("sent a message that cannot be read"); }

constexpr size_t kHeadBytes = 16;  // of a message with tokens
constexpr size_t kFlitBytes = 8;
constexpr uint32_t kLastFlag = uint32_t{1} << 31;  // in the length of a run: it ends a packet
constexpr uint32_t kMostEnds = 1 << 20;

size_t padding_after(size_t bytes) { return (kFlitBytes - bytes % kFlitBytes) % kFlitBytes; }

class Writer {
 public:
  explicit Writer(MessageKind kind) { message_.assign(1, static_cast<uint8_t>(kind)); }
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
  void zeros(size_t bytes) { message_.resize(message_.size() + bytes); }
  void align() { zeros(padding_after(message_.size())); }
  void make_room(size_t bytes) { message_.reserve(message_.size() + bytes); }
  Message take() { return std::move(message_); }

 private:
  Message message_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> message) : message_(message), at_(1) {}
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
    if (size > left()) refuse();
    const uint8_t *data = message_.data() + at_;
    at_ += size;
    return data;
  }
  std::string text() {
    const auto size = number<uint32_t>();
    return {reinterpret_cast<const char *>(bytes(size)), size};
  }
  void align() { bytes(padding_after(at_)); }
  size_t left() const { return message_.size() - at_; }
  void finish() const {
    if (left() != 0) refuse();
  }

 private:
  std::span<const uint8_t> message_;
  size_t at_;
};

void write_batch(Writer &writer, uint32_t link, const Batch &batch) {
  writer.number(link);
  writer.number(static_cast<uint32_t>(batch.runs().size()));
  for (const Run &run : batch.runs()) {
    writer.number(run.offset);
    writer.number(run.length | (run.last ? kLastFlag : 0));
    writer.bytes(run.data, run.length * kFlitBytes);
  }
}

// Where the flits of a whole message are while batches refer to them: in the message, or copied.
class FlitStore {
 public:
  explicit FlitStore(const Parcel &message)
      : copies_(message.owner == nullptr ||
                reinterpret_cast<uintptr_t>(message.bytes.data()) % kFlitBytes != 0),
        buffer_(copies_
                    ? FlitBuffer::make(static_cast<uint32_t>(message.bytes.size() / kFlitBytes + 1))
                    : FlitBuffer::standing_for(message.owner)) {}
  ~FlitStore() { buffer_->release(); }
  FlitStore(const FlitStore &) = delete;
  FlitStore &operator=(const FlitStore &) = delete;

  const uint64_t *add(const uint8_t *flits, uint32_t count) {
    if (!copies_) return reinterpret_cast<const uint64_t *>(flits);
    uint64_t *at = buffer_->data() + used_;
    std::memcpy(at, flits, count * kFlitBytes);
    used_ += count;
    return at;
  }
  FlitBuffer *buffer() const { return buffer_; }

 private:
  const bool copies_;
  FlitBuffer *const buffer_;
  size_t used_ = 0;
};

void read_batch(Reader &reader, Batch &batch, FlitStore &store) {
  uint64_t next = 0;
  for (auto runs = reader.number<uint32_t>(); runs > 0; --runs) {
    const auto offset = reader.number<uint32_t>();
    const auto length_and_last = reader.number<uint32_t>();
    const uint32_t length = length_and_last & ~kLastFlag;
    if (offset < next || length == 0 || uint64_t{offset} + length > batch.cycles()) refuse();
    next = uint64_t{offset} + length;
    const uint64_t *flits = store.add(reader.bytes(length * kFlitBytes), length);
    batch.append_shared(offset, flits, length, length_and_last != length, store.buffer());
  }
}

void write_head(Writer &writer, uint64_t start_cycle, uint32_t cycles) {
  writer.zeros(3);
  writer.number(cycles);
  writer.number(start_cycle);
}

void write_ends(Writer &writer, const std::vector<NodeEnd> &ends) {
  writer.number(static_cast<uint32_t>(ends.size()));
  for (const NodeEnd &one : ends) {
    writer.text(one.node);
    writer.number(static_cast<uint8_t>(one.counts ? 1 : 0));
    writer.number(one.end.cycle);
    writer.number(static_cast<int32_t>(one.end.exit_code));
    writer.number(static_cast<uint8_t>(one.end.assert_failed ? 1 : 0));
    writer.text(one.end.message);
  }
  writer.align();
}

std::vector<NodeEnd> read_ends(Reader &reader) {
  const auto count = reader.number<uint32_t>();
  if (count > kMostEnds) refuse();
  std::vector<NodeEnd> ends;
  for (uint32_t i = 0; i < count; ++i) {
    NodeEnd &one = ends.emplace_back();
    one.node = reader.text();
    one.counts = reader.boolean();
    one.end.cycle = reader.number<uint64_t>();
    one.end.exit_code = reader.number<int32_t>();
    one.end.assert_failed = reader.boolean();
    one.end.message = reader.text();
  }
  reader.align();
  return ends;
}

// What it takes in a message.
size_t bytes_of(const Batch &batch) {
  return (batch.flit_count() + batch.runs().size() + 1) * kFlitBytes;
}

}  // namespace

MessageKind kind_of(std::span<const uint8_t> message) {
  if (message.empty() || message[0] < 1 || message[0] > 9) refuse();
  return static_cast<MessageKind>(message[0]);
}

Message encode_tokens(uint64_t start_cycle, uint32_t cycles, const std::vector<NodeEnd> &ends,
                      std::span<const Batch> links) {
  Writer writer(MessageKind::kTokens);
  size_t bytes = 0;
  for (const Batch &batch : links) bytes += batch.empty() ? 0 : bytes_of(batch);
  writer.make_room(kHeadBytes + kFlitBytes + bytes);
  write_head(writer, start_cycle, cycles);
  if (bytes == 0 && ends.empty()) return writer.take();
  write_ends(writer, ends);
  for (uint32_t link = 0; link < links.size(); ++link) {
    if (!links[link].empty()) write_batch(writer, link, links[link]);
  }
  return writer.take();
}

Message encode_tokens(const TokenMessage &message) {
  Writer writer(MessageKind::kTokens);
  write_head(writer, message.start_cycle, message.cycles);
  write_ends(writer, message.ends);
  for (const LinkTokens &one : message.links) {
    if (!one.tokens.empty()) write_batch(writer, one.link, one.tokens);
  }
  return writer.take();
}

TokenMessage decode_tokens(const Parcel &message, size_t link_count) {
  Reader reader(message.bytes);
  TokenMessage found;
  reader.bytes(3);
  found.cycles = reader.number<uint32_t>();
  found.start_cycle = reader.number<uint64_t>();
  if (found.cycles == 0) refuse();
  if (reader.left() == 0) return found;
  found.ends = read_ends(reader);
  if (reader.left() == 0) return found;
  FlitStore store(message);
  for (size_t next = 0; reader.left() > 0;) {
    const auto link = reader.number<uint32_t>();
    if (link < next || link >= link_count) refuse();
    next = size_t{link} + 1;
    LinkTokens &one = found.links.emplace_back();
    one.link = link;
    one.tokens.reset(found.start_cycle, found.cycles);
    read_batch(reader, one.tokens, store);
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
