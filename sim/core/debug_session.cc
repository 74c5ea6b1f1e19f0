// SPDX-License-Identifier: BSD-3-Clause
//
// Stops of a debugged run, and the debugger's commands. See the header.
#include "core/debug_session.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/fields.h"
#include "core/json_reader.h"
#include "core/model.h"

namespace firesim {

namespace {

constexpr const char *kBreakpoint = "breakpoint";
constexpr uint32_t kStepsBetweenPolls = 4096;
constexpr uint64_t kMostBytes = 16384;
constexpr size_t kMostPlaces = 1024;

std::string hex(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

DebugSession::DebugSession(DebugTarget &target, const std::filesystem::path &socket)
    : target_(target), link_(socket) {
  target_.listen(*this);
}

// Where the run stands, and why it does.
nlohmann::json DebugSession::event(const char *why) const {
  return {{"stop", why}, {"hart", now_.hart}, {"position", now_.position}, {"cycle", now_.cycle}};
}

void DebugSession::begin(uint64_t cycle) {
  now_ = {0, target_.position(), cycle, 0};
  stop(event("begin"));
}

bool DebugSession::has_changed(Watch &watch) {
  std::vector<uint8_t> bytes(watch.bytes.size());
  if (!target_.read(watch.address, bytes) || bytes == watch.bytes) return false;
  watch.bytes = std::move(bytes);
  changed_address_ = watch.address;
  return true;
}

// Why the run is to stop after this step, or nullptr. Whoever searches from before a position for
// the last breakpoint does not mean one there, unless told so.
const char *DebugSession::reason(const DebugStep &step, bool at_end) {
  bool changed = false;
  for (Watch &watch : order_.watches) changed = has_changed(watch) || changed;
  const bool counts = !order_.search || !at_end || order_.inclusive;
  if (counts && order_.breakpoints.contains(step.pc)) return kBreakpoint;
  if (changed) return "watch";
  if (order_.hart == step.hart) return "step";
  return nullptr;
}

void DebugSession::stepped(const DebugStep &step) {
  const DebugStep before = std::exchange(now_, step);
  if (--steps_to_poll_ == 0) poll();
  const bool at_end = step.position >= order_.until_position || step.cycle >= order_.until_cycle;
  if (order_.looks_at_steps()) {
    if (const char *why = reason(step, at_end)) {
      nlohmann::json found = event(why);
      found["address"] = changed_address_;
      if (!order_.search) return stop(found);
      // Whoever goes back over a step, or a change, goes to where it has not been done.
      if (why != kBreakpoint) found["position"] = before.position;
      found_ = std::move(found);
    }
  }
  if (at_end) stop(event("reached"));
}

void DebugSession::between(DebugPosition position, uint64_t cycle) {
  now_.position = position;
  now_.cycle = std::max(now_.cycle, cycle);
  poll();
  if (position >= order_.until_position || cycle >= order_.until_cycle) stop(event("reached"));
}

// The debugger says something while the run goes on: it wants it to stop.
void DebugSession::poll() {
  steps_to_poll_ = kStepsBetweenPolls;
  if (!link_.has_command()) return;
  static_cast<void>(link_.receive());
  stop(event("interrupt"));
}

void DebugSession::over(const nlohmann::json &result) {
  is_over_ = true;
  for (const char *key : {"reason", "message", "end_cycle", "token_hash"}) {
    facts_[key] = result.at(key);
  }
  for (;;) stop(event("end"));
}

void DebugSession::stop(const nlohmann::json &answer) {
  nlohmann::json whole = answer;
  whole["found"] = found_;
  if (is_over_) whole["result"] = facts_;
  link_.send(whole);
  serve();
}

// Until the run is to go on.
void DebugSession::serve() {
  going_ = false;
  while (!going_) {
    try {
      obey(link_.receive());
    } catch (const std::exception &error) {
      link_.send({{"ok", false}, {"error", error.what()}});
    }
  }
}

void DebugSession::obey(const nlohmann::json &command) {
  Fields fields(command, "command");
  const std::string name =
      fields.choice("command", {"copy", "go", "interrupt", "read", "registers"});
  if (name == "go") return go(command);
  if (name == "read") return read_memory(command);
  if (name == "copy") return make_copy(command);
  if (name == "interrupt") return fields.finish();  // it came too late: the run has stopped
  const uint64_t hart = fields.integer("hart", 0, target_.hart_count() - 1);
  fields.finish();
  link_.send({{"ok", true}, {"registers", target_.registers(static_cast<uint32_t>(hart))}});
}

void DebugSession::read_memory(const nlohmann::json &command) {
  Fields fields(command, "command", {"command"});
  const uint64_t address = fields.integer("address", 0, UINT64_MAX);
  std::vector<uint8_t> bytes(fields.integer("bytes", 1, kMostBytes));
  fields.finish();
  if (!target_.read(address, bytes)) {
    return link_.send({{"ok", false}, {"error", "there is no memory"}});
  }
  link_.send({{"ok", true}, {"data", hex(bytes)}});
}

void DebugSession::make_copy(const nlohmann::json &command) {
  Fields fields(command, "command", {"command"});
  const uint64_t tag = fields.integer("tag", 0, UINT64_MAX);
  const bool goes_on = fields.boolean("goes_on");
  fields.finish();
  if (!link_.copy(goes_on)) return;
  nlohmann::json hello = event("copy");
  hello["tag"] = tag;
  hello["process"] = getpid();
  link_.send(hello);
}

void DebugSession::go(const nlohmann::json &command) {
  Fields fields(command, "command", {"command"});
  Order order;
  order.until_position = fields.integer("until_position", 0, kNever, kNever);
  order.until_cycle = fields.integer("until_cycle", 0, kNever, kNever);
  if (const auto hart = fields.optional_integer("hart", 0, target_.hart_count() - 1)) {
    order.hart = static_cast<uint32_t>(*hart);
  }
  order.search = fields.boolean("search", false);
  order.inclusive = fields.boolean("inclusive", false);
  for (const nlohmann::json &address : fields.array("breakpoints", false)) {
    order.breakpoints.insert(address.get<uint64_t>());
  }
  for (const nlohmann::json &one : fields.array("watches", false)) {
    Fields place(one, "watch");
    Watch watch{place.integer("address", 0, UINT64_MAX), {}};
    watch.bytes.resize(place.integer("bytes", 1, 64));
    place.finish();
    if (target_.read(watch.address, watch.bytes)) order.watches.push_back(std::move(watch));
  }
  fields.finish();
  if (order.breakpoints.size() + order.watches.size() > kMostPlaces) {
    fields.fail("breakpoints", "at most 1024 breakpoints and watched places");
  }
  first_position_ = order.looks_at_steps() ? 0 : order.until_position;
  first_cycle_ = order.until_cycle;
  order_ = std::move(order);
  found_ = nullptr;
  going_ = true;
}

}  // namespace firesim
