// SPDX-License-Identifier: BSD-3-Clause
//
// Seeded mutations. See the header.
#include "simulator/hostile/mutate.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

namespace firesim::hostile {

namespace {

using nlohmann::json;

constexpr uint64_t kMostChanges = 4;
constexpr size_t kLongestPiece = 64, kHeaderBytes = 256;

const std::string kWords[] = {"../x",
                              "/proc/self/environ",
                              "..",
                              std::string(1, '\0'),
                              "\x1b[2J\x07",
                              "1e999",
                              "nan",
                              "-1",
                              "99999999999999999999",
                              "\xff\xfe",
                              "{\"a\":[",
                              "\n",
                              "repeat",
                              "0x",
                              "ffffffffffffffff",
                              "0",
                              "18446744073709551615",
                              "%s%n"};

size_t below(Random &random, size_t end) { return end == 0 ? 0 : random() % end; }

const std::string &word(Random &random) { return kWords[below(random, std::size(kWords))]; }

void change(std::string &bytes, Random &random) {
  // Half of the changes are near the beginning, where headers are.
  const size_t end = random() % 2 == 0 ? bytes.size() : std::min(bytes.size(), kHeaderBytes);
  const size_t at = below(random, end + 1);
  const size_t left = bytes.size() - at;
  const size_t piece = 1 + below(random, std::min(left, kLongestPiece));
  switch (random() % 8) {
    case 0:
      if (left != 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      if (left != 0) bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes.insert(at, word(random));
      break;
    case 3:
      if (left != 0) bytes.erase(at, piece);
      break;
    case 4:
      bytes.insert(at, bytes.substr(at, piece));
      break;
    case 5:
      bytes.resize(at);
      break;
    default:
      const uint64_t value = edge(random);
      const size_t width = size_t{1} << random() % 4;
      if (left >= width) std::memcpy(bytes.data() + at, &value, width);
  }
}

// All places in a value, by pointer; the value must not move meanwhile.
void collect(json &value, std::vector<json *> &places) {
  places.push_back(&value);
  if (!value.is_structured()) return;
  for (json &inner : value) collect(inner, places);
}

json strange(Random &random) {
  switch (random() % 10) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return word(random);
    case 3:
      return -static_cast<int64_t>(edge(random) >> 1);
    case 4:
      return 0.5 + static_cast<double>(edge(random));
    case 5:
      return json::array();
    case 6:
      return json::object();
    case 7:
      return std::string(1 + random() % 2000, 'a');
    default:
      return edge(random);
  }
}

void change_value(json &root, Random &random) {
  std::vector<json *> places;
  collect(root, places);
  json &place = *places[below(random, places.size())];
  const json other = *places[below(random, places.size())];
  switch (random() % 6) {
    case 0:
      if (place.is_structured() && !place.empty()) {
        place.erase(std::next(place.begin(), static_cast<ptrdiff_t>(below(random, place.size()))));
      }
      break;
    case 1:
      place = other;
      break;
    case 2:
      if (place.is_array()) place.push_back(place.empty() ? strange(random) : place[0]);
      break;
    case 3:
      if (place.is_object()) place[word(random)] = other;
      break;
    default:
      place = strange(random);
  }
}

}  // namespace

uint64_t edge(Random &random) {
  const uint64_t power = uint64_t{1} << random() % 64;
  switch (random() % 6) {
    case 0:
      return random() % 4;
    case 1:
      return UINT64_MAX - random() % 4;
    case 2:
      return random();
    default:
      return power + random() % 3 - 1;
  }
}

std::string mutated_bytes(std::string bytes, Random &random) {
  for (uint64_t left = 1 + random() % kMostChanges; left > 0; --left) change(bytes, random);
  return bytes;
}

std::string mutated_json(const std::string &text, Random &random) {
  json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return mutated_bytes(text, random);
  for (uint64_t left = 1 + random() % kMostChanges; left > 0; --left) change_value(root, random);
  const std::string changed = root.dump(-1, ' ', false, json::error_handler_t::replace);
  return random() % 8 == 0 ? mutated_bytes(changed, random) : changed;
}

std::string mutated_values(std::string bytes, Random &random) {
  if (random() % 8 == 0) return mutated_bytes(std::move(bytes), random);
  std::vector<size_t> places;  // of the 8 bytes after a type
  for (size_t i = 0; i + 8 < bytes.size(); ++i) {
    if (std::strchr("uifqxt", bytes[i]) != nullptr && bytes[i] != '\0') places.push_back(i + 1);
  }
  if (places.empty()) return mutated_bytes(std::move(bytes), random);
  for (uint64_t left = 1 + random() % kMostChanges; left > 0; --left) {
    const size_t at = places[below(random, places.size())];
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    // Near what it was, or anything.
    value = random() % 2 == 0 ? value + random() % 65 - 32 : edge(random);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  return bytes;
}

}  // namespace firesim::hostile
