// SPDX-License-Identifier: BSD-3-Clause
// The protocol of tohost and fromhost; see host_interface.h.
#include "devices/host_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <tuple>
#include <utility>

#include "devices/config.h"
#include "devices/console.h"

namespace firesim::devices {
namespace {

constexpr uint64_t kWordBytes = 8;
constexpr uint64_t kMostPayloadBytes = uint64_t{1} << 48;  // a payload has 48 bits
constexpr uint64_t kCallWords = std::tuple_size_v<HostCall>;
constexpr uint64_t kWrite = 64, kExit = 93;               // system calls
constexpr uint64_t kResponse = 1;                         // of device 0, command 0
constexpr unsigned kSystem = 0, kTerminal = 1;            // devices
constexpr unsigned kGetCharacter = 0, kPutCharacter = 1;  // commands of the terminal

BladeEnd exit_with(uint64_t code, uint64_t cycle) {
  constexpr auto kFinished = BladeEnd::Kind::kFinished;
  if (code == 0) return {kFinished, 0, cycle, "passed"};
  return {kFinished, static_cast<int>(std::min<uint64_t>(code, INT_MAX)), cycle,
          fmt::format("failed with code {}", code)};
}

BladeEnd refuse(uint64_t cycle, const std::string &what) {
  return {BladeEnd::Kind::kFinished, 1, cycle, what};
}

}  // namespace

std::unique_ptr<HostInterface> HostInterface::make(const nlohmann::json &settings,
                                                   const std::string &where) {
  Config config(settings, where);
  if (settings.is_null()) return nullptr;
  std::unique_ptr<HostInterface> made(new HostInterface);
  made->memory_base_ = config.required_integer("memory_base", 0, kMostPayloadBytes);
  made->memory_bytes_ = config.required_integer("memory_bytes", kWordBytes, kMostPayloadBytes);
  made->tohost_ = config.required_integer("tohost", 0, kMostPayloadBytes);
  if (config.has("fromhost")) {
    made->fromhost_ = config.required_integer("fromhost", 0, kMostPayloadBytes);
  }
  made->arguments_of_program_ = config.text_list("arguments");
  config.finish();
  const char *expected = "a multiple of 8 inside the memory";
  const auto fits = [&](uint64_t at) { return at % 8 == 0 && made->in_memory(at, kWordBytes); };
  if (!fits(made->tohost_)) config.fail("tohost", expected);
  if (made->fromhost_ && !fits(*made->fromhost_)) config.fail("fromhost", expected);
  return made;
}

bool HostInterface::in_memory(uint64_t address, uint64_t bytes) const {
  return address >= memory_base_ && bytes <= memory_bytes_ &&
         address - memory_base_ <= memory_bytes_ - bytes;
}

HostInterface::Request HostInterface::look() {
  step_ = Step::kToHost;
  return {false, tohost_, 0};
}

std::optional<HostInterface::Request> HostInterface::answer(uint64_t data, uint64_t cycle,
                                                            BladeEnd &end, Console *console) {
  switch (step_) {
    case Step::kToHost:
      return data == 0 ? std::nullopt : command(data, cycle, end, console);
    case Step::kFromHost:
      // The program has not taken the last answer yet: its call waits for the next look.
      if (data != 0) return std::nullopt;
      step_ = Step::kCall;
      done_ = 0;
      return read_call();
    case Step::kCall:
      call_[done_] = data;
      if (++done_ < kCallWords) return read_call();
      return call(cycle, end);
    case Step::kText:
      return text(data, cycle, console);
    case Step::kResult:
      step_ = Step::kClear;
      return Request{true, tohost_, 0};
    case Step::kClear:
      if (!responds_) return std::nullopt;
      step_ = Step::kRespond;
      return Request{true, *fromhost_, kResponse};
    case Step::kRespond:
      return std::nullopt;
    case Step::kOldWord:
      return put_word(data);
    case Step::kNewWord:
      return put();
  }
  return std::nullopt;
}

std::optional<HostInterface::Request> HostInterface::command(uint64_t word, uint64_t cycle,
                                                             BladeEnd &end, Console *console) {
  const auto device = static_cast<unsigned>(word >> 56);
  const auto what = static_cast<unsigned>(word >> 48 & 0xff);
  const uint64_t payload = word & 0xffff'ffff'ffff;
  if (device == kSystem && what == 0 && (payload & 1) != 0) {
    end = exit_with(payload >> 1, cycle);
    return std::nullopt;
  }
  if (device == kSystem && what == 0) {
    if (payload % kWordBytes != 0 || !in_memory(payload, kCallWords * kWordBytes)) {
      end = refuse(cycle, fmt::format("wrote 0x{:x} to tohost, expected code << 1 | 1, or the "
                                      "address in memory of a system call's arguments",
                                      word));
      return std::nullopt;
    }
    if (!fromhost_) {
      end = refuse(cycle, fmt::format("wrote 0x{:x} to tohost, a system call, but the program has "
                                      "no symbol fromhost, expected one for the answer",
                                      word));
      return std::nullopt;
    }
    arguments_ = payload;
    responds_ = true;
    step_ = Step::kFromHost;
    return Request{false, *fromhost_, 0};
  }
  if (device == kTerminal && what <= kPutCharacter) {
    // Nobody types: a program that asks for a character waits for ever, as at any other terminal.
    if (what != kGetCharacter && console != nullptr) {
      console->put(static_cast<char>(payload), cycle);
    }
    responds_ = false;
    step_ = Step::kClear;
    return Request{true, tohost_, 0};
  }
  end = refuse(cycle, fmt::format("wrote 0x{:x} to tohost, command {} of device {}, expected "
                                  "device 0 (exit, system calls) or 1 (terminal)",
                                  word, what, device));
  return std::nullopt;
}

std::optional<HostInterface::Request> HostInterface::call(uint64_t cycle, BladeEnd &end) {
  if (call_[0] == kExit) {
    end = exit_with(call_[1], cycle);
    return std::nullopt;
  }
  if (call_[0] == kWrite && is_console(call_[1])) return write(cycle, end);
  if (call_[0] == kWrite) return result(kBadFile);
  auto answer = answer_call(call_, arguments_of_program_);
  if (!answer) {
    end = refuse(cycle, fmt::format("asked the host for system call {} by tohost, expected {}",
                                    call_[0], known_calls()));
    return std::nullopt;
  }
  if (!answer->data.empty() && !in_memory(answer->address, answer->data.size())) {
    end = refuse(cycle, fmt::format("asked the host by system call {} of tohost to put {} bytes "
                                    "at 0x{:x}, expected a place inside its memory",
                                    call_[0], answer->data.size(), answer->address));
    return std::nullopt;
  }
  answer_ = std::move(*answer);
  done_ = 0;
  return put();
}

std::optional<HostInterface::Request> HostInterface::write(uint64_t cycle, BladeEnd &end) {
  const uint64_t address = call_[2], bytes = call_[3];
  done_ = 0;
  if (bytes == 0) return result(0);
  if (!in_memory(address, bytes)) {
    end = refuse(cycle, fmt::format("asked the host to write {} bytes at 0x{:x} by tohost, "
                                    "expected them inside its memory",
                                    bytes, address));
    return std::nullopt;
  }
  step_ = Step::kText;
  return next_text();
}

HostInterface::Request HostInterface::result(uint64_t value) {
  step_ = Step::kResult;
  return {true, arguments_, value};
}

HostInterface::Request HostInterface::put() {
  if (done_ == answer_.data.size()) return result(answer_.result);
  const uint64_t at = answer_.address + done_;
  if (at % kWordBytes == 0 && answer_.data.size() - done_ >= kWordBytes) return put_word(0);
  // Of this word some bytes stay as they are.
  step_ = Step::kOldWord;
  return {false, at & ~(kWordBytes - 1), 0};
}

HostInterface::Request HostInterface::put_word(uint64_t old) {
  const uint64_t place = (answer_.address + done_) & ~(kWordBytes - 1);
  do {
    const uint64_t shift = 8 * ((answer_.address + done_) % kWordBytes);
    old = (old & ~(uint64_t{0xff} << shift)) | uint64_t{answer_.data[done_]} << shift;
    ++done_;
  } while (done_ < answer_.data.size() && (answer_.address + done_) % kWordBytes != 0);
  step_ = Step::kNewWord;
  return {true, place, old};
}

// The characters of one word that belong to the text.
std::optional<HostInterface::Request> HostInterface::text(uint64_t data, uint64_t cycle,
                                                          Console *console) {
  for (uint64_t byte = (call_[2] + done_) % kWordBytes; byte < kWordBytes && done_ < call_[3];
       ++byte, ++done_) {
    if (console != nullptr) console->put(static_cast<char>(data >> 8 * byte), cycle);
  }
  if (done_ < call_[3]) return next_text();
  return result(call_[3]);
}

void HostInterface::save(StateWriter &state) const {
  state.u64(static_cast<uint64_t>(step_));
  state.boolean(responds_);
  for (const uint64_t value : {arguments_, call_[0], call_[1], call_[2], call_[3], done_}) {
    state.u64(value);
  }
}

void HostInterface::load(StateReader &state) {
  step_ = static_cast<Step>(state.u64(static_cast<uint64_t>(Step::kNewWord)));
  responds_ = state.boolean();
  for (uint64_t *value : {&arguments_, &call_[0], &call_[1], &call_[2], &call_[3], &done_}) {
    *value = state.u64();
  }
  const bool calls = responds_ || (step_ != Step::kToHost && step_ != Step::kClear);
  const bool call_fits =
      arguments_ % kWordBytes == 0 && in_memory(arguments_, kCallWords * kWordBytes) && fromhost_;
  if (step_ == Step::kText && !(in_memory(call_[2], call_[3]) && done_ < call_[3])) {
    state.fail("found a text of a system call that is not in memory");
  }
  const bool puts = step_ == Step::kOldWord || step_ == Step::kNewWord;
  answer_ = puts ? answer_call(call_, arguments_of_program_).value_or(HostAnswer{}) : HostAnswer{};
  const uint64_t left = answer_.data.size() - std::min(done_, answer_.data.size());
  const bool put_fits = in_memory(answer_.address, answer_.data.size()) &&
                        done_ <= answer_.data.size() && (step_ == Step::kNewWord || left != 0);
  if ((step_ == Step::kCall && done_ >= kCallWords) || (calls && !call_fits) ||
      (puts && !put_fits)) {
    state.fail("found a system call that cannot be");
  }
}

}  // namespace firesim::devices
