// SPDX-License-Identifier: BSD-3-Clause
// Memory for host code, mapped twice; see code_memory.h.
#include "code_memory.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sim/core/check.h"

namespace firesim::functional {
namespace {

int make_file(size_t bytes) {
  const int file = ::memfd_create("firesim-translated", MFD_CLOEXEC);
  if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  if (file >= 0) ::close(file);
  return -1;
}

}  // namespace

// Both processes go on after fork(), and each translates for itself: before it a file is made for
// the copy, which puts it where this one's was.
class ForkedCopies {
 public:
  static ForkedCopies &all() {
    static auto &copies = *new ForkedCopies;  // never destroyed, as fork() may always be called
    return copies;
  }
  void add(CodeMemory &memory) {
    const std::lock_guard lock(mutex_);
    memories_.push_back({&memory, -1});
  }
  void remove(CodeMemory &memory) {
    const std::lock_guard lock(mutex_);
    std::erase_if(memories_, [&](const Entry &entry) { return entry.memory == &memory; });
  }

 private:
  struct Entry {
    CodeMemory *memory;
    int file;  // of the copy, from before fork() to after it
  };

  ForkedCopies() {
    pthread_atfork([] { all().before(); }, [] { all().after(false); }, [] { all().after(true); });
  }

  void before() {
    mutex_.lock();
    for (Entry &entry : memories_) {
      CodeMemory &memory = *entry.memory;
      memory.mutex_.lock();
      if (!memory.is_open()) continue;
      entry.file = make_file(memory.bytes_);
      size_t done = 0;
      while (entry.file >= 0 && done < memory.used_) {
        const ssize_t wrote = ::pwrite(entry.file, memory.writable_ + done, memory.used_ - done,
                                       static_cast<off_t>(done));
        if (wrote <= 0) ::close(std::exchange(entry.file, -1));
        done += static_cast<size_t>(wrote);
      }
    }
  }

  void after(bool in_copy) {
    for (Entry &entry : memories_) {
      if (in_copy && entry.memory->is_open()) {
        FIRESIM_CHECK(entry.file >= 0 && entry.memory->map(entry.file),
                      "a copy of the process has memory for its translated code");
      }
      if (entry.file >= 0) ::close(entry.file);
      entry.memory->mutex_.unlock();
    }
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<Entry> memories_;
};

CodeMemory::CodeMemory(size_t bytes) : bytes_(bytes) {
  FIRESIM_CHECK(bytes % kLargestPiece == 0, "memory for code is made of its largest pieces");
  ForkedCopies::all().add(*this);
}

bool CodeMemory::open() {
  const int file = bytes_ == 0 ? -1 : make_file(bytes_);
  if (file < 0) return false;
  const bool mapped = map(file);
  ::close(file);
  return mapped;
}

CodeMemory::~CodeMemory() {
  ForkedCopies::all().remove(*this);
  if (!is_open()) return;
  ::munmap(writable_, bytes_);
  ::munmap(const_cast<std::byte *>(runnable_), bytes_);
}

// Anew at the addresses of before, if there are such.
bool CodeMemory::map(int file) {
  const int flags = MAP_SHARED | MAP_NORESERVE | (is_open() ? MAP_FIXED : 0);
  void *written = ::mmap(writable_, bytes_, PROT_READ | PROT_WRITE, flags, file, 0);
  if (written == MAP_FAILED) return false;
  void *run = ::mmap(runnable_, bytes_, PROT_READ | PROT_EXEC, flags, file, 0);
  if (run == MAP_FAILED) {
    ::munmap(written, bytes_);
    return false;
  }
  writable_ = static_cast<std::byte *>(written);
  runnable_ = static_cast<std::byte *>(run);
  return true;
}

std::optional<CodeMemory::Piece> CodeMemory::add(std::span<const uint8_t> code) {
  const size_t size = std::bit_ceil(std::max(code.size(), kLeastPiece));
  if (size > kLargestPiece) return std::nullopt;
  const auto size_class = static_cast<uint32_t>(std::countr_zero(size / kLeastPiece));
  Piece piece{static_cast<uint32_t>(used_), size_class};
  if (std::vector<uint32_t> &free = free_[size_class]; !free.empty()) {
    piece.at = free.back();
    free.pop_back();
  } else {
    if (size > bytes_ - used_) return std::nullopt;
    used_ += size;
  }
  std::memcpy(writable(piece), code.data(), code.size());
  return piece;
}

void CodeMemory::give_back(Piece piece) { free_[piece.size_class].push_back(piece.at); }

void CodeMemory::forget(size_t kept) {
  for (std::vector<uint32_t> &free : free_) free.clear();
  used_ = kept;
}

}  // namespace firesim::functional
