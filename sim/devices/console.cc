// SPDX-License-Identifier: BSD-3-Clause
// Log, terminal and input file of a console; see console.h.
#include "devices/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/state.h"

namespace firesim::devices {
namespace {

constexpr size_t kMostInputBytes = size_t{1} << 32;

// Writes everything or throws.
void write_all(int file, const char *data, size_t size, const std::string &where) {
  while (size != 0) {
    const ssize_t written = ::write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw std::runtime_error(
          fmt::format("{}: cannot write the log: {}", where, std::strerror(errno)));
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
}

}  // namespace

PseudoTerminal::PseudoTerminal(const std::filesystem::path &link) : link_(link) {
  char name[256];
  termios raw{};
  cfmakeraw(&raw);
  if (openpty(&host_side_, &target_side_, name, &raw, nullptr) != 0) {
    throw ConfigError(fmt::format("cannot open a pseudo-terminal: {}", std::strerror(errno)));
  }
  device_ = name;
  fcntl(host_side_, F_SETFL, fcntl(host_side_, F_GETFL) | O_NONBLOCK);
  fcntl(host_side_, F_SETFD, FD_CLOEXEC);
  fcntl(target_side_, F_SETFD, FD_CLOEXEC);
  if (link_.empty()) return;
  std::error_code error;
  if (std::filesystem::is_symlink(link_)) std::filesystem::remove(link_, error);
  std::filesystem::create_symlink(device_, link_, error);
  if (error) {
    close(host_side_);
    close(target_side_);
    throw ConfigError(fmt::format("cannot make the link {} to the terminal: {}", link_.string(),
                                  error.message()));
  }
}

PseudoTerminal::~PseudoTerminal() {
  close(host_side_);
  close(target_side_);
  std::error_code error;
  if (!link_.empty()) std::filesystem::remove(link_, error);
}

void PseudoTerminal::write(const char *data, size_t size) {
  // A full terminal means nobody reads: the log has the text, so the rest may go.
  const ssize_t written = ::write(host_side_, data, size);
  static_cast<void>(written);
}

size_t PseudoTerminal::read(char *buffer, size_t size) {
  const ssize_t count = ::read(host_side_, buffer, size);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

Console::Console(const nlohmann::json &settings, const std::string &where, const std::string &node,
                 const SimulationContext &simulation)
    : where_(where) {
  Config config(settings, where_);
  if (const auto log = config.text("log")) {
    const auto path = simulation.output_path(*log);
    log_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log_ < 0) {
      config.fail("log", fmt::format("a writable file ({})", std::strerror(errno)));
    }
  }
  if (const auto file = config.text("input")) {
    std::ifstream stream(simulation.input_path(*file), std::ios::binary);
    if (!stream) config.fail("input", "a readable file");
    input_.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const nlohmann::json &pty = config.child("pty");
  if (pty.is_string()) {
    terminal_ = std::make_unique<PseudoTerminal>(simulation.output_path(pty.get<std::string>()));
  } else if (config.boolean("pty", false)) {
    terminal_ = std::make_unique<PseudoTerminal>("");
  }
  if (auto file = EventFile::make(config, simulation)) {
    lines_ = std::make_unique<ConsoleLines>(std::move(file));
  }
  config.finish();
  if (terminal_) {
    std::fprintf(stderr, "%s: the console is %s\n", node.c_str(), terminal_->device().c_str());
  }
}

Console::~Console() {
  if (log_ >= 0) close(log_);
}

void Console::flush() {
  if (holding_) held_.append(line_.data(), line_size_);
  if (log_ >= 0) write_all(log_, line_.data(), line_size_, where_);
  if (terminal_) terminal_->write(line_.data(), line_size_);
  line_size_ = 0;
}

void Console::print_again(const std::string &text) {
  if (log_ >= 0) write_all(log_, text.data(), text.size(), where_);
  if (terminal_) terminal_->write(text.data(), text.size());
}

bool Console::poll() {
  if (has_input()) return false;
  flush();  // a prompt without an end of line has to be seen
  input_.resize(256);
  input_next_ = 0;
  input_.resize(terminal_->read(input_.data(), input_.size()));
  return !input_.empty();
}

void Console::save(StateWriter &state) const {
  state.section("console", 1);
  state.bytes(line_.data(), line_size_);
  state.bytes(input_.data() + input_next_, input_.size() - input_next_);
  state.u64(bytes_out_);
}

void Console::load(StateReader &state) {
  state.section("console", 1);
  const std::vector<uint8_t> line = state.bytes(kLineBytes);
  std::copy(line.begin(), line.end(), line_.begin());
  line_size_ = line.size();
  const std::vector<uint8_t> input = state.bytes(kMostInputBytes);
  input_.assign(input.begin(), input.end());
  input_next_ = 0;
  bytes_out_ = state.u64();
}

nlohmann::json Console::statistics(uint64_t bytes_in) const {
  nlohmann::json facts = {{"bytes_out", bytes_out_}, {"bytes_in", bytes_in}};
  if (terminal_) facts["terminal"] = terminal_->device();
  return facts;
}

}  // namespace firesim::devices
