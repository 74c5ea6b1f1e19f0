// SPDX-License-Identifier: BSD-3-Clause
//
// Files of keys; see mesh_keys.h.
#include "transport/mesh_keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/model.h"
#include "core/regular_file.h"

namespace firesim {

namespace {

constexpr size_t kKeyCharacters = 40;

bool is_key(const std::string &text) {
  uint8_t bytes[kKeyBytes];
  return text.size() == kKeyCharacters && zmq_z85_decode(bytes, text.c_str()) != nullptr;
}

std::string read_key(Fields &fields, const std::string &name) {
  std::string key = fields.text(name);
  // What was found is not shown: it may be a secret.
  if (!is_key(key)) {
    throw DescriptionError(fields.where() + ": \"" + name + "\" is no key, expected " +
                           std::to_string(kKeyCharacters) + " characters of Z85");
  }
  return key;
}

void check_private(const std::filesystem::path &path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    throw DescriptionError(path.string() + ": " + std::strerror(errno) + ", expected a file of " +
                           "keys");
  }
  if (facts.st_uid == geteuid() && (facts.st_mode & 077) == 0) return;
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(facts.st_mode & 07777));
  throw DescriptionError(path.string() + ": holds a secret key and has mode " + mode +
                         ", expected a file of your own with mode 0600");
}

void write_private(const std::filesystem::path &path, const std::string &text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!written) {
    throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(error));
  }
}

}  // namespace

MeshKeys read_mesh_keys(const std::filesystem::path &path) {
  check_private(path);
  const nlohmann::json json = read_json_file(path, kDescriptionLimits);
  Fields fields(json, path.string());
  MeshKeys keys;
  keys.process = fields.text("process");
  keys.secret = read_key(fields, "secret");
  const nlohmann::json &others = fields.object("public");
  fields.finish();
  Fields publics(others, path.string() + ": \"public\"");
  for (const auto &[name, unused] : others.items()) {
    keys.public_keys[name] = read_key(publics, name);
  }
  char own[kKeyCharacters + 1];
  zmq_curve_public(own, keys.secret.c_str());
  const auto listed = keys.public_keys.find(keys.process);
  if (listed == keys.public_keys.end() || listed->second != own) {
    throw DescriptionError(path.string() +
                           ": the secret key does not belong to the public key of " + keys.process +
                           ", expected a pair");
  }
  return keys;
}

void make_mesh_keys(const std::filesystem::path &folder,
                    const std::vector<std::string> &processes) {
  std::map<std::string, std::string> secrets;
  nlohmann::json publics = nlohmann::json::object();
  for (const std::string &name : processes) {
    if (!UntrustedFolder::is_plain_name(name) || publics.contains(name)) {
      throw std::runtime_error("found the process name \"" + name +
                               "\", expected names as files may have, each once");
    }
    char public_key[kKeyCharacters + 1], secret[kKeyCharacters + 1];
    if (zmq_curve_keypair(public_key, secret) != 0) {
      throw std::runtime_error(std::string("no keys can be made: ") + zmq_strerror(zmq_errno()));
    }
    publics[name] = public_key;
    secrets[name] = secret;
  }
  for (const auto &[name, secret] : secrets) {
    const nlohmann::json file = {{"process", name}, {"secret", secret}, {"public", publics}};
    write_private(folder / (name + ".keys"), file.dump(1) + "\n");
  }
}

}  // namespace firesim
