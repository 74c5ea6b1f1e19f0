// SPDX-License-Identifier: BSD-3-Clause
//
// The keys by which the processes of a target know each other and encrypt what they send: CURVE key
// pairs of ZeroMQ, each key 40 characters of Z85. One file for each process, for its owner's eyes:
//
//   {"process": "b", "secret": "…", "public": {"a": "…", "b": "…"}}
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace firesim {

inline constexpr size_t kKeyBytes = 32;  // of CURVE, before Z85

struct MeshKeys {
  std::string process;
  std::string secret;
  std::map<std::string, std::string> public_keys;  // of all processes, by name
};

// Throws DescriptionError, also for a file that others than its owner may read or change.
MeshKeys read_mesh_keys(const std::filesystem::path &path);

// Makes new pairs, and writes a file NAME.keys for each process into a folder, which must be there;
// none may be there already. Throws std::runtime_error.
void make_mesh_keys(const std::filesystem::path &folder, const std::vector<std::string> &processes);

}  // namespace firesim
