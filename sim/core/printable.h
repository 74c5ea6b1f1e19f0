// SPDX-License-Identifier: BSD-3-Clause
//
// Text of a stranger or a guest made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace firesim {

// The text with everything that a terminal obeys rather than shows written as \x1b or \u202e:
// control characters but for ends of lines and tabs, marks that turn the direction of writing, and
// bytes that are no UTF-8.
std::string printable(std::string_view text);

}  // namespace firesim
