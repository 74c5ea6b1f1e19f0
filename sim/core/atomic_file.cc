// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are either as they were or complete.
#include "core/atomic_file.h"

#include <fstream>
#include <stdexcept>

namespace firesim {

void write_file_atomically(const std::filesystem::path &path, const std::string &text) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error("cannot write " + path.string() +
                             (error ? ": " + error.message() : ""));
  }
}

}  // namespace firesim
