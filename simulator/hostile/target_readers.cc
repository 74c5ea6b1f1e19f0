// SPDX-License-Identifier: BSD-3-Clause
//
// Readers by themselves, many thousand cases a second: ELF, disk and traffic files, the tokens in
// flight of a snapshot's links, and the check of guests' frames.
#include <cstring>

#include "core/channel.h"
#include "core/link_state.h"
#include "core/traffic.h"
#include "devices/guest_memory.h"
#include "devices/sector_store.h"
#include "gateway/frame_check.h"
#include "simulator/hostile/targets.h"

namespace firesim::hostile {

namespace {

constexpr uint64_t kBase = 0x80000000, kBytes = uint64_t{1} << 20;
constexpr uint32_t kLatencyCycles = 200;
constexpr uint64_t kCycle = 5000;
constexpr size_t kMostSectors = 64;

std::string of_bytes(std::string bytes, Random &random) {
  return mutated_bytes(std::move(bytes), random);
}

// A target whose input is the content of a file.
Target file_reader(const Bench &bench, const std::string &name, const std::string &good,
                   const std::function<void(const std::filesystem::path &)> &read) {
  const std::filesystem::path file = bench.folder() / (name + ".bin");
  return {name, {good}, of_bytes, [file, read](const std::string &input) {
            write_file(file, input);
            return judged([&] { read(file); });
          }};
}

// An ELF file of one page: its header, one program header, and what is loaded.
std::string small_elf() {
  std::string elf(0x200, '\0');
  const auto put = [&](size_t at, uint64_t value, size_t bytes) {
    std::memcpy(elf.data() + at, &value, bytes);
  };
  elf.replace(0, 7,
              "\x7f"
              "ELF\x02\x01\x01");
  put(16, 2, 2);      // executable
  put(18, 243, 2);    // RISC-V
  put(20, 1, 4);      // version
  put(24, kBase, 8);  // entry
  put(32, 64, 8);     // program headers begin here
  put(52, 64, 2);     // bytes of this header
  put(54, 56, 2);     // of a program header
  put(56, 1, 2);      // how many
  put(64, 1, 4);      // loaded
  put(68, 7, 4);      // to be read, written and executed
  put(72, 0x100, 8);  // from here in the file
  put(80, kBase, 8);
  put(88, kBase, 8);
  put(96, 0x100, 8);
  put(104, 0x1000, 8);
  put(112, 8, 8);  // alignment
  return elf;
}

void read_elf(const std::filesystem::path &file) {
  for (const auto processor : {devices::Processor::kRiscv64, devices::Processor::kAny}) {
    devices::GuestMemory memory(kBase, kBytes);
    memory.load_elf(file, "here", processor);
  }
}

void read_disk(const std::filesystem::path &file) {
  const devices::SectorStore store(file, "", 0, "here");
  uint8_t data[devices::kSectorBytes];
  for (uint32_t i = 0; i < std::min<uint32_t>(store.size_sectors(), kMostSectors); ++i) {
    store.read(i, data);
  }
}

std::string some_links() {
  StateWriter state;
  const uint64_t flits[] = {1, 2, 3, 4};
  DirectionState saved{{10, 2, 77}, Batch(kCycle, kLatencyCycles), std::nullopt};
  saved.in_flight.append_run(0, flits, 4, true);
  saved.in_flight.append_run(100, flits, 3, false);
  write_link(state, saved, saved);
  return {state.data().begin(), state.data().end()};
}

// A direction with faults that hold frames, behind others and late, for this log.
std::unique_ptr<Channel> faulty_channel(const std::filesystem::path &log) {
  const nlohmann::json rules = nlohmann::json::parse(
      R"([{"fault": "delay", "cycles": 90, "every": 2}, {"fault": "duplicate", "every": 3},
          {"fault": "behind", "behind_frames": 3, "cycles": 900, "every": 2,
           "match": {"ethertype": 0}}])");
  auto channel = std::make_unique<Channel>(kLatencyCycles);
  channel->set_faults(std::make_unique<FaultStage>(
      read_link_faults({{"log", log.string()}, {"rules", rules}}, "faults", "a--b a_to_b")));
  return channel;
}

std::string some_faulty_links(const std::filesystem::path &log) {
  const std::unique_ptr<Channel> channel = faulty_channel(log);
  channel->start_at(kCycle - kLatencyCycles);
  Batch in(kCycle - kLatencyCycles, kLatencyCycles), out;
  for (uint32_t at = 100; at < kLatencyCycles; at += 6) in.append_flit(at, 0, at % 4 == 0);
  channel->take(kCycle - kLatencyCycles, kLatencyCycles / 2, out);
  channel->take(kCycle - kLatencyCycles / 2, kLatencyCycles / 2 - 10, out);
  channel->push(in);
  channel->take(kCycle - 10, 10, out);
  StateWriter state;
  write_link(state, channel->state(), {{10, 2, 77}, Batch(kCycle, kLatencyCycles), std::nullopt});
  return {state.data().begin(), state.data().end()};
}

// A direction with faults takes it, and puts out all that it holds.
Verdict take_faulty_links(const std::string &input, const std::filesystem::path &log) {
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  return judged([&] {
    StateReader state("here", bytes, {});
    LinkState link = read_link(state, kLatencyCycles, kCycle);
    const std::unique_ptr<Channel> channel = faulty_channel(log);
    channel->restore(std::move(link.a_to_b), "here");
    for (uint64_t cycle = kCycle; cycle < kCycle + 2000; cycle += 100) {
      Batch out, in(cycle, 100);
      in.append_flit(50, cycle, true);
      channel->take(cycle, 100, out);
      channel->push(in);
    }
  });
}

// As it is, and for a link of another latency.
Verdict take_links(const std::string &input) {
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  Verdict verdict = judged([&] {
    StateReader state("here", bytes, {});
    static_cast<void>(retimed_link(state, kLatencyCycles / 2, kCycle));
  });
  const Verdict as_it_is = judged([&] {
    StateReader state("here", bytes, {});
    static_cast<void>(read_link(state, kLatencyCycles, kCycle));
  });
  if (verdict.defect.empty()) verdict.defect = as_it_is.defect;
  return verdict;
}

Verdict take_frame(const std::string &input) {
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  Verdict verdict;
  verdict.accepted = is_sound({bytes.data(), bytes.size()});
  if (verdict.accepted && bytes.size() < 42) verdict.defect = "half a frame is sound";
  return verdict;
}

std::string some_arp() {
  std::string frame(42, '\0');
  frame.replace(0, 6, 6, '\xff');
  frame.replace(12, 10, std::string("\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01", 10));
  return frame;
}

}  // namespace

std::vector<Target> reader_targets(const Bench &bench) {
  return {file_reader(bench, "reader-elf", small_elf(), read_elf),
          file_reader(bench, "reader-disk", std::string(8 * devices::kSectorBytes, 'd'), read_disk),
          file_reader(bench, "reader-traffic", "# x\n0 00:12:6D:00:00:02 1500 repeat 40000 100\n",
                      [](const std::filesystem::path &file) { read_traffic_file(file); }),
          {"reader-links",
           {some_links()},
           [](const std::string &bytes, Random &random) { return mutated_values(bytes, random); },
           take_links},
          {"reader-faulty-links",
           {some_faulty_links(bench.folder() / "faults.csv")},
           [](const std::string &bytes, Random &random) { return mutated_values(bytes, random); },
           [log = bench.folder() / "faults.csv"](const std::string &bytes) {
             return take_faulty_links(bytes, log);
           }},
          {"reader-frames", {some_arp()}, of_bytes, take_frame}};
}

}  // namespace firesim::hostile
