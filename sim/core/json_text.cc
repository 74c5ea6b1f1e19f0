// SPDX-License-Identifier: BSD-3-Clause
#include "core/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/json_reader.h"

namespace firesim {

namespace {

constexpr size_t kMostDigits = 32;  // of the shortest text that is read as the same double

bool stands_for_itself(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

}  // namespace

void append_json(std::string &to, std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), stands_for_itself)) {
    to += dump_any(text);
    return;
  }
  to += '"';
  to += text;
  to += '"';
}

void append_json(std::string &to, double value) {
  if (!std::isfinite(value)) {
    to += "null";
    return;
  }
  std::array<char, kMostDigits> room;
  const char *const end = std::to_chars(room.data(), room.data() + room.size(), value).ptr;
  const std::string_view digits(room.data(), static_cast<size_t>(end - room.data()));
  to += digits;
  // Without a point or an exponent a reader takes it for an integer.
  if (digits.find_first_of(".e") == std::string_view::npos) to += ".0";
}

}  // namespace firesim
