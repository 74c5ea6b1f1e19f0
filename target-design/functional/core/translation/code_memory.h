// SPDX-License-Identifier: BSD-3-Clause
// Memory for host code. It is mapped twice: where it is written to it cannot be run, and where it
// runs it cannot be written to.
//
// A copy of the process (fork) has a copy of the memory at the same addresses, as of all else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace firesim::functional {

class CodeMemory {
 public:
  // Room for code, in bytes from the memory's begin; its size is a power of two.
  struct Piece {
    uint32_t at;
    uint32_t size_class;
  };

  // Holds so many bytes at most, a multiple of kLargestPiece.
  explicit CodeMemory(size_t bytes);
  ~CodeMemory();
  CodeMemory(const CodeMemory &) = delete;
  CodeMemory &operator=(const CodeMemory &) = delete;

  // Whoever calls what follows, or writes to a piece before others may run it, holds this.
  std::mutex &mutex() { return mutex_; }

  // Reserves the memory, which the host gives as it is used; false if it lets no code be made and
  // run.
  bool open();

  // Copies code to a piece of its own; nothing if there is no room.
  std::optional<Piece> add(std::span<const uint8_t> code);
  void give_back(Piece piece);
  size_t used_bytes() const { return used_; }
  // Gives back all that was added, but for the first `kept` bytes.
  void forget(size_t kept);

  const std::byte *runnable(Piece piece) const { return runnable_ + piece.at; }
  std::byte *writable(Piece piece) const { return writable_ + piece.at; }
  // Where to write what is run, or read by what runs, there.
  template <typename T>
  T *writable(const T *run) const {
    const auto *place = reinterpret_cast<const std::byte *>(run);
    return reinterpret_cast<T *>(writable_ + (place - runnable_));
  }

  static constexpr size_t kLeastPiece = 128, kClasses = 9;
  static constexpr size_t kLargestPiece = kLeastPiece << (kClasses - 1);

 private:
  friend class ForkedCopies;
  bool is_open() const { return writable_ != nullptr; }
  bool map(int file);

  const size_t bytes_;
  std::byte *writable_ = nullptr;
  std::byte *runnable_ = nullptr;
  size_t used_ = 0;
  std::array<std::vector<uint32_t>, kClasses> free_;  // pieces given back, by class
  std::mutex mutex_;
};

}  // namespace firesim::functional
