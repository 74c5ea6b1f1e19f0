// SPDX-License-Identifier: BSD-3-Clause
// Cards behind AMD's XDMA: devices like those of its driver, which are plain files and pipes here,
// and a socket whose far end is no card.
#include "hostlib/xdma_card.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "hostlib/pci_messages.h"

namespace firesim::hostlib {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<uint64_t>;

class XdmaCardTest : public testing::Test {
 protected:
  XdmaCardTest() {
    std::string name = (fs::temp_directory_path() / "firesim-xdma-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    card_ = (folder_ / "xdma0").string();
  }
  ~XdmaCardTest() override { fs::remove_all(folder_); }

  void make_devices(const Words &up, size_t further_bytes = 0) {
    std::ofstream(card_ + "_user");
    fs::resize_file(card_ + "_user", kXdmaRegisterBytes);
    std::ofstream(card_ + "_h2c_0");
    std::ofstream file(card_ + "_c2h_0", std::ios::binary);
    file.write(reinterpret_cast<const char *>(up.data()),
               static_cast<std::streamsize>(8 * up.size()));
    file << std::string(further_bytes, 'x');
  }
  // What is said when a card is opened, and then `use` is done with it.
  template <typename Use>
  std::string said(Use use) {
    try {
      use(*open_xdma_card(card_));
      return "";
    } catch (const std::runtime_error &error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind(card_ + ": ", 0), 0u) << text;
      return text.substr(card_.size() + 2);
    }
  }
  std::string said() {
    return said([](XdmaCard &) {});
  }

