// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are either as they were or complete.
#pragma once

#include <filesystem>
#include <string>

namespace firesim {

// Writes `text` to a temporary name next to `path` and renames it. Throws std::runtime_error, and
// removes the temporary file, when that fails.
void write_file_atomically(const std::filesystem::path &path, const std::string &text);

}  // namespace firesim
