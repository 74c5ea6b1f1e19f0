// SPDX-License-Identifier: BSD-3-Clause
//
// What the writer and the reader of snapshots agree on. Private to snapshot.cc and
// snapshot_write.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace firesim {

inline constexpr char kSnapshotFormat[] = "firesim-snapshot";
inline constexpr uint64_t kSnapshotVersion = 1;
inline constexpr char kSnapshotIndexFile[] = "snapshot.json";
// Of a file: states are read into memory whole, regions are mapped.
inline constexpr uint64_t kMaxStateBytes = uint64_t{4} << 30;
inline constexpr uint64_t kMaxRegionBytes = uint64_t{1} << 40;
// Of all files: a thousand nodes have that. Files with holes may have any size on a small disk.
inline constexpr uint64_t kMaxStatesBytes = uint64_t{4} << 30;
inline constexpr uint64_t kMaxSnapshotBytes = uint64_t{1} << 44;

// Of an index, but for its own entry "hash".
uint64_t snapshot_index_hash(nlohmann::json index);

}  // namespace firesim
