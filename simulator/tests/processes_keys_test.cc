// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that know each other by keys: the same run, and nobody else is let in.
#include <sys/stat.h>

#include "simulator/tests/processes_rig.h"

namespace firesim {
namespace {

class ProcessesKeysTest : public ProcessesTest {
 protected:
  void make_keys(const std::string &set) {
    std::filesystem::create_directories(folder_ / set);
    make_mesh_keys(folder_ / set, {"p0", "p1"});
  }
  MeshKeys keys(const std::string &set, const std::string &process) const {
    return read_mesh_keys(folder_ / set / (process + ".keys"));
  }

  // What each of two processes says when they try to meet; "met" if they do.
  static std::vector<std::string> meet(const std::optional<MeshKeys> &first,
                                       const std::optional<MeshKeys> &second) {
    const uint16_t port = free_ports(4);
    const std::vector<ProcessPlace> both = {{"p0", "127.0.0.1", port},
                                            {"p1", "127.0.0.1", static_cast<uint16_t>(port + 2)}};
    std::vector<std::string> said(2);
    std::vector<std::thread> threads;
    for (const size_t self : {0, 1}) {
      threads.emplace_back([&, self] {
        try {
          const auto mesh =
              make_zeromq_mesh({both, self, "the same"}, {3, self == 0 ? first : second});
          mesh->open({[](size_t, const Parcel &) {}, [](size_t, const std::string &) {}});
          said[self] = "met";
          mesh->close();
        } catch (const std::exception &error) {
          said[self] = error.what();
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
    return said;
  }

  std::string refusal(const std::string &file) const {
    try {
      read_mesh_keys(folder_ / file);
    } catch (const DescriptionError &error) {
      std::string text = error.what();
      const size_t at = text.find(folder_.string());
      return at == std::string::npos ? text : text.erase(at, folder_.string().size() + 1);
    }
    return "accepted";
  }
};

TEST_F(ProcessesKeysTest, TheRunIsTheSame) {
  std::mt19937_64 random(20);
  json target = random_target(random);
  const json expected = run_whole(target);
  target["results"] = "many";
  target["processes"] = places(2);
  target["nodes"][0]["process"] = "p1";
  write("many.json", target);
  make_keys("keys");
  const pid_t first = start("p0", {"--keys", (folder_ / "keys/p0.keys").string()});
  const pid_t second = start("p1", {"--keys", (folder_ / "keys/p1.keys").string()});
  EXPECT_EQ(exit_status_of(first), 0) << log("p0");
  EXPECT_EQ(exit_status_of(second), 0) << log("p1");
  EXPECT_EQ(comparable(read("many/result.json")), expected);
}

TEST_F(ProcessesKeysTest, WhoHasOtherKeysIsRefused) {
  make_keys("ours");
  make_keys("theirs");
  using Said = std::vector<std::string>;
  const std::string silent = "no answer within 3 seconds from process ";
  const std::string refused = " (somebody with another key was refused)";
  EXPECT_EQ(meet(keys("ours", "p0"), keys("ours", "p1")), (Said{"met", "met"}));
  // An impostor who knows all public keys.
  MeshKeys impostor = keys("theirs", "p1");
  impostor.public_keys["p0"] = keys("ours", "p0").public_keys["p0"];
  EXPECT_EQ(meet(keys("ours", "p0"), impostor),
            (Said{silent + "p1 on 127.0.0.1" + refused,
                  "process p0 on 127.0.0.1 refused the key of this process"}));
  // One that waits where p0 should.
  impostor = keys("theirs", "p0");
  impostor.public_keys["p1"] = keys("ours", "p1").public_keys["p1"];
  const Said to_impostor = meet(impostor, keys("ours", "p1"));
  for (const std::string &one : to_impostor) EXPECT_EQ(one.rfind(silent, 0), 0U) << one;
  // One without keys, on either side.
  for (const std::string &one : meet(keys("ours", "p0"), std::nullopt)) {
    EXPECT_EQ(one.rfind(silent, 0), 0U) << one;
  }
  for (const std::string &one : meet(std::nullopt, keys("ours", "p1"))) {
    EXPECT_EQ(one.rfind(silent, 0), 0U) << one;
  }
}

TEST_F(ProcessesKeysTest, MistakesAreNamed) {
  make_keys("keys");
  EXPECT_EQ(refusal("keys/p0.keys"), "accepted");
  chmod((folder_ / "keys/p0.keys").c_str(), 0640);
  EXPECT_EQ(refusal("keys/p0.keys"),
            "keys/p0.keys: holds a secret key and has mode 0640, expected a file of your own with "
            "mode 0600");
  chmod((folder_ / "keys/p0.keys").c_str(), 0600);
  EXPECT_EQ(refusal("keys/p2.keys"),
            "keys/p2.keys: No such file or directory, expected a file of keys");
  const json good = read("keys/p0.keys");
  json bad = good;
  bad["secret"] = "abc";
  write("keys/p0.keys", bad);
  EXPECT_EQ(refusal("keys/p0.keys"),
            "keys/p0.keys: \"secret\" is no key, expected 40 characters of Z85");
  bad = good;
  bad["process"] = "p1";
  write("keys/p0.keys", bad);
  EXPECT_EQ(
      refusal("keys/p0.keys"),
      "keys/p0.keys: the secret key does not belong to the public key of p1, expected a pair");
  write("keys/p0.keys", good);
  EXPECT_EQ(meet(keys("keys", "p1"), std::nullopt)[0],
            "process p0: found the keys of process p1, expected its own");
  EXPECT_THROW(make_keys("keys"), std::runtime_error) << "keys are never replaced";
}

}  // namespace
}  // namespace firesim