  fs::path folder_;
  std::string card_;
};

TEST_F(XdmaCardTest, RegistersAndStreams) {
  Words up(1500), down(1300);
  for (size_t i = 0; i < up.size(); ++i) up[i] = i << 32 | 7;
  for (size_t i = 0; i < down.size(); ++i) down[i] = ~i;
  make_devices(up);
  const auto card = open_xdma_card(card_);
  EXPECT_EQ(card->device(), card_);
  card->store(0x34, 0x01020304);
  EXPECT_EQ(card->load(0x34), 0x01020304u);
  card->send(down);
  Words found(up.size());
  for (std::span<uint64_t> left(found); !left.empty();) {
    const size_t count = card->receive(left);
    EXPECT_EQ(count, std::min<size_t>(left.size(), 512)) << "a page, one descriptor of the driver";
    left = left.subspan(count);
  }
  EXPECT_EQ(found, up);
  Words came(down.size());
  std::ifstream(card_ + "_h2c_0", std::ios::binary)
      .read(reinterpret_cast<char *>(came.data()), static_cast<std::streamsize>(8 * came.size()));
  EXPECT_EQ(came, down);
}

TEST_F(XdmaCardTest, DevicesThatAreNone) {
  EXPECT_EQ(said(), "found no " + card_ +
                        "_user, expected the name of a card of AMD's XDMA driver, such as "
                        "/dev/xdma0, or the socket of a simulated board");
  make_devices({});
  fs::remove(card_ + "_c2h_0");
  EXPECT_EQ(said(), "found no " + card_ +
                        "_c2h_0, expected the name of a card of AMD's XDMA driver, such as "
                        "/dev/xdma0, or the socket of a simulated board");
  fs::create_directory(card_ + "_c2h_0");
  fs::remove(card_ + "_h2c_0");
  fs::create_directory(card_ + "_h2c_0");
  EXPECT_EQ(said(), card_ + "_h2c_0 cannot be opened: Is a directory");
}

TEST_F(XdmaCardTest, OneThatIsInUse) {
  make_devices({});
  const auto card = open_xdma_card(card_);
  EXPECT_EQ(said(), "found it in use by another run or another node");
}

TEST_F(XdmaCardTest, EachBladeHasAPartOfItsOwn) {
  make_devices({1});
  fs::resize_file(card_ + "_user", 2 * kXdmaRegisterBytes);
  EXPECT_EQ(
      said([this](XdmaCard &) { open_xdma_card(card_, 1); }),
      fmt::format("found no {0}_h2c_1, expected the name of a card of AMD's XDMA driver, such "
                  "as /dev/xdma0, or the socket of a simulated board",
                  card_));
  for (const char *name : {"_h2c_1", "_c2h_1"}) fs::copy_file(card_ + "_c2h_0", card_ + name);
  const auto first = open_xdma_card(card_), second = open_xdma_card(card_, 1);
  EXPECT_EQ(said(), "found it in use by another run or another node");
  first->store(0x34, 1);
  second->store(0x34, 2);
  EXPECT_EQ(first->load(0x34), 1u);
  EXPECT_EQ(second->load(0x34), 2u);
  second->send(Words{5, 6});
  EXPECT_EQ(fs::file_size(card_ + "_h2c_1"), 16u);
  EXPECT_EQ(fs::file_size(card_ + "_h2c_0"), 0u);
}

TEST_F(XdmaCardTest, TransfersThatFail) {
  const auto read = [](XdmaCard &card) {
    Words words(3);
    card.receive(words);
  };
  make_devices({});
  EXPECT_EQ(said(read), card_ + "_c2h_0 gave 0 bytes, expected a multiple of 8 up to 24");
  make_devices({1, 2}, 3);
  EXPECT_EQ(said(read), card_ + "_c2h_0 gave 19 bytes, expected a multiple of 8 up to 24");
  fs::remove(card_ + "_c2h_0");
  fs::create_directory(card_ + "_c2h_0");
  EXPECT_EQ(said(read), card_ + "_c2h_0 gives no words: Is a directory");
  fs::remove(card_ + "_h2c_0");
  fs::create_symlink("/dev/full", card_ + "_h2c_0");
  EXPECT_EQ(said([](XdmaCard &card) { card.send(Words(3)); }),
            card_ + "_h2c_0 takes no words: No space left on device");
}

// As an operator's Ctrl-C, or a profiler's timer, in the middle of a transfer.
TEST_F(XdmaCardTest, ASignalDoesNotEndATransfer) {
  make_devices({});
  fs::remove(card_ + "_c2h_0");
  ASSERT_EQ(mkfifo((card_ + "_c2h_0").c_str(), 0600), 0);
  const int far = open((card_ + "_c2h_0").c_str(), O_RDWR | O_CLOEXEC);
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  sigaction(SIGUSR1, &action, nullptr);
  const auto card = open_xdma_card(card_);
  std::atomic<int> waits{0};
  Words words(1);
  std::string text = "no word";
  std::thread reader([&] {
    waits = static_cast<int>(gettid());
    try {
      text = std::to_string(card->receive(words)) + " word";
    } catch (const std::runtime_error &error) {
      text = error.what();
    }
  });
  while (waits == 0) std::this_thread::yield();
  // Until the kernel says that the thread sleeps, in its read.
  const std::string state = "/proc/self/task/" + std::to_string(waits.load()) + "/stat";
  for (char letter = 'R'; letter != 'S';) {
    std::ifstream file(state);
    std::string text_of_state;
    std::getline(file, text_of_state);
    letter = text_of_state[text_of_state.rfind(')') + 2];
  }
  pthread_kill(reader.native_handle(), SIGUSR1);
  const uint64_t word = 7;
  EXPECT_EQ(write(far, &word, 8), 8);
  reader.join();
  close(far);
  EXPECT_EQ(text, "1 word");
  EXPECT_EQ(words[0], 7u);
}

TEST_F(XdmaCardTest, AnswersOfASocketThatCannotBe) {
  // A far end that says `first` words came, whatever it was asked for.
  const auto told = [&](uint64_t first) {
    const int listener = pci_socket(card_, true);
    std::thread far([&] {
      const int file = accept(listener, nullptr, nullptr);
      PciRequest request{};
      while (recv(file, &request, sizeof(request), 0) == sizeof(request)) {
        const std::array<uint64_t, kMostPciWords> words{first, 10, 20, 30};
        send(file, words.data(), 8 * request.count, MSG_NOSIGNAL);
      }
      close(file);
    });
    Words words(3);
    std::string text = said([&](XdmaCard &card) { words.resize(card.receive(words)); });
    if (text.empty()) text = std::to_string(words.size()) + " from " + std::to_string(words[0]);
    far.join();
    close(listener);
    fs::remove(card_);
    return text;
  };
  EXPECT_EQ(told(2), "2 from 10");
  EXPECT_EQ(told(0), "found 0 words, expected 1 to 3");
  EXPECT_EQ(told(4), "found 4 words, expected 1 to 3");
}

}  // namespace
}  // namespace firesim::hostlib
