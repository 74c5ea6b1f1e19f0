// SPDX-License-Identifier: BSD-3-Clause
//
// firesim-hostile: gives seeded broken input to everything that reads what others made, or guests
// send. Each case depends on the target's name and its seed alone.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

constexpr unsigned kMostSeconds = 60;  // for one case; a signal ends the process then

const Target *find(const std::vector<Target> &targets, const std::string &name) {
  for (const Target &target : targets) {
    if (target.name == name) return &target;
  }
  std::fprintf(stderr, "there is no target %s\n", name.c_str());
  std::exit(2);
}

struct Options {
  std::string base, target, progress, replay, write;
  uint64_t seed = 1, cases = 1;
};

std::string case_of(const Target &target, uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15 + std::hash<std::string>()(target.name));
  return target.mutate(target.good[random() % target.good.size()], random);
}

// The seed that is being tried, for whoever finds this process dead.
class Progress {
 public:
  explicit Progress(const std::string &path)
      : file_(path.empty() ? -1 : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)) {}
  void note(uint64_t seed) const {
    const std::string text = std::to_string(seed) + "\n";
    if (file_ >= 0) static_cast<void>(!pwrite(file_, text.data(), text.size(), 0));
  }

 private:
  const int file_;
};

int run(const Options &options, const Target &target) {
  const Progress progress(options.progress);
  nlohmann::json failures = nlohmann::json::array();
  uint64_t accepted = 0;
  for (const std::string &good : target.good) {
    const Verdict verdict = target.take(good);
    if (verdict.accepted && verdict.defect.empty()) continue;
    failures.push_back({{"seed", 0}, {"problem", "a good input is refused: " + verdict.said}});
  }
  for (uint64_t seed = options.seed; seed < options.seed + options.cases; ++seed) {
    progress.note(seed);
    alarm(kMostSeconds);
    const Verdict verdict = target.take(case_of(target, seed));
    accepted += verdict.accepted ? 1 : 0;
    if (!verdict.defect.empty()) failures.push_back({{"seed", seed}, {"problem", verdict.defect}});
  }
  const nlohmann::json report = {{"target", target.name},
                                 {"cases", options.cases},
                                 {"accepted", accepted},
                                 {"failures", failures}};
  std::printf("%s\n", report.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
  return failures.empty() ? 0 : 1;
}

int replay(const Options &options, const Target &target) {
  const Verdict verdict = target.take(read_file(options.replay));
  const std::string &words = verdict.defect.empty() ? verdict.said : verdict.defect;
  std::printf("%s\n", verdict.accepted && words.empty() ? "accepted" : words.c_str());
  return verdict.defect.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  for (int at = 1; at + 1 < argc; at += 2) {
    const std::string name = argv[at], value = argv[at + 1];
    if (name == "--base") options.base = value;
    if (name == "--target") options.target = value;
    if (name == "--progress") options.progress = value;
    if (name == "--replay") options.replay = value;
    if (name == "--write") options.write = value;
    if (name == "--seed") options.seed = std::strtoull(value.c_str(), nullptr, 0);
    if (name == "--cases") options.cases = std::strtoull(value.c_str(), nullptr, 0);
  }
  if (argc % 2 == 0 || options.base.empty() || options.target.empty()) {
    std::fprintf(stderr,
                 "usage: firesim-hostile --base RESULTS --target NAME [--seed N] [--cases N]\n"
                 "         [--progress FILE] [--replay FILE] [--write FILE]\n"
                 "Tries broken input by seed, or that of a file; or writes the input of a seed.\n");
    return 2;
  }
  const Bench bench(options.base);
  const std::vector<Target> targets = all_targets(bench);
  const Target &target = *find(targets, options.target);
  if (!options.write.empty()) {
    write_file(options.write, case_of(target, options.seed));
    return 0;
  }
  return options.replay.empty() ? run(options, target) : replay(options, target);
}

}  // namespace firesim::hostile

int main(int argc, char **argv) {
  try {
    return firesim::hostile::main(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
