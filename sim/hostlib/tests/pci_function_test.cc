// SPDX-License-Identifier: BSD-3-Clause
// Functions on PCI: BARs that are mapped from a folder like the kernel's, whose files are plain
// ones here, and sockets whose far end is no board.
#include "hostlib/pci_function.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "hostlib/pci_messages.h"
#include "hostlib/simulated_pci_function.h"
#include "hostlib/window_platform.h"

namespace firesim::hostlib {
namespace {

namespace fs = std::filesystem;

class PciFunctionTest : public testing::Test {
 protected:
  PciFunctionTest() {
    std::string name = (fs::temp_directory_path() / "firesim-pci-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    // Longer than the 107 bytes that the address of a socket has.
    function_ = folder_ / std::string(120, 'f');
    fs::create_directory(function_);
  }
  ~PciFunctionTest() override { fs::remove_all(folder_); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(function_ / name) << text;
  }
  void make_function(size_t bytes_0, size_t bytes_4) {
    write("vendor", "0x1d0f\n");
    write("device", "0xf002\n");
    for (const auto &[name, bytes] : {std::pair{"resource0", bytes_0}, {"resource4", bytes_4}}) {
      write(name, "");
      fs::resize_file(function_ / name, bytes);
    }
  }
  // What is said of what is there.
  std::string refusal() {
    try {
      open_pci_function(function_.string(), window_needs("1d0f:f002"));
      return "";
    } catch (const std::runtime_error &error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind(function_.string(), 0), 0u) << text;
      return text.substr(function_.string().size());
    }
  }

