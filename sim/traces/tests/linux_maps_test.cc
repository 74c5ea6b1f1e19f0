// SPDX-License-Identifier: BSD-3-Clause
// What lies where in a process: areas in a maple tree behind page tables, paths of files; and that
// memory of any content is read without harm.
#include "traces/linux_maps.h"

#include <gtest/gtest.h>

#include <random>

#include "core/tests/random_seed.h"
#include "traces/tests/guest_memory.h"

namespace firesim::traces {
namespace {

LinuxTypes some_types() {
  LinuxTypes types{};
  types.mm_root = 8, types.mm_vdso = 16;
  types.area_start = 0, types.area_end = 8, types.area_page = 16, types.area_flags = 24;
  types.area_file = 32;
  types.file_dentry = 8;
  types.dentry_parent = 0, types.dentry_name = 8, types.dentry_length = 16;
  types.range_pivot = 8, types.range_slot = 128, types.range_slots = 16;
  types.gap_pivot = 8, types.gap_slot = 80, types.gap_slots = 10;
  types.executable = 4;
  return types;
}

class LinuxMaps : public testing::Test {
 protected:
  void area(uint64_t at, uint64_t start, uint64_t end, uint64_t page, uint64_t file) {
    memory.put(at, start);
    memory.put(at + 8, end);
    memory.put(at + 16, page);
    memory.put(at + 24, 4);
    memory.put(at + 32, file);
  }
  void dentry(uint64_t at, uint64_t parent, const std::string &name) {
    memory.put(at, GuestMemory::seen(parent));
    memory.put(at + 8, GuestMemory::seen(at + 32));
    memory.put(at + 16, name.size());
    memory.put_text(at + 32, name);
  }
  // A process with /usr/prog, the kernel's code for programs, and an area without a file.
  void make_process() {
    memory.put(kMm + 8, GuestMemory::seen(kTop) | 3 << 3 | 2);  // the root: a node with gaps
    memory.put(kMm + 16, 0x9000);
    memory.put(kTop + 8, 0x8fff);  // up to the second leaf
    memory.put(kTop + 80, GuestMemory::seen(kLeft) | 1 << 3 | 4);
    memory.put(kTop + 88, GuestMemory::seen(kRight) | 1 << 3 | 4);
    memory.put(kLeft + 8, 0xfff);  // nothing, then the program
    memory.put(kLeft + 16, 0x8fff);
    memory.put(kLeft + 128 + 8, GuestMemory::seen(kArea));
    memory.put(kRight + 8, 0x9fff);
    memory.put(kRight + 16, 0xafff);
    memory.put(kRight + 128, GuestMemory::seen(kArea + 64));
    memory.put(kRight + 128 + 8, GuestMemory::seen(kArea + 128));
    area(kArea, 0x1000, 0x9000, 2, GuestMemory::seen(kFile));
    area(kArea + 64, 0x9000, 0xa000, 0, 0);
    area(kArea + 128, 0xa000, 0xb000, 0, 0);
    memory.put(kFile + 8, GuestMemory::seen(kDentry + 128));
    dentry(kDentry, kDentry, "/");
    dentry(kDentry + 64, kDentry, "usr");
    dentry(kDentry + 128, kDentry + 64, "prog");
  }

  static constexpr uint64_t kMm = kBase + 0x2000, kTop = kBase + 0x3000, kLeft = kBase + 0x3100,
                            kRight = kBase + 0x3200, kArea = kBase + 0x4000, kFile = kBase + 0x5000,
                            kDentry = kBase + 0x6000;
  GuestMemory memory;
  const LinuxTypes types = some_types();
};

TEST_F(LinuxMaps, AreasHavePathsAndPlaces) {
  make_process();
  const auto found =
      executable_mappings(KernelMemory(memory, kSatp), types, GuestMemory::seen(kMm));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].start, 0x1000u);
  EXPECT_EQ(found[0].end, 0x9000u);
  EXPECT_EQ(found[0].file_offset, 0x2000u);
  EXPECT_EQ(found[0].path, "/usr/prog");
  EXPECT_TRUE(found[1].is_vdso);
  EXPECT_FALSE(found[2].is_vdso);
  EXPECT_EQ(found[2].path, "");
}

TEST_F(LinuxMaps, WithoutPageTablesNothingIsSeen) {
  make_process();
  EXPECT_TRUE(executable_mappings(KernelMemory(memory, 0), types, GuestMemory::seen(kMm)).empty());
}

TEST_F(LinuxMaps, AnyMemoryIsReadWithoutHarm) {
  const uint64_t seed = random_seed();
  SCOPED_TRACE("FIRESIM_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  make_process();
  const std::vector<uint8_t> good = memory.bytes();
  for (int round = 0; round < 400; ++round) {
    memory.bytes() = good;
    for (int i = 0; i < 8; ++i) {
      const uint64_t at = kBase + 0x2000 + random() % 0x5000 / 8 * 8;
      // Values that lead somewhere: pointers into the same structures, of any kind of node.
      memory.put(at, GuestMemory::seen(kBase + 0x2000 + random() % 0x5000));
    }
    const auto found =
        executable_mappings(KernelMemory(memory, kSatp), types, GuestMemory::seen(kMm));
    for (const Mapping &each : found) EXPECT_LT(each.start, each.end);
  }
}

}  // namespace
}  // namespace firesim::traces
