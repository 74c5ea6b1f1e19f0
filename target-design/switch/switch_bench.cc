// SPDX-License-Identifier: BSD-3-Clause
//
// switch-bench: what one switch and its links cost, everything included: the tokens of every port
// are moved through both directions of its link, hashed and counted, and the sources at the other
// end make them. Prints one JSON object per mode, with the cost of everything per port and batch.
// "sources_ns" is the part of its CPU time that making the packets took (none when idle), which is
// neither switch nor link; "switch_ns" is the part of the switch with taking and sending at its
// ports.
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/scheduler.h"
#include "switch/store_and_forward.h"

namespace {

using firesim::Batch;

// Sends copies of one frame back to back, always the same data, and ignores what it gets.
class Source : public firesim::Model {
 public:
  Source(std::string name, uint64_t destination, uint32_t frame_flits)
      : Model(std::move(name)), frame_(frame_flits) {
    for (size_t i = 0; i < frame_.size(); ++i) frame_[i] = 0x0123456789abcdef * (i + 1);
    if (!frame_.empty()) frame_[0] = destination << 16;
  }

  uint32_t port_count() const override { return 1; }

  void advance(uint64_t, uint32_t cycles, std::span<Batch>, std::span<Batch> outputs) override {
    if (frame_.empty()) return;
    const bool timed = advances_++ % kTimedEvery == 0;
    const double started_ns = timed ? thread_cpu_ns() : 0;
    fill(cycles, outputs[0]);
    if (timed) timed_ns_ += thread_cpu_ns() - started_ns - clock_ns();
  }

  // CPU time spent making packets; what the link does with them is not among it.
  double advance_ns() const { return timed_ns_ * kTimedEvery; }

 private:
  static constexpr uint64_t kTimedEvery = 16;  // reading the clock takes time, too

  static double thread_cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  }

  // What nothing at all seems to take: part of the cost of reading the clock.
  static double clock_ns() {
    static const double cost_ns = [] {
      double least_ns = 1e9;
      for (int i = 0; i < 1000; ++i) {
        const double started_ns = thread_cpu_ns();
        least_ns = std::min(least_ns, thread_cpu_ns() - started_ns);
      }
      return least_ns;
    }();
    return cost_ns;
  }

  void fill(uint32_t cycles, Batch &output) {
    const auto length = static_cast<uint32_t>(frame_.size());
    for (uint32_t offset = 0; offset < cycles;) {
      const uint32_t flits = std::min(length - sent_, cycles - offset);
      output.append_run(offset, frame_.data() + sent_, flits, sent_ + flits == length);
      sent_ = sent_ + flits == length ? 0 : sent_ + flits;
      offset += flits;
    }
  }

  std::vector<uint64_t> frame_;  // empty: sends nothing
  uint32_t sent_ = 0;
  uint64_t advances_ = 0;
  double timed_ns_ = 0;
};

struct Options {
  uint32_t ports = 32;
  uint32_t latency_cycles = 6405;
  uint32_t batches = 2000;
  uint32_t threads = 1;
  uint32_t frame_bytes = 1518;
};

uint64_t mac_of(uint32_t port) { return 0x00006d1200 | uint64_t{port} << 40; }

nlohmann::json measure(const Options &options, bool loaded) {
  firesim::SwitchConfig config;
  config.name = "switch";
  config.ports.resize(options.ports);
  for (uint32_t port = 0; port < options.ports; ++port) {
    config.mac_table.push_back({mac_of(port), port});
  }
  firesim::StoreAndForwardSwitch device(config);
  firesim::SchedulerOptions run_options;
  run_options.threads = options.threads;
  run_options.max_cycles = uint64_t{options.latency_cycles} * options.batches;
  run_options.status_interval_s = 0;
  firesim::Scheduler scheduler(run_options);
  const size_t device_index = scheduler.add_model(device, false);
  const uint32_t frame_flits = loaded ? (options.frame_bytes + 2 + 7) / 8 : 0;
  std::vector<std::unique_ptr<Source>> sources;
  for (uint32_t port = 0; port < options.ports; ++port) {
    const std::string name = "source" + std::to_string(port);
    sources.push_back(
        std::make_unique<Source>(name, mac_of((port + 1) % options.ports), frame_flits));
    const size_t source = scheduler.add_model(*sources.back(), true);
    scheduler.connect(name, source, 0, device_index, port, options.latency_cycles);
  }
  const firesim::RunResult result = scheduler.run();
  const double port_batches = double{1} * options.ports * options.batches;
  double sources_ns = 0;
  for (const std::unique_ptr<Source> &source : sources) sources_ns += source->advance_ns();
  const double cycles = static_cast<double>(run_options.max_cycles);
  return {{"mode", loaded ? "loaded" : "idle"},
          {"ports", options.ports},
          {"threads", options.threads},
          {"latency_cycles", options.latency_cycles},
          {"frame_bytes", loaded ? options.frame_bytes : 0},
          {"reason", result.reason},
          {"target_cycles", run_options.max_cycles},
          {"flits_out", result.links[0].b_to_a.value().flits},
          {"wall_s", result.wall_s},
          {"target_cycles_per_s", cycles / result.wall_s},
          {"ns_per_port_and_batch", result.wall_s * 1e9 / port_batches},
          {"cpu_ns_per_port_and_batch", result.cpu_s * 1e9 / port_batches},
          {"sources_ns_per_port_and_batch", sources_ns / port_batches},
          {"switch_ns_per_port_and_batch", result.models[device_index].cpu_s * 1e9 / port_batches}};
}

int usage() {
  std::fprintf(stderr,
               "usage: switch-bench [--mode idle|loaded|both] [--ports N] [--latency CYCLES]\n"
               "                    [--batches N] [--threads N] [--frame BYTES]\n");
  return 2;
}

bool read_number(const char *text, uint32_t &value) {
  const char *end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end && value > 0;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  std::string mode = "both";
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) return usage();
    uint32_t *target = key == "--ports"     ? &options.ports
                       : key == "--latency" ? &options.latency_cycles
                       : key == "--batches" ? &options.batches
                       : key == "--threads" ? &options.threads
                       : key == "--frame"   ? &options.frame_bytes
                                            : nullptr;
    if (key == "--mode") {
      mode = argv[i + 1];
    } else if (target == nullptr || !read_number(argv[i + 1], *target)) {
      return usage();
    }
  }
  if (mode != "idle" && mode != "loaded" && mode != "both") return usage();
  for (const bool loaded : {false, true}) {
    if (mode != "both" && (mode == "loaded") != loaded) continue;
    std::printf("%s\n", measure(options, loaded).dump().c_str());
  }
  return 0;
}
