// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic generator: reads the file, sends its packets, counts what arrives.
#include "core/traffic.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "core/fields.h"
#include "core/state.h"
#include "core/token_hash.h"

namespace firesim {

namespace {

constexpr uint32_t kMinFrameBytes = 6;  // the destination address
constexpr uint32_t kMaxTrafficFrameBytes = 65535;
constexpr uint64_t kEtherType = 0xb588;  // 0x88b5, for local experiments, in wire order
constexpr char kExpected[] =
    "expected \"cycle destination bytes [repeat count gap_cycles]\" or \"cycle frame hex\"";

class LineReader {
 public:
  LineReader(std::string where, const std::string &text) : where_(std::move(where)) {
    std::istringstream words(text.substr(0, text.find('#')));
    for (std::string word; words >> word;) words_.push_back(word);
  }

  size_t count() const { return words_.size(); }
  const std::string &word(size_t index) const { return words_[index]; }

  [[noreturn]] void fail(const std::string &problem) const {
    throw DescriptionError(where_ + ": " + problem);
  }

  uint64_t integer(size_t index, const char *what, uint64_t least, uint64_t most) const {
    const std::string &text = words_[index];
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fail(std::string(what) + " is \"" + text + "\", expected an integer from " +
           std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

 private:
  std::string where_;
  std::vector<std::string> words_;
};

// The flits of a frame of hexadecimal digits, behind the two pad bytes.
std::vector<uint64_t> read_frame(const LineReader &reader, const std::string &text) {
  const size_t bytes = text.size() / 2;
  if (text.size() % 2 != 0 || bytes < kMinFrameBytes || bytes > kMaxTrafficFrameBytes) {
    reader.fail("found a frame of " + std::to_string(text.size()) + " digits, expected " +
                std::to_string(2 * kMinFrameBytes) + " to " +
                std::to_string(2 * kMaxTrafficFrameBytes) + ", two a byte");
  }
  std::vector<uint64_t> flits((bytes + 2 + 7) / 8);
  for (size_t i = 0; i < bytes; ++i) {
    uint8_t byte = 0;
    const char *digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
    if (error != std::errc() || end != digits + 2) {
      reader.fail("found a frame that is not hexadecimal, expected two digits a byte");
    }
    flits[(i + 2) / 8] |= uint64_t{byte} << 8 * ((i + 2) % 8);
  }
  return flits;
}

void read_packet(const LineReader &reader, TrafficLine &line) {
  if (reader.word(1) == "frame") {
    line.frame = read_frame(reader, reader.word(2));
    return;
  }
  const std::optional<uint64_t> mac = parse_mac(reader.word(1));
  if (!mac) {
    reader.fail("destination is \"" + reader.word(1) +
                "\", expected an address like 00:12:6D:00:00:02");
  }
  line.destination = *mac;
  line.bytes =
      static_cast<uint32_t>(reader.integer(2, "bytes", kMinFrameBytes, kMaxTrafficFrameBytes));
}

TrafficLine read_line(const LineReader &reader, uint64_t previous_cycle) {
  if (reader.count() != 3 && reader.count() != 6) {
    reader.fail("found " + std::to_string(reader.count()) + " words, " + kExpected);
  }
  TrafficLine line;
  line.cycle = reader.integer(0, "cycle", 0, uint64_t{1} << 62);
  if (line.cycle < previous_cycle) {
    reader.fail("cycle is " + std::to_string(line.cycle) + ", expected at least " +
                std::to_string(previous_cycle) + " as on the line before");
  }
  read_packet(reader, line);
  if (reader.count() == 6) {
    if (reader.word(3) != "repeat") {
      reader.fail("found \"" + reader.word(3) + "\", expected \"repeat\"");
    }
    line.count = reader.integer(4, "count", 1, uint64_t{1} << 40);
    line.gap_cycles = reader.integer(5, "gap_cycles", 0, uint64_t{1} << 40);
  }
  return line;
}

}  // namespace

std::vector<TrafficLine> read_traffic_file(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw DescriptionError(path + ": cannot be read, expected a traffic file");
  std::vector<TrafficLine> lines;
  std::string text;
  for (size_t number = 1; std::getline(file, text); ++number) {
    const LineReader reader(path + ":" + std::to_string(number), text);
    if (reader.count() == 0) continue;
    lines.push_back(read_line(reader, lines.empty() ? 0 : lines.back().cycle));
  }
  return lines;
}

TrafficBlade::TrafficBlade(std::string name, uint64_t source_mac, std::vector<TrafficLine> lines,
                           uint64_t end_cycle)
    : Model(std::move(name)),
      source_mac_(source_mac),
      lines_(std::move(lines)),
      end_cycle_(end_cycle) {}

void TrafficBlade::advance(uint64_t start_cycle, uint32_t cycles, std::span<Batch> inputs,
                           std::span<Batch> outputs) {
  if (!inputs[0].empty()) receive(inputs[0]);
  if (end()) return;
  if (!exhausted()) send(outputs[0]);
  if (!exhausted()) return;
  const uint64_t end_cycle = std::max({end_cycle_, last_sent_cycle_, start_cycle});
  if (end_cycle < start_cycle + cycles) set_end({end_cycle, 0, false, ""});
}

void TrafficBlade::receive(const Batch &batch) {
  for (const Run &run : batch.runs()) {
    bytes_received_ += uint64_t{run.length} * 8;
    if (!run.last) continue;
    last_arrival_cycle_ = batch.start_cycle() + run.end() - 1;
    if (packets_received_ == 0) first_arrival_cycle_ = last_arrival_cycle_;
    ++packets_received_;
  }
}

void TrafficBlade::start_packet(uint64_t cycle) {
  const TrafficLine &line = lines_[next_line_];
  if (!line.frame.empty()) {
    packet_ = line.frame;
    packet_sent_flits_ = 0;
    return;
  }
  const uint32_t flits = (line.bytes + 2 + 7) / 8;
  packet_.resize(flits);
  packet_sent_flits_ = 0;
  packet_[0] = line.destination << 16;
  if (flits > 1) packet_[1] = source_mac_ | kEtherType << 48;
  if (flits > 2) packet_[2] = cycle;  // lets a receiver tell how long the packet took
  for (uint32_t i = 3; i < flits; ++i) packet_[i] = packets_sent_ * 0x100000001b3 + i;
}

void TrafficBlade::send(Batch &batch) {
  while (!exhausted()) {
    if (packet_.empty()) {
      const TrafficLine &line = lines_[next_line_];
      if (sent_of_line_ == 0) next_cycle_ = std::max(next_cycle_, line.cycle);
      if (next_cycle_ >= batch.end_cycle()) return;
      start_packet(next_cycle_);
    }
    const auto offset = static_cast<uint32_t>(next_cycle_ - batch.start_cycle());
    if (offset >= batch.cycles()) return;
    const auto left = static_cast<uint32_t>(packet_.size()) - packet_sent_flits_;
    const uint32_t flits = std::min(left, batch.cycles() - offset);
    batch.append_run(offset, packet_.data() + packet_sent_flits_, flits, flits == left);
    packet_sent_flits_ += flits;
    next_cycle_ += flits;
    last_sent_cycle_ = next_cycle_ - 1;
    if (flits < left) return;
    ++packets_sent_;
    bytes_sent_ += packet_.size() * 8;
    packet_.clear();
    if (++sent_of_line_ < lines_[next_line_].count) {
      next_cycle_ += lines_[next_line_].gap_cycles;
    } else {
      ++next_line_;
      sent_of_line_ = 0;
    }
  }
}

nlohmann::json TrafficBlade::statistics() const {
  return {{"packets_sent", packets_sent_},
          {"bytes_sent", bytes_sent_},
          {"packets_received", packets_received_},
          {"bytes_received", bytes_received_},
          {"first_arrival_cycle", first_arrival_cycle_},
          {"last_arrival_cycle", last_arrival_cycle_}};
}

std::string TrafficBlade::fingerprint() const {
  uint64_t hash = combine_hash(source_mac_, end_cycle_);
  for (const TrafficLine &line : lines_) {
    for (const uint64_t value :
         {line.cycle, line.destination, uint64_t{line.bytes}, line.count, line.gap_cycles}) {
      hash = combine_hash(hash, value);
    }
    for (const uint64_t flit : line.frame) hash = combine_hash(hash, flit);
  }
  return "traffic " + hash_to_hex(hash);
}

void TrafficBlade::save(StateWriter &state) const {
  state.section("traffic", 1);
  for (const uint64_t value :
       {next_line_, sent_of_line_, next_cycle_, packets_sent_, bytes_sent_, last_sent_cycle_,
        packets_received_, bytes_received_, first_arrival_cycle_, last_arrival_cycle_}) {
    state.u64(value);
  }
  state.u64s(packet_);
  state.u64(packet_sent_flits_);
}

void TrafficBlade::load(StateReader &state, uint64_t) {
  state.section("traffic", 1);
  next_line_ = state.u64(lines_.size());
  for (uint64_t *value :
       {&sent_of_line_, &next_cycle_, &packets_sent_, &bytes_sent_, &last_sent_cycle_,
        &packets_received_, &bytes_received_, &first_arrival_cycle_, &last_arrival_cycle_}) {
    *value = state.u64();
  }
  packet_ = state.u64s(kMaxTrafficFrameBytes);
  packet_sent_flits_ = static_cast<uint32_t>(state.u64(UINT32_MAX));
  if (!packet_.empty() && packet_sent_flits_ >= packet_.size()) {
    state.fail("found a packet that has been sent");
  }
  if (next_line_ == lines_.size() && !packet_.empty()) state.fail("found a packet of no line");
}

void TrafficBlade::start_at(uint64_t cycle) {
  while (next_line_ < lines_.size() && lines_[next_line_].cycle < cycle) ++next_line_;
  next_cycle_ = cycle;
}

std::unique_ptr<Model> make_traffic_blade(const nlohmann::json &entry,
                                          const SimulationContext &context) {
  const auto name = entry.at("name").get<std::string>();
  Fields fields(entry, "node " + name, {"name", "kind", "library"});
  const std::optional<uint64_t> mac = parse_mac(fields.text("mac"));
  if (!mac) fields.fail("mac", "six two-digit hexadecimal numbers with colons between");
  const std::string file = fields.text("file");
  const uint64_t end_cycle = fields.optional_integer("end_cycle", 0, uint64_t{1} << 62).value_or(0);
  fields.finish();
  return std::make_unique<TrafficBlade>(
      name, *mac, read_traffic_file(context.input_path(file).string()), end_cycle);
}

}  // namespace firesim
