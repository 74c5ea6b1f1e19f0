// SPDX-License-Identifier: BSD-3-Clause
// UART driver; see uart.h.
#include "uart.h"

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

namespace firesim::bridges {
namespace {

// Writes everything or throws.
void write_all(int file, const char* data, size_t size, const std::string& where) {
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

PseudoTerminal::PseudoTerminal(const std::filesystem::path& link) : link_(link) {
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

void PseudoTerminal::write(const char* data, size_t size) {
  // A full terminal means nobody reads: the log has the text, so the rest may go.
  const ssize_t written = ::write(host_side_, data, size);
  static_cast<void>(written);
}

size_t PseudoTerminal::read(char* buffer, size_t size) {
  const ssize_t count = ::read(host_side_, buffer, size);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

UartDriver::UartDriver(const DriverContext& context)
    : out_valid_(context.ports.output("out_valid")),
      out_bits_(context.ports.output("out_bits", 8)),
      in_ready_(context.ports.output("in_ready")),
      out_ready_(context.ports.input("out_ready"), context.inputs),
      in_valid_(context.ports.input("in_valid"), context.inputs),
      in_bits_(context.ports.input("in_bits", 8), context.inputs),
      status_(&context.status),
      where_(context.where) {
  Config config(context.config, where_);
  if (const auto log = config.text("log")) {
    const auto path = context.simulation.output_path(*log);
    log_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log_ < 0) {
      config.fail("log", fmt::format("a writable file ({})", std::strerror(errno)));
    }
  }
  if (const auto file = config.text("input")) {
    std::ifstream stream(context.simulation.input_path(*file), std::ios::binary);
    if (!stream) config.fail("input", "a readable file");
    input_.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const nlohmann::json& pty = config.child("pty");
  if (pty.is_string()) {
    terminal_ =
        std::make_unique<PseudoTerminal>(context.simulation.output_path(pty.get<std::string>()));
  } else if (config.boolean("pty", false)) {
    terminal_ = std::make_unique<PseudoTerminal>("");
  }
  config.finish();
  if (terminal_) {
    next_poll_ = 0;
    std::fprintf(stderr, "%s: the console is %s\n", context.node.c_str(),
                 terminal_->device().c_str());
  }
  out_ready_.set(1);
}

UartDriver::~UartDriver() {
  if (log_ >= 0) close(log_);
}

void UartDriver::take_output(char byte) {
  ++bytes_out_;
  line_[line_size_++] = byte;
  if (byte == '\n' || line_size_ == kLineBytes) flush();
}

void UartDriver::flush() {
  if (log_ >= 0) write_all(log_, line_.data(), line_size_, where_);
  if (terminal_) terminal_->write(line_.data(), line_size_);
  line_size_ = 0;
}

void UartDriver::refill_input() {
  if (input_next_ != input_.size()) return;
  flush();  // a prompt without an end of line has to be seen
  input_.resize(256);
  input_next_ = 0;
  input_.resize(terminal_->read(input_.data(), input_.size()));
  if (!input_.empty()) status_->deterministic = false;
}

void UartDriver::step(uint64_t cycle) {
  if (out_valid_()) take_output(static_cast<char>(out_bits_()));
  if (cycle >= next_poll_) {
    next_poll_ = cycle + kPollCycles;
    refill_input();
  }
  if (in_valid_.value() != 0) {
    if (!in_ready_()) return;
    ++bytes_in_;
  }
  if (input_next_ == input_.size()) {
    in_valid_.set(0);
    return;
  }
  in_valid_.set(1);
  in_bits_.set(static_cast<uint8_t>(input_[input_next_++]));
}

void UartDriver::finish(uint64_t) { flush(); }

nlohmann::json UartDriver::statistics() const {
  nlohmann::json facts = {{"bytes_out", bytes_out_}, {"bytes_in", bytes_in_}};
  if (terminal_) facts["terminal"] = terminal_->device();
  return facts;
}

void UartDriver::save(StateWriter& state) const {
  state.section("uart", 1);
  for (const InputPort* port : {&out_ready_, &in_valid_, &in_bits_}) port->save(state);
  state.bytes(line_.data(), line_size_);
  state.bytes(input_.data() + input_next_, input_.size() - input_next_);
  state.u64(bytes_out_);
  state.u64(bytes_in_);
}

void UartDriver::load(StateReader& state) {
  state.section("uart", 1);
  for (InputPort* port : {&out_ready_, &in_valid_, &in_bits_}) port->load(state);
  const std::vector<uint8_t> line = state.bytes(kLineBytes);
  std::copy(line.begin(), line.end(), line_.begin());
  line_size_ = line.size();
  const std::vector<uint8_t> input = state.bytes(kMostInputBytes);
  input_.assign(input.begin(), input.end());
  input_next_ = 0;
  bytes_out_ = state.u64();
  bytes_in_ = state.u64();
}

}  // namespace firesim::bridges
