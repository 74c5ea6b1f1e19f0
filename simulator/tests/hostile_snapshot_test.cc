// SPDX-License-Identifier: BSD-3-Clause
//
// Snapshots made to mislead: what they name lies in their folder and is a file, and what they say
// is bounded; anything else is refused in one sentence, before anything is read or started.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <utility>

#include "core/snapshot_files.h"
#include "core/token_hash.h"
#include "simulator/tests/snapshot_rig.h"

namespace firesim {
namespace {

class HostileSnapshotTest : public SnapshotTest {
 protected:
  void SetUp() override {
    SnapshotTest::SetUp();
    json saving = description("saved");
    saving["snapshots"] = {{"at_cycles", {3000}}};
    run(saving);
    std::filesystem::copy(folder_ / "saved/snapshots/cycle-3000", folder_ / "evil");
    good_ = json::parse(text("evil/snapshot.json"));
  }

  // What is said of the snapshot with this index, whose hash is made to be right.
  std::string refused(json index) {
    index.erase("hash");
    const std::string hashed = index.dump();
    index["hash"] = hash_to_hex(hash_bytes(hashed.data(), hashed.size()));
    return refused_text(index.dump());
  }

  std::string refused_text(const std::string &index) {
    std::ofstream(folder_ / "evil/snapshot.json", std::ios::binary) << index;
    return refusal(restored("evil"));
  }

  // What is said of the snapshot whose file of this name is what `make` puts there; then it is as
  // before.
  std::string replaced(const std::string &name,
                       const std::function<void(const std::filesystem::path &)> &make) {
    const std::filesystem::path path = folder_ / "evil" / name;
    std::filesystem::rename(path, folder_ / "kept");
    make(path);
    std::string said = refusal(restored("evil"));
    std::filesystem::remove(path);
    std::filesystem::rename(folder_ / "kept", path);
    return said;
  }

