// SPDX-License-Identifier: BSD-3-Clause
//
// See compressing_mesh.h. A compressed message is a head of 16 bytes and a block of LZ4:
//
//   kCompressed, seven zeros, u64 length of the message
#include "transport/compressing_mesh.h"

#include <lz4.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace firesim {

namespace {

constexpr uint8_t kCompressed = 0xff;  // no kind of message (core/token_message.h)
constexpr size_t kHeadBytes = 16;
constexpr size_t kLengthAt = 8;
constexpr size_t kLeastBytes = 256;  // shorter messages gain nothing
// A byte of a block stands for at most so many.
constexpr uint64_t kMostRatio = 255;

// Nothing if it does not get shorter.
Message compressed(const Message &message) {
  if (message.size() < kLeastBytes || message.size() > LZ4_MAX_INPUT_SIZE) return {};
  const auto length = static_cast<int>(message.size());
  Message found(kHeadBytes + static_cast<size_t>(LZ4_compressBound(length)));
  const int block = LZ4_compress_default(reinterpret_cast<const char *>(message.data()),
                                         reinterpret_cast<char *>(found.data()) + kHeadBytes,
                                         length, static_cast<int>(found.size() - kHeadBytes));
  const size_t bytes = kHeadBytes + static_cast<size_t>(block);
  if (block <= 0 || bytes >= message.size()) return {};
  found.resize(bytes);
  found[0] = kCompressed;
  const uint64_t whole = message.size();
  std::memcpy(found.data() + kLengthAt, &whole, sizeof whole);
  return found;
}

Parcel decompressed(std::span<const uint8_t> message) {
  uint64_t length = 0;
  if (message.size() > kHeadBytes) {
    std::memcpy(&length, message.data() + kLengthAt, sizeof length);
  }
  const std::span<const uint8_t> block = message.subspan(std::min(message.size(), kHeadBytes));
  if (length == 0 || length > block.size() * kMostRatio || length > LZ4_MAX_INPUT_SIZE) {
    throw std::runtime_error("sent a message that cannot be decompressed");
  }
  std::shared_ptr<uint8_t[]> bytes(new uint8_t[length]);
  const int found = LZ4_decompress_safe(reinterpret_cast<const char *>(block.data()),
                                        reinterpret_cast<char *>(bytes.get()),
                                        static_cast<int>(block.size()), static_cast<int>(length));
  if (found < 0 || static_cast<uint64_t>(found) != length) {
    throw std::runtime_error("sent a message that cannot be decompressed");
  }
  return {{bytes.get(), length}, bytes};
}

class CompressingMesh final : public Mesh {
 public:
  explicit CompressingMesh(std::unique_ptr<Mesh> mesh) : mesh_(std::move(mesh)) {}

  void open(Listener listener) override {
    listener_ = std::move(listener);
    mesh_->open({[this](size_t process, const Parcel &message) { received(process, message); },
                 listener_.lost});
  }

  void send(size_t process, Message message) override {
    bytes_ += message.size();
    Message shorter = compressed(message);
    mesh_->send(process, shorter.empty() ? std::move(message) : std::move(shorter));
  }

  void wait() override { mesh_->wait(); }
  void interrupt() override { mesh_->interrupt(); }
  void close() override { mesh_->close(); }

  MeshTraffic sent() const override {
    MeshTraffic sent = mesh_->sent();
    sent.bytes = bytes_;
    return sent;
  }

 private:
  void received(size_t process, const Parcel &message) {
    if (message.bytes.empty() || message.bytes[0] != kCompressed) {
      return listener_.received(process, message);
    }
    Parcel whole;
    try {
      whole = decompressed(message.bytes);
    } catch (const std::runtime_error &) {
      whole = message;  // no kind of message: refused by name of its sender, as any such one
    }
    listener_.received(process, whole);
  }

  const std::unique_ptr<Mesh> mesh_;
  Listener listener_;
  std::atomic<uint64_t> bytes_{0};
};

}  // namespace

std::unique_ptr<Mesh> make_compressing_mesh(std::unique_ptr<Mesh> mesh) {
  return std::make_unique<CompressingMesh>(std::move(mesh));
}

}  // namespace firesim
