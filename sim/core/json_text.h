// SPDX-License-Identifier: BSD-3-Clause
//
// Values as JSON text without a tree of values, for what is written often while a simulation runs.
// A JSON reader finds in it the values that `dump_any` would have written.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace firesim {

// Each adds a value to a text. What is not UTF-8 is replaced; a number that is none is null.
void append_json(std::string &to, std::string_view text);
void append_json(std::string &to, double value);
void append_json(std::string &to, std::integral auto value) { to += std::to_string(value); }

}  // namespace firesim
