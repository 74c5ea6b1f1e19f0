// SPDX-License-Identifier: BSD-3-Clause
//
// What is reserved before a run can be written when nothing else can.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/atomic_file.h"
#include "core/status_writer.h"

namespace firesim {
namespace {

namespace fs = std::filesystem;

class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("firesim-full-disk-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
  }
  void TearDown() override {
    setrlimit(RLIMIT_FSIZE, &before_);
    fs::remove_all(folder_);
  }

  // No file grows beyond so many bytes, as on a disk without room.
  void limit(uint64_t bytes) const {
    const rlimit limited{bytes, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  }

  static std::string text_of(const fs::path &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  fs::path folder_;
  rlimit before_{};
};

TEST_F(FullDisk, ReservedFileHasItsBlocksBeforeItIsWritten) {
  const fs::path room = folder_ / ".result.json.room";
  {
    ReservedFile file(folder_ / "result.json", 100'000);
    struct stat about {};
    ASSERT_EQ(stat(room.c_str(), &about), 0);
    EXPECT_GE(about.st_blocks * 512, 100'000);
    EXPECT_FALSE(fs::exists(folder_ / "result.json"));
    file.write("{}\n");
  }
  EXPECT_EQ(text_of(folder_ / "result.json"), "{}\n");
  EXPECT_FALSE(fs::exists(room));
}

TEST_F(FullDisk, ReservedFileLeavesNothingOfItsOwn) {
  { const ReservedFile file(folder_ / "result.json", 100); }
  EXPECT_TRUE(fs::is_empty(folder_));
  std::ofstream(folder_ / ".result.json.room") << "the manager's";
  { const ReservedFile file(folder_ / "result.json", 100); }
  EXPECT_TRUE(fs::exists(folder_ / ".result.json.room"));
}

TEST_F(FullDisk, ReservedFileRefusesWhatThereIsNoRoomFor) {
  limit(50'000);
  try {
    const ReservedFile file(folder_ / "result.json", 100'000);
    FAIL() << "accepted";
  } catch (const std::runtime_error &error) {
    EXPECT_EQ(error.what(), "cannot reserve 100000 bytes for " +
                                (folder_ / "result.json").string() + ": File too large");
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FullDisk, ReservedFileFollowsNoLink) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / ".result.json.room");
  EXPECT_THROW(ReservedFile(folder_ / "result.json", 100), std::runtime_error);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

constexpr int kNoMounts = 77;

void write_all(const fs::path &path, const std::string &text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (write(file, text.data(), text.size()) < 0) _exit(kNoMounts);
  close(file);
}

// On a disk of 256 KiB of its own, filled after the first line: what the lines say.
[[noreturn]] void write_status_on_full_disk(const fs::path &disk) {
  const std::string user = std::to_string(getuid());
  const std::string group = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(kNoMounts);
  write_all("/proc/self/setgroups", "deny");
  write_all("/proc/self/uid_map", "0 " + user + " 1");
  write_all("/proc/self/gid_map", "0 " + group + " 1");
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=256k") != 0) _exit(kNoMounts);
  const Scheduler scheduler({.threads = 1, .status_interval_s = 0});
  const fs::path path = disk / "status.jsonl";
  std::vector<double> seen;
  {
    StatusWriter writer(path, scheduler, 1);
    const std::vector<ModelStatus> models(20);
    writer.write(1, models);
    std::ofstream rest(disk / "rest", std::ios::binary);
    while (rest << std::string(4096, 'x') << std::flush) {
    }
    for (int second = 2; second < 200; ++second) writer.write(second, models);
  }
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    seen.push_back(nlohmann::json::parse(line).at("wall_s"));
  }
  _exit(!seen.empty() && seen.front() == 1 && seen.back() == 199 && seen.size() < 100 ? 0 : 1);
}

TEST_F(FullDisk, StatusHasWholeLinesAndTheLastOne) {
  const pid_t child = fork();
  if (child == 0) write_status_on_full_disk(folder_);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == kNoMounts) GTEST_SKIP() << "no name spaces of mounts here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace firesim
