// SPDX-License-Identifier: BSD-3-Clause
// Areas of a process; see linux_maps.h.
//
// Linux keeps areas in a maple tree since 6.1. A pointer to a node has the node's kind in bits 3 to
// 6; the one to the root has bit 1 set, which no pointer to an area has.
#include "traces/linux_maps.h"

#include <algorithm>

namespace firesim::traces {
namespace {

constexpr uint64_t kPageBytes = KernelMemory::kPageBytes;
constexpr uint64_t kNodeMask = 255;
constexpr uint32_t kKindShift = 3, kKindMask = 15, kLeafKind = 1, kRangeKind = 2, kGapKind = 3;
constexpr uint32_t kMostDepth = 8, kMostAreas = 65536, kMostNodes = 8192;
constexpr uint32_t kMostFolders = 64, kMostNameBytes = 255;

bool is_root(uint64_t entry) { return (entry & 3) == 2 && entry >= kKernel; }

class AreaWalk {
 public:
  AreaWalk(const KernelMemory &memory, const LinuxTypes &types) : memory_(memory), types_(types) {}

  std::vector<uint64_t> areas(uint64_t root) {
    if (is_root(root)) {
      visit(root, UINT64_MAX, 0);
    } else if (is_pointer(root)) {
      found_.push_back(root);
    }
    return std::move(found_);
  }

 private:
  void visit(uint64_t entry, uint64_t last, uint32_t depth) {
    const uint64_t node = entry & ~kNodeMask;
    const uint32_t kind = entry >> kKindShift & kKindMask;
    const bool has_gaps = kind == kGapKind;
    if (depth > kMostDepth || ++nodes_ > kMostNodes) return;
    if (!has_gaps && kind != kLeafKind && kind != kRangeKind) return;
    const uint32_t slots = has_gaps ? types_.gap_slots : types_.range_slots;
    const uint64_t pivots = node + (has_gaps ? types_.gap_pivot : types_.range_pivot);
    const uint64_t first = node + (has_gaps ? types_.gap_slot : types_.range_slot);
    for (uint32_t slot = 0; slot < slots && found_.size() < kMostAreas; ++slot) {
      // The last slot has no pivot; behind the one in use pivots are 0.
      uint64_t end = slot + 1 < slots ? memory_.word(pivots + 8 * slot) : last;
      if (slot > 0 && end == 0) end = last;
      const uint64_t below = memory_.word(first + 8 * slot);
      if (kind == kLeafKind && is_pointer(below)) found_.push_back(below);
      if (kind != kLeafKind && below >= kKernel) visit(below, end, depth + 1);
      if (end >= last) return;
    }
  }

  const KernelMemory &memory_;
  const LinuxTypes &types_;
  std::vector<uint64_t> found_;
  uint32_t nodes_ = 0;
};

// The path of a file from the root of its file system; empty when it cannot be told.
std::string path_of(const KernelMemory &memory, const LinuxTypes &types, uint64_t file) {
  uint64_t dentry = memory.word(file + types.file_dentry);
  std::string path;
  for (uint32_t depth = 0; depth < kMostFolders && is_pointer(dentry); ++depth) {
    const uint64_t parent = memory.word(dentry + types.dentry_parent);
    if (parent == dentry) return path;
    const uint32_t length = memory.half(dentry + types.dentry_length);
    if (length == 0 || length > kMostNameBytes) return "";
    const std::string name = memory.text(memory.word(dentry + types.dentry_name), length);
    if (name.size() != length) return "";
    path.insert(0, "/" + name);
    dentry = parent;
  }
  return "";
}

}  // namespace

std::vector<Mapping> executable_mappings(const KernelMemory &memory, const LinuxTypes &types,
                                         uint64_t mm) {
  std::vector<Mapping> mappings;
  const uint64_t vdso = memory.word(mm + types.mm_vdso);
  for (const uint64_t area : AreaWalk(memory, types).areas(memory.word(mm + types.mm_root))) {
    if ((memory.word(area + types.area_flags) & types.executable) == 0) continue;
    const uint64_t start = memory.word(area + types.area_start);
    const uint64_t end = memory.word(area + types.area_end);
    if (start >= end || end >= kKernel) continue;
    const uint64_t file = memory.word(area + types.area_file);
    const bool has_file = is_pointer(file);
    const uint64_t offset = has_file ? memory.word(area + types.area_page) * kPageBytes : 0;
    mappings.push_back({start, end, offset, has_file ? path_of(memory, types, file) : "",
                        !has_file && start == vdso});
  }
  std::sort(mappings.begin(), mappings.end(),
            [](const Mapping &a, const Mapping &b) { return a.start < b.start; });
  return mappings;
}

}  // namespace firesim::traces