  fs::path folder_, function_;
};

TEST_F(PciFunctionTest, LoadsAndStoresOfMappedBars) {
  make_function(4096, 8192);
  const auto function = open_pci_function(function_.string(), window_needs("1d0f:f002"));
  EXPECT_EQ(function->device(), function_.string());
  function->store(0, 0x10, 0x01020304);
  function->store(0, 0x14, 0x05060708);
  for (uint64_t i = 0; i < 8; ++i)
    function->store_word(4, static_cast<uint32_t>(8 * i), i << 56 | 1);
  function->store_word(4, 0x1000, 7);
  EXPECT_EQ(function->load(0, 0x10), 0x01020304u);
  std::array<uint64_t, 3> words;
  function->load_words(4, 16, words);
  EXPECT_EQ(words, (std::array<uint64_t, 3>{2ull << 56 | 1, 3ull << 56 | 1, 4ull << 56 | 1}));
  // What other processes see there.
  std::ifstream registers(function_ / "resource0", std::ios::binary);
  registers.seekg(0x10);
  uint64_t value = 0;
  registers.read(reinterpret_cast<char *>(&value), sizeof(value));
  EXPECT_EQ(value, 0x0506070801020304u);
}

TEST_F(PciFunctionTest, WhatIsNone) {
  const std::string none =
      ": found no PCI function, expected its folder in /sys/bus/pci/devices, or the socket of a "
      "simulated board";
  EXPECT_EQ(refusal(), none);
  make_function(4096, 8192);
  write("vendor", "0x10ee\n");
  EXPECT_EQ(refusal(), ": found the PCI function 10ee:f002, expected 1d0f:f002");
  write("vendor", "nonsense\n");
  EXPECT_EQ(refusal(), none);
  make_function(4096, 4096);
  EXPECT_EQ(refusal(), "/resource4: found a BAR of 4096 bytes, expected 8192 or more");
  make_function(0, 8192);
  EXPECT_EQ(refusal(), "/resource0: found a BAR of 0 bytes, expected 4096 or more");
  fs::remove(function_ / "resource0");
  EXPECT_EQ(refusal(), "/resource0: cannot be opened: No such file or directory");
}

TEST_F(PciFunctionTest, OneThatIsInUse) {
  make_function(4096, 8192);
  const auto function = open_pci_function(function_.string(), window_needs("1d0f:f002"));
  EXPECT_EQ(refusal(), "/resource0: found it in use by another run or another node");
}

TEST_F(PciFunctionTest, EachBladeHasAPartOfItsOwn) {
  make_function(2 * 4096, 2 * 8192);
  const auto first = open_pci_function(function_.string(), window_needs("1d0f:f002", 0));
  const auto second = open_pci_function(function_.string(), window_needs("1d0f:f002", 1));
  EXPECT_EQ(refusal(), "/resource0: found it in use by another run or another node");
  first->store(0, 0x10, 1);
  second->store(0, 0x10, 2);
  first->store_word(4, 0x1000, 3);
  second->store_word(4, 0x1000, 4);
  EXPECT_EQ(first->load(0, 0x10), 1u);
  EXPECT_EQ(second->load(0, 0x10), 2u);
  std::ifstream window(function_ / "resource4", std::ios::binary);
  window.seekg(0x2000 + 0x1000);
  uint64_t value = 0;
  window.read(reinterpret_cast<char *>(&value), sizeof(value));
  EXPECT_EQ(value, 4u);
  EXPECT_THROW(open_pci_function(function_.string(), window_needs("1d0f:f002", 2)),
               std::runtime_error);
}

// A far end of a socket: what it does with each packet.
using Answer = std::function<void(int file, const PciRequest &)>;

class PciSocketTest : public PciFunctionTest {
 protected:
  PciNeeds needs_;
  // What is said of a far end by who loads three words of it. One that answers has all the time
  // that a loaded computer needs.
  std::string said_of(const Answer &answer,
                      std::chrono::milliseconds most = std::chrono::seconds(60)) {
    const std::string path = (function_ / "board").string();
    const int listener = pci_socket(path, true);
    std::thread far([&] {
      const int file = accept(listener, nullptr, nullptr);
      PciRequest request{};
      while (recv(file, &request, sizeof(request), 0) == sizeof(request)) answer(file, request);
      close(file);
    });
    std::string said;
    try {
      SimulatedPciFunction function(path, needs_, most);
      std::array<uint64_t, 3> words{};
      function.load_words(4, 8, words);
      said = std::to_string(words[0] + words[1] + words[2]);
      said += " " + std::to_string(function.load(0, 4));
    } catch (const std::runtime_error &error) {
      said = error.what();
      EXPECT_EQ(said.rfind(path + ": ", 0), 0u) << said;
      said = said.substr(path.size() + 2);
    }
    far.join();
    close(listener);
    fs::remove(path);
    return said;
  }
};

TEST_F(PciSocketTest, AnAnswerToEachLoad) {
  EXPECT_EQ(said_of([](int file, const PciRequest &request) {
              const bool wide = request.access == PciAccess::kLoadWords;
              EXPECT_EQ(request.count, wide ? 3u : 1u);
              EXPECT_EQ(request.address, wide ? 8u : 4u);
              const std::array<uint64_t, 3> words{1, 20, 300};
              send(file, words.data(), 8 * request.count, 0);
            }),
            "321 1");
}

TEST_F(PciSocketTest, AnAccessOfAFurtherBlade) {
  needs_ = window_needs("1d0f:f002", 2);
  EXPECT_EQ(said_of([](int file, const PciRequest &request) {
              const std::array<uint64_t, 3> words{request.address, 0, 0};
              send(file, words.data(), 8 * request.count, 0);
            }),
            fmt::format("{} {}", 2 * 0x2000 + 8, 2 * 0x1000 + 4));
}

TEST_F(PciSocketTest, WhatIsNoAnswer) {
  const auto says = [](const std::vector<uint8_t> &bytes) {
    return [bytes](int file, const PciRequest &) { send(file, bytes.data(), bytes.size(), 0); };
  };
  EXPECT_EQ(said_of(says(std::vector<uint8_t>(25))),
            "found an answer of 25 bytes to a load, expected 24");
  EXPECT_EQ(said_of(says({1})), "found an answer of 1 bytes to a load, expected 24");
  EXPECT_EQ(said_of(says(std::vector<uint8_t>(1000))),
            "found an answer of 72 bytes to a load, expected 24");
  EXPECT_EQ(said_of([](int, const PciRequest &) {}, std::chrono::milliseconds(50)),
            "found no answer to a load for 0.05 s");
  EXPECT_EQ(said_of([](int file, const PciRequest &) { shutdown(file, SHUT_RDWR); }),
            "the simulated board is gone: it ended, or another run has it");
  EXPECT_EQ(said_of([](int file, const PciRequest &request) {
              const std::vector<uint8_t> bytes(8 * request.count, 9);
              send(file, bytes.data(), bytes.size(), 0);
            }),
            "found 0x909090909090909, expected 32 bits");
}

TEST_F(PciSocketTest, IsOfItsOwnerAlone) {
  const std::string path = (function_ / "board").string();
  const mode_t before = umask(0);
  const int listener = pci_socket(path, true);
  umask(before);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  close(listener);
}

TEST_F(PciSocketTest, NobodyListens) {
  const std::string path = (function_ / "board").string();
  close(pci_socket(path, true));
  EXPECT_THROW(
      {
        try {
          open_pci_function(path, window_needs("1d0f:f002"));
        } catch (const std::runtime_error &error) {
          EXPECT_EQ(error.what(), path + ": found no simulated board: Connection refused");
          throw;
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace firesim::hostlib
