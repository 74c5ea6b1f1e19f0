// SPDX-License-Identifier: BSD-3-Clause
// The state of a target on a platform by the names of engine rtl; see target_twin.h.
#include "bridges/target_twin.h"

#include <fmt/format.h>

#include <cstring>

#include "bridges/manifest.h"
#include "bridges/port.h"
#include "core/json_reader.h"
#include "devices/config.h"

namespace firesim::bridges {

using namespace devices;

namespace {

uint64_t ones(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

unsigned char *row_of(const FiresimSignal &word, uint32_t row) {
  return static_cast<unsigned char *>(word.storage) + size_t{row} * port_bytes(word.width_bits);
}

uint64_t bits_of(const FiresimSignal &word, uint32_t row, uint32_t low, uint32_t width) {
  uint64_t value = 0;
  std::memcpy(&value, row_of(word, row), port_bytes(word.width_bits));
  return value >> low & ones(width);
}

void set_bits(const FiresimSignal &word, uint32_t row, uint32_t low, uint32_t width,
              uint64_t bits) {
  uint64_t value = 0;
  std::memcpy(&value, row_of(word, row), port_bytes(word.width_bits));
  value = (value & ~(ones(width) << low)) | bits << low;
  std::memcpy(row_of(word, row), &value, port_bytes(word.width_bits));
}

std::vector<uint8_t> content_of(const FiresimSignal &word) {
  const unsigned char *first = row_of(word, 0);
  return {first, first + size_t{word.rows} * port_bytes(word.width_bits)};
}

// Signal `index`, with `width` bits from `low` on in `rows` rows.
FiresimSignal signal_at(const std::vector<FiresimSignal> &signals, uint32_t index, uint32_t low,
                        uint32_t width, uint32_t rows) {
  const bool fits = index < signals.size() && signals[index].kind < FIRESIM_WIRE &&
                    signals[index].width_bits <= 64 && width >= 1 && low < 64 &&
                    low + width <= signals[index].width_bits && rows <= signals[index].rows;
  if (!fits) throw ConfigError(fmt::format("no signal {} of {} bits", index, low + width));
  return signals[index];
}

}  // namespace

// Both have these bits alone in words of one type, so that rows lie alike.
bool TargetTwin::Piece::is_whole() const {
  return twin_low == 0 && target_low == 0 && width == twin.width_bits && width == target.width_bits;
}

void TargetTwin::Piece::look() const {
  if (is_whole()) {
    std::memcpy(twin.storage, target.storage, size_t{rows} * port_bytes(width));
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    set_bits(twin, row, twin_low, width, bits_of(target, row, target_low, width));
  }
}

void TargetTwin::Piece::put() const {
  if (is_whole()) {
    std::memcpy(target.storage, twin.storage, size_t{rows} * port_bytes(width));
    return;
  }
  for (uint32_t row = 0; row < rows; ++row) {
    set_bits(target, row, target_low, width, bits_of(twin, row, twin_low, width));
  }
}

bool TargetTwin::Piece::is_equal() const {
  for (uint32_t row = 0; row < rows; ++row) {
    if (bits_of(target, row, target_low, width) != bits_of(twin, row, twin_low, width)) {
      return false;
    }
  }
  return true;
}

TargetTwin::TargetTwin(const Files &files, hostlib::TargetState &state, const Ports &ports,
                       const std::string &where)
    : design_hash_(Manifest::read(files.manifest).design_hash),
      model_(files.library, design_hash_, where),
      state_(state) {
  const nlohmann::json map = read_json_file(files.map, kManifestLimits);
  try {
    read_map(map);
  } catch (const nlohmann::json::exception &error) {
    throw ConfigError(
        fmt::format("{}: {}: not a map of state: {}", where, files.map.string(), error.what()));
  } catch (const ConfigError &error) {
    throw ConfigError(fmt::format("{}: {}: not a map of these models: {}", where,
                                  files.map.string(), error.what()));
  }
  for (const auto &[name, port] : model_.ports()) {
    if (port.is_input == 0) continue;
    const auto found = ports.find(name);
    if (found == ports.end() || found->second.width_bits != port.width_bits) {
      throw ConfigError(fmt::format("{}: the target has no input '{}' of {} bits, as {} has", where,
                                    name, port.width_bits, files.library.string()));
    }
    inputs_.push_back({port, found->second});
  }
}

void TargetTwin::read_map(const nlohmann::json &map) {
  if (map.at("version") != 2) throw ConfigError("found another version, expected 2");
  if (map.contains("refused")) {
    refused_ = map.at("refused").get<std::string>();
    return;
  }
  const std::vector<FiresimSignal> mine = model_.signals(), theirs = state_.signals();
  const auto add = [&](const nlohmann::json &item, uint32_t rows) {
    const auto number = [&item](size_t i) { return item.at(i).get<uint32_t>(); };
    pieces_.push_back({signal_at(mine, number(0), number(1), number(4), rows),
                       signal_at(theirs, number(2), number(3), number(4), rows), number(1),
                       number(3), number(4), rows});
  };
  for (const nlohmann::json &item : map.at("registers")) add(item, 1);
  for (const nlohmann::json &item : map.at("memories")) add(item, item.at(5).get<uint32_t>());
  const auto add_fixed = [&](const nlohmann::json &item, uint64_t value, bool is_read) {
    const auto low = item.at(1).get<uint32_t>(), width = item.at(2).get<uint32_t>();
    fixed_.push_back(
        {signal_at(mine, item.at(0).get<uint32_t>(), low, width, 1), low, width, value, is_read});
  };
  for (const nlohmann::json &item : map.at("fixed")) {
    add_fixed(item, item.at(3).get<uint64_t>(), true);
  }
  for (const nlohmann::json &item : map.at("unread")) add_fixed(item, 0, false);
  for (const nlohmann::json &item : map.at("constant")) {
    const FiresimSignal word = signal_at(mine, item.get<uint32_t>(), 0, 1, 1);
    constants_.push_back({word, content_of(word)});
  }
}

std::string TargetTwin::fingerprint() const {
  return fmt::format("design {}, engine {}", design_hash_, model_.engine_name());
}

void TargetTwin::look() {
  state_.read();
  for (const Piece &piece : pieces_) piece.look();
  for (const Fixed &bits : fixed_) set_bits(bits.twin, 0, bits.low, bits.width, bits.value);
  for (const Constant &memory : constants_) {
    std::memcpy(memory.twin.storage, memory.content.data(), memory.content.size());
  }
  for (const Input &input : inputs_) {
    std::memcpy(input.twin.storage, input.target.storage, port_bytes(input.twin.width_bits));
  }
  model_.written();
}

std::optional<std::string> TargetTwin::put() {
  for (const Piece &piece : pieces_) piece.put();
  // Two registers may be one there, of which the last one counted.
  for (const Piece &piece : pieces_) {
    if (!piece.is_equal()) return piece.twin.name;
  }
  for (const Fixed &bits : fixed_) {
    if (bits.is_read && bits_of(bits.twin, 0, bits.low, bits.width) != bits.value) {
      return bits.twin.name;
    }
  }
  for (const Constant &memory : constants_) {
    if (content_of(memory.twin) != memory.content) return memory.twin.name;
  }
  state_.write();
  return std::nullopt;
}

void TargetTwin::put_inputs() {
  for (const Input &input : inputs_) {
    std::memcpy(input.target.storage, input.twin.storage, port_bytes(input.twin.width_bits));
  }
}

}  // namespace firesim::bridges
