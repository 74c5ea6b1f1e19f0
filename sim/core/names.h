// SPDX-License-Identifier: BSD-3-Clause
// Names in messages: the nearest valid one, and lists of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firesim {

// The candidate that takes the fewest edits to reach from `word`; empty when there are none.
std::string nearest_name(std::string_view word, const std::vector<std::string> &candidates);

// ' (did you mean "x"?)', or nothing when no candidate is within two edits, or a third of `word`.
std::string did_you_mean(std::string_view word, const std::vector<std::string> &candidates);

// "a, b and c".
std::string join_names(const std::vector<std::string> &names);

}  // namespace firesim
