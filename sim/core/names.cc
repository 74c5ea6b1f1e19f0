// SPDX-License-Identifier: BSD-3-Clause
// Nearest names and lists of names; see names.h.
#include "core/names.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace firesim {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t least = SIZE_MAX;
  for (const std::string &candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string> &candidates) {
  const std::string nearest = nearest_name(word, candidates);
  const size_t most = std::max<size_t>(2, word.size() / 3);
  if (nearest.empty() || edit_distance(word, nearest) > most) return "";
  return " (did you mean \"" + nearest + "\"?)";
}

std::string join_names(const std::vector<std::string> &names) {
  std::string joined;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) joined += i + 1 == names.size() ? " and " : ", ";
    joined += names[i];
  }
  return joined;
}

}  // namespace firesim
