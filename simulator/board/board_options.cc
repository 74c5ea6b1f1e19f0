// SPDX-License-Identifier: BSD-3-Clause
// Reads options from arguments; see board_options.h.
#include "simulator/board/board_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace firesim {
namespace {

bool read_number(std::string_view text, uint64_t &number) {
  const char *const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return !text.empty() && error == std::errc() && last == end;
}

bool read_fault(std::string_view text, DramFault &fault) {
  if (text == "untrained") fault = DramFault::kUntrained;
  if (text == "error") fault = DramFault::kError;
  return fault != DramFault::kNone;
}

bool read_option(std::string_view text, BoardOptions &options,
                 std::initializer_list<std::string_view> own) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == text.npos ? "" : text.substr(equals + 1);
  if (name == "--loaded-once") return options.loaded_once = equals == text.npos;
  if (name == "--reset-after") return read_number(value, options.reset_after);
  uint64_t seed = 0;
  if (name == "--hostile-seed" && read_number(value, seed)) {
    options.hostile_seed = seed;
    return true;
  }
  if (std::find(own.begin(), own.end(), name) == own.end()) return false;
  if (name == "--dram-fault") return read_fault(value, options.dram_fault);
  if (name == "--dram-seed") return read_number(value, options.dram_seed);
  if (name == "--unlock-after") return read_number(value, options.unlock_after);
  return name == "--flr-after" && read_number(value, options.flr_after);
}

}  // namespace

bool take_options(int &argc, char **&argv, BoardOptions &options,
                  std::initializer_list<std::string_view> own) {
  for (; argc > 1 && std::string_view(argv[1]).starts_with("--"); --argc, ++argv) {
    if (!read_option(argv[1], options, own)) return false;
    argv[1] = argv[0];
  }
  return true;
}

}  // namespace firesim
