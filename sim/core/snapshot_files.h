// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a snapshot: written with holes for pages that are zero, and read back against size
// and hash, both by all CPUs at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/regular_file.h"

namespace firesim {

// The hash of a file: XXH3 (64 bits) over those of its pieces of `kPieceBytes`, so that several
// threads can work on one file.
inline constexpr uint64_t kPieceBytes = uint64_t{8} << 20;

struct FileContent {
  std::filesystem::path path;
  const uint8_t *data = nullptr;
  uint64_t bytes = 0;
};

// Writes all files anew; returns their hashes in the same order. Throws std::runtime_error.
std::vector<uint64_t> write_files(std::span<const FileContent> files);

struct FileToCheck {
  std::string name;  // in the folder of the snapshot
  uint64_t bytes = 0;
  uint64_t hash = 0;
  std::string where;  // names the file in messages
};

// Throws SnapshotError for the first file, in order, that is missing, no regular file of the folder
// itself, cut or changed.
void check_files(const UntrustedFolder &folder, std::span<const FileToCheck> files);

// The hash of bytes in memory as that of a file.
uint64_t hash_bytes(const void *data, uint64_t bytes);

}  // namespace firesim