  json good_;
};

TEST_F(HostileSnapshotTest, FilesLieInTheFolder) {
  std::ofstream(folder_ / "outside") << "secret";
  for (const std::string name :
       {"../outside", "/proc/self/environ", "/etc/passwd", "sub/file", ".", "..", "a b", "x\n"}) {
    for (const bool of_links : {false, true}) {
      json index = good_;
      json &entry = of_links ? index["links_state"] : index["models"][1]["state"];
      entry = {{"file", name}, {"bytes", 0}, {"hash", hash_to_hex(hash_bytes("", 0))}};
      EXPECT_EQ(refused(index), std::string("snapshot evil: snapshot.json: ") +
                                    (of_links ? "" : "models[1]: ") + '"' +
                                    (of_links ? "links_state" : "state") + "\": \"file\" is " +
                                    json(name).dump() +
                                    ", expected the plain name of a file in the snapshot's folder");
    }
  }
  json index = good_;
  index["models"][1]["regions"] = {
      {{"name", "dram"}, {"file", "../outside"}, {"bytes", 6}, {"hash", "0"}}};
  EXPECT_EQ(refused(index),
            "snapshot evil: snapshot.json: models[1]: regions[0]: \"file\" is \"../outside\", "
            "expected the plain name of a file in the snapshot's folder");
  index["models"][1]["regions"][0]["file"] = std::string("a\0b", 3);
  EXPECT_NE(refused(index).find("expected the plain name"), std::string::npos);
}

TEST_F(HostileSnapshotTest, OnlyRegularFilesAreOpened) {
  const std::filesystem::path outside = folder_ / "outside";
  const auto link = [&](const auto &path) { std::filesystem::create_symlink(outside, path); };
  const auto folder = [](const auto &path) { std::filesystem::create_directory(path); };
  const auto fifo = [](const auto &path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); };
  const auto device = [](const auto &path) { std::filesystem::create_symlink("/dev/zero", path); };
  for (const std::string name : {"n0.state", "s1.state", "links.state", "snapshot.json"}) {
    const std::string where =
        "snapshot evil: " + std::string(name == "snapshot.json" ? "" : "the file ") + name;
    std::filesystem::copy_file(folder_ / "evil" / name, outside,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(replaced(name, link), where + " is a symbolic link, expected a regular file");
    EXPECT_EQ(replaced(name, device), where + " is a symbolic link, expected a regular file");
    EXPECT_EQ(replaced(name, folder), where + " is a directory, expected a regular file");
    EXPECT_EQ(replaced(name, fifo), where + " is a FIFO, expected a regular file");
  }
  const auto socket_file = [](const std::filesystem::path &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    close(descriptor);
  };
  EXPECT_EQ(replaced("n0.state", socket_file),
            "snapshot evil: the file n0.state is a socket, expected a regular file");
  EXPECT_EQ(refusal(restored("evil/snapshot.json")), "snapshot snapshot.json: found no folder " +
                                                         (folder_ / "evil/snapshot.json").string() +
                                                         ", expected a snapshot");
  std::filesystem::create_directory_symlink("evil", folder_ / "link");  // the user's own choice
  EXPECT_EQ(refusal(restored("link")), "accepted");
}

// What is declared is what is read.
TEST_F(HostileSnapshotTest, FilesHaveTheDeclaredSize) {
  json index = good_;
  const uint64_t bytes = std::filesystem::file_size(folder_ / "evil/n0.state");
  index["models"][0]["state"]["bytes"] = bytes - 1;
  EXPECT_EQ(refused(index), "snapshot evil: the file n0.state has " + std::to_string(bytes) +
                                " bytes, expected " + std::to_string(bytes - 1));
  index = good_;
  index["models"][0]["state"]["bytes"] = uint64_t{1} << 40;
  EXPECT_EQ(refused(index),
            "snapshot evil: snapshot.json: models[0]: \"state\": \"bytes\" is 1099511627776, "
            "expected an integer from 0 to 4294967296");
}

TEST_F(HostileSnapshotTest, TheIndexIsBounded) {
  const auto nested = [](size_t depth, const std::string &open, const std::string &close) {
    std::string text;
    for (size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  const std::string too_deep =
      "snapshot evil: snapshot.json:1: found more than 48 objects and arrays within each other";
  EXPECT_EQ(refused_text(nested(100'000, "[", "]")), too_deep);
  EXPECT_EQ(refused_text(nested(100'000, "{\"a\":", "}")), too_deep);
  EXPECT_EQ(refused_text(nested(49, "[", "]")), too_deep);
  EXPECT_EQ(refused_text(nested(48, "[", "]")).substr(0, 38),
            "snapshot evil: snapshot.json holds [[[");
  EXPECT_EQ(refused_text("{\n\"cycle\": 1e999}"),
            "snapshot evil: snapshot.json:2: found the number 1e999, expected one that fits 64 "
            "bits");
  EXPECT_EQ(refused_text("{\"cycle\": 1,\n\"cycle\": 2}"),
            "snapshot evil: snapshot.json:2: found the key \"cycle\" twice in one object");
  EXPECT_EQ(refused_text(""), "snapshot evil: snapshot.json:1: not valid JSON");
  std::filesystem::resize_file(folder_ / "evil/snapshot.json", (uint64_t{64} << 20) + 1);
  EXPECT_EQ(refusal(restored("evil")),
            "snapshot evil: snapshot.json has 67108865 bytes, expected at most 67108864");
}

// One large file that many entries name would be hashed as often.
TEST_F(HostileSnapshotTest, AFileBelongsToOneEntry) {
  json index = good_;
  index["models"][1]["state"] = index["models"][0]["state"];
  EXPECT_EQ(refused(index),
            "snapshot evil: the file n0.state is named by two entries, expected one");
  index = good_;
  for (int i = 0; i < 20'000; ++i) {
    json region = index["models"][0]["state"];
    region["name"] = std::string("r").append(std::to_string(i));
    index["models"][1]["regions"].push_back(region);
  }
  EXPECT_EQ(refused(index),
            "snapshot evil: the file n0.state is named by two entries, expected one");
}

// Bytes that this process has read from files.
uint64_t bytes_read() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  uint64_t count = 0;
  counters >> name >> count;
  EXPECT_EQ(name, "rchar:");
  return count;
}

// Hard links are such entries, too: a file is hashed once, whatever its names.
TEST_F(HostileSnapshotTest, AFileOfManyNamesIsHashedOnce) {
  constexpr uint64_t kBytes = uint64_t{16} << 20;
  const std::string data(kBytes, 'x');
  const std::string hash = hash_to_hex(hash_bytes(data.data(), data.size()));
  std::ofstream(folder_ / "evil/r0") << data;
  json index = good_;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = std::string("r").append(std::to_string(i));
    if (i > 0) std::filesystem::create_hard_link(folder_ / "evil/r0", folder_ / "evil" / name);
    index["models"][1]["regions"].push_back(
        {{"name", name}, {"file", name}, {"bytes", kBytes}, {"hash", hash}});
  }
  const uint64_t before = bytes_read();
  EXPECT_EQ(refused(index), "accepted");
  EXPECT_LT(bytes_read() - before, 4 * kBytes);
  index["models"][1]["regions"][999]["hash"] = "0000000000000000";
  EXPECT_NE(refused(index).find("the file r999 has been changed"), std::string::npos);
}

// Files with holes have any size on a small disk; what is kept of them is bounded before it is.
TEST_F(HostileSnapshotTest, AllFilesTogetherAreBounded) {
  json index = good_;
  index["models"][0]["state"]["bytes"] = uint64_t{4} << 30;
  uint64_t others = good_["links_state"]["bytes"];
  for (size_t i = 1; i < good_["models"].size(); ++i) {
    others += good_["models"][i]["state"]["bytes"].get<uint64_t>();
  }
  EXPECT_EQ(refused(index), "snapshot evil: the states have " +
                                std::to_string((uint64_t{4} << 30) + others) +
                                " bytes in all, expected at most 4294967296");
  index = good_;
  for (int i = 0; i < 17; ++i) {
    const std::string name = std::string("r").append(std::to_string(i));
    index["models"][1]["regions"].push_back({{"name", name},
                                             {"file", name},
                                             {"bytes", uint64_t{1} << 40},
                                             {"hash", "0000000000000000"}});
  }
  EXPECT_NE(refused(index).find("bytes in all, expected at most 17592186044416"),
            std::string::npos);
}

// The states know when they were saved: an index cannot say another cycle, whatever its hash.
TEST_F(HostileSnapshotTest, TheCycleIsThatOfTheStates) {
  for (const uint64_t cycle : {uint64_t{0}, uint64_t{2999}, uint64_t{3001}, uint64_t{1} << 61}) {
    json index = good_;
    index["cycle"] = cycle;
    EXPECT_EQ(refused(index), "snapshot evil: n0: section \"model\": the cycle is 3000, expected " +
                                  std::to_string(cycle) + " as in this system");
  }
}

// As the first FireSims wrote them. Their cycle would be whatever the index says.
TEST_F(HostileSnapshotTest, AStateThatDoesNotSayItsCycleIsRefused) {
  const size_t version_at = 2 + std::strlen("model"), length_at = version_at + 4;
  constexpr size_t kCycleBytes = 9;  // with its type
  for (const uint64_t cycle : {uint64_t{3000}, uint64_t{3001}}) {
    json index = good_;
    index["cycle"] = cycle;
    for (json &model : index["models"]) {
      const std::string file = model["state"]["file"];
      std::string state = text("evil/" + file);
      if (state[version_at] == 2) {
        state[version_at] = 1;
        uint64_t length = 0;
        std::memcpy(&length, state.data() + length_at, sizeof length);
        length -= kCycleBytes;
        std::memcpy(state.data() + length_at, &length, sizeof length);
        state.erase(length_at + sizeof length, kCycleBytes);
        std::ofstream(folder_ / "evil" / file, std::ios::binary) << state;
      }
      model["state"]["bytes"] = state.size();
      model["state"]["hash"] = hash_to_hex(hash_bytes(state.data(), state.size()));
    }
    EXPECT_EQ(refused(index),
              "snapshot evil: n0: section \"model\": version 1 does not say its cycle, expected "
              "version 2: save the snapshot again");
  }
}

// Numbers of a switch's state at which sums and differences go wrong: refused, or simulated on.
TEST_F(HostileSnapshotTest, EveryNumberOfASwitchMayBeAnything) {
  const std::string good = text("evil/s1.state");
  size_t tried = 0;
  for (size_t at = 0; at + 9 <= good.size(); ++at) {
    if (good[at] != 'u') continue;  // the type of a number
    for (const uint64_t value : {UINT64_MAX, uint64_t{1} << 63, (uint64_t{1} << 63) - 1}) {
      std::string state = good;
      std::memcpy(state.data() + at + 1, &value, sizeof value);
      std::ofstream(folder_ / "evil/s1.state", std::ios::binary) << state;
      json index = good_;
      for (json &model : index["models"]) {
        if (model["name"] == "s1") {
          model["state"]["hash"] = hash_to_hex(hash_bytes(state.data(), state.size()));
        }
      }
      const std::string said = refused(index);
      EXPECT_FALSE(said.empty());
      EXPECT_EQ(said.find("internal error"), std::string::npos) << at << ": " << said;
      ++tried;
    }
  }
  EXPECT_GT(tried, 30);
}

TEST_F(HostileSnapshotTest, ValuesAreWhatTheyMustBe) {
  const std::vector<std::pair<std::function<void(json &)>, std::string>> cases = {
      {[](json &index) { index["models"][0]["state"]["hash"] = "no hash"; },
       "models[0]: \"state\": \"hash\" is \"no hash\", expected 16 hexadecimal digits"},
      {[](json &index) { index["links_state"]["hash"] = "0x12345678901234"; },
       "\"links_state\": \"hash\" is \"0x12345678901234\", expected 16 hexadecimal digits"},
      {[](json &index) { index["cycle"] = -1; },
       "\"cycle\" is -1, expected an integer from 0 to 4611686018427387904"},
      {[](json &index) { index["cycle"] = 1e300; },
       "\"cycle\" is 1e+300, expected an integer from 0 to 4611686018427387904"},
      {[](json &index) { index["models"] = 3; }, "\"models\" is 3, expected an array"},
      {[](json &index) { index["models"][1] = "n1"; },
       "models[1]: found \"n1\", expected an object"},
      {[](json &index) { index["models"][1]["name"] = "n0"; },
       "models[1]: \"name\" is \"n0\", expected a name that no other model has"},
      {[](json &index) { index["models"][1]["name"] = "\x1b[2J"; },
       "models[1]: \"name\" is \"\\u001b[2J\", expected up to 128 letters, digits and the "
       "characters _ - . / :"},
      {[](json &index) { index["links"][1]["name"] = index["links"][0]["name"]; },
       "links[1]: \"name\" is \"n0--s0\", expected a name that no other link has"},
      {[](json &index) { index["links"][0]["offset"] = uint64_t{1} << 63; },
       "links[0]: \"offset\" is 9223372036854775808, expected an integer from 0 to "},
      {[](json &index) { index["extra"] = 1; }, "unknown key \"extra\""},
  };
  for (const auto &[damage, expected] : cases) {
    json index = good_;
    damage(index);
    const std::string place = "snapshot evil: snapshot.json: ";
    EXPECT_EQ(refused(index).substr(0, place.size() + expected.size()), place + expected);
  }
  EXPECT_EQ(refused(good_), "accepted");
}

}  // namespace
}  // namespace firesim
