// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse files, hashed piece by piece by several threads.
#include "core/snapshot_files.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/state.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr unsigned kMaxThreads = 16;

struct Piece {
  size_t file = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

class Descriptor {
 public:
  Descriptor(const std::filesystem::path &path, int flags)
      : value_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int operator()() const { return value_; }

 private:
  const int value_;
};

std::vector<Piece> pieces_of(size_t file, uint64_t bytes) {
  std::vector<Piece> pieces;
  for (uint64_t at = 0; at < bytes; at += kPieceBytes) {
    pieces.push_back({file, at, std::min(kPieceBytes, bytes - at)});
  }
  return pieces;
}

// Calls `work` for every index below `count`, on all CPUs; throws what the first one threw.
void in_parallel(size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        next.store(count);
      }
    }
  };
  const size_t cpus = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(cpus, count); ++i) others.emplace_back(run);
  run();
  for (std::thread &other : others) other.join();
  if (error) std::rethrow_exception(error);
}

bool is_zero(const uint8_t *data, uint64_t bytes) {
  return bytes == 0 || (data[0] == 0 && std::memcmp(data, data + 1, bytes - 1) == 0);
}

[[noreturn]] void fail_to_write(const std::filesystem::path &path) {
  throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
}

void write_at(int file, const uint8_t *data, uint64_t bytes, uint64_t offset,
              const std::filesystem::path &path) {
  while (bytes > 0) {
    const ssize_t count = pwrite(file, data, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path);
    data += count;
    offset += static_cast<uint64_t>(count);
    bytes -= static_cast<uint64_t>(count);
  }
}

// Writes the stretches of pages that are not zero; returns the hash of the whole piece.
uint64_t write_piece(int file, const FileContent &content, const Piece &piece) {
  const uint8_t *data = content.data + piece.offset;
  uint64_t written = 0;  // everything before is in the file
  for (uint64_t at = 0; at < piece.bytes; at += kPageBytes) {
    const uint64_t bytes = std::min(kPageBytes, piece.bytes - at);
    if (!is_zero(data + at, bytes)) continue;
    write_at(file, data + written, at - written, piece.offset + written, content.path);
    written = at + bytes;
  }
  write_at(file, data + written, piece.bytes - written, piece.offset + written, content.path);
  return XXH3_64bits(data, piece.bytes);
}

// Puts the hashes of pieces, which are in order of their files, together.
std::vector<uint64_t> combine(size_t files, const std::vector<Piece> &pieces,
                              const std::vector<uint64_t> &hashes) {
  std::vector<uint64_t> combined;
  size_t first = 0;
  for (size_t file = 0; file < files; ++file) {
    size_t end = first;
    while (end < pieces.size() && pieces[end].file == file) ++end;
    combined.push_back(XXH3_64bits(hashes.data() + first, (end - first) * sizeof(uint64_t)));
    first = end;
  }
  return combined;
}

uint64_t zero_hash(uint64_t bytes) {
  static const std::vector<uint8_t> zeros(kPieceBytes);
  static const uint64_t whole = XXH3_64bits(zeros.data(), zeros.size());
  return bytes == kPieceBytes ? whole : XXH3_64bits(zeros.data(), bytes);
}

uint64_t hash_piece(const UntrustedFolder &folder, const FileToCheck &check, const Piece &piece) {
  const RegularFile file = folder.open(check.name);
  const off_t data = lseek(file.descriptor(), static_cast<off_t>(piece.offset), SEEK_DATA);
  if (data < 0 ? errno == ENXIO : static_cast<uint64_t>(data) >= piece.offset + piece.bytes) {
    return zero_hash(piece.bytes);
  }
  // Not cleared: it is read over, and as many threads clear theirs as happen to get a piece.
  thread_local const auto buffer = std::make_unique_for_overwrite<uint8_t[]>(kPieceBytes);
  file.read(buffer.get(), piece.bytes, piece.offset);
  return XXH3_64bits(buffer.get(), piece.bytes);
}

// What `work` returns; says where the file is that it finds something wrong with.
uint64_t with_place(const FileToCheck &file, const std::function<uint64_t()> &work) {
  try {
    return work();
  } catch (const FileError &error) {
    throw SnapshotError(file.where + " " + error.what());
  }
}

}  // namespace

uint64_t hash_bytes(const void *data, uint64_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
  std::vector<uint64_t> hashes;
  for (const Piece &piece : pieces_of(0, bytes)) {
    hashes.push_back(XXH3_64bits(from + piece.offset, piece.bytes));
  }
  return XXH3_64bits(hashes.data(), hashes.size() * sizeof(uint64_t));
}

std::vector<uint64_t> write_files(std::span<const FileContent> files) {
  std::vector<Piece> pieces;
  std::vector<std::unique_ptr<Descriptor>> open_files;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileContent &content = files[i];
    auto file = std::make_unique<Descriptor>(content.path, O_WRONLY | O_CREAT | O_TRUNC);
    if ((*file)() < 0 || ftruncate((*file)(), static_cast<off_t>(content.bytes)) != 0) {
      fail_to_write(content.path);
    }
    open_files.push_back(std::move(file));
    const std::vector<Piece> own = pieces_of(i, content.bytes);
    pieces.insert(pieces.end(), own.begin(), own.end());
  }
  std::vector<uint64_t> hashes(pieces.size());
  in_parallel(pieces.size(), [&](size_t i) {
    const size_t file = pieces[i].file;
    hashes[i] = write_piece((*open_files[file])(), files[file], pieces[i]);
  });
  return combine(files.size(), pieces, hashes);
}

void check_files(const UntrustedFolder &folder, std::span<const FileToCheck> files) {
  std::vector<Piece> pieces;
  // Many names of one large file, which hard links are, would be hashed as often.
  std::map<std::pair<uint64_t, uint64_t>, size_t> first_of;
  std::vector<size_t> same_as;
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t bytes = with_place(files[i], [&] {
      const RegularFile file = folder.open(files[i].name);
      same_as.push_back(first_of.try_emplace(file.identity(), i).first->second);
      return file.bytes();
    });
    if (bytes != files[i].bytes) {
      throw SnapshotError(files[i].where + " has " + std::to_string(bytes) + " bytes, expected " +
                          std::to_string(files[i].bytes));
    }
    if (same_as[i] != i) continue;
    const std::vector<Piece> own = pieces_of(i, bytes);
    pieces.insert(pieces.end(), own.begin(), own.end());
  }
  std::vector<uint64_t> hashes(pieces.size());
  in_parallel(pieces.size(), [&](size_t i) {
    const FileToCheck &file = files[pieces[i].file];
    hashes[i] = with_place(file, [&] { return hash_piece(folder, file, pieces[i]); });
  });
  const std::vector<uint64_t> found = combine(files.size(), pieces, hashes);
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t hash = found[same_as[i]];
    if (hash == files[i].hash) continue;
    throw SnapshotError(files[i].where + " has been changed: its hash is " + hash_to_hex(hash) +
                        ", expected " + hash_to_hex(files[i].hash));
  }
}

}  // namespace firesim
