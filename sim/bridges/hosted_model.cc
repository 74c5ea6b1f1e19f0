// SPDX-License-Identifier: BSD-3-Clause
// The ports of a target on a platform; see hosted_model.h.
#include "bridges/hosted_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "bridges/port.h"
#include "core/model.h"
#include "devices/config.h"
#include "hostlib/registers.h"

namespace firesim::bridges {

using namespace devices;

HostedModel::HostedModel(const Manifest &manifest, TargetPlatform on, const std::string &where)
    : platform_(std::move(on.platform)),
      state_(std::move(on.state)),
      subject_(std::move(on.subject)) {
  for (const PortInfo &port : manifest.ports) {
    // 8 bytes at least, and whole ones, so that a counter may be read as a number.
    storage_.push_back(std::make_unique<uint8_t[]>((port.width_bits + 63) / 64 * 8));
    const auto place = ports_.emplace(port.name, FiresimPort{}).first;
    place->second = {place->first.c_str(), port.width_bits, port.is_input ? 1u : 0u,
                     storage_.back().get()};
  }
  for (const CounterInfo &counter : manifest.counters) {
    counters_.push_back(reinterpret_cast<uint64_t *>(ports_.at(counter.port).storage));
  }
  target_ = std::make_unique<hostlib::HostTarget>(*platform_, channels(manifest),
                                                  manifest.design_hash, where);
  if (const uint64_t cycle = platform_->read_wide(hostlib::kCycle); cycle != 0) {
    throw DescriptionError(fmt::format(
        "{}: found the target in cycle {} on the platform, expected 0: configure it again", where,
        cycle));
  }
  for (const hostlib::BridgePartInfo &info : manifest.host->parts) {
    const auto index = static_cast<uint32_t>(parts_.size());
    parts_.push_back(std::make_unique<hostlib::BridgePart>(*platform_, *target_, index, info));
  }
  find_gates(manifest, where);
  for (const BridgeInfo &bridge : manifest.bridges) {
    for (const auto &[name, wake] : bridge.wakes) {
      if (wake == Wake::kAnswer) answered_.insert(ports_.at(bridge.ports.at(name)).storage);
    }
  }
  // A failed assert ends the blade.
  if (!manifest.assert_port.empty()) answered_.insert(ports_.at(manifest.assert_port).storage);
  if (on.twin && state_) twin_.emplace(*on.twin, *state_, ports_, where);
}

std::vector<hostlib::HostChannel> HostedModel::channels(const Manifest &manifest) const {
  std::set<std::string> waking{manifest.assert_port, manifest.prints_port};
  for (const BridgeInfo &bridge : manifest.bridges) {
    for (const auto &[name, wake] : bridge.wakes) waking.insert(bridge.ports.at(name));
  }
  std::vector<hostlib::HostChannel> found;
  for (const ChannelInfo &info : manifest.host->channels) {
    hostlib::HostChannel channel{info.name, info.is_input, info.width_bits, {}};
    for (const FieldInfo &field : info.fields) {
      const bool wakes = !info.is_input && waking.count(field.port) != 0;
      channel.fields.push_back({ports_.at(field.port), field.low_bit, wakes});
    }
    found.push_back(std::move(channel));
  }
  return found;
}

// A gate is before each output channel of a bridge that declares one, in their order; or there is
// none at all, as the form need not have them.
void HostedModel::find_gates(const Manifest &manifest, const std::string &where) {
  std::map<std::string, const GateInfo *> declared;
  for (const BridgeInfo &bridge : manifest.bridges) {
    if (bridge.gate) declared[bridge.path] = &*bridge.gate;
  }
  std::map<const void *, size_t> gate_of;
  for (const ChannelInfo &info : manifest.host->channels) {
    const auto bridge = declared.find(info.bridge);
    if (info.is_input || bridge == declared.end()) continue;
    for (const FieldInfo &field : info.fields) {
      gate_of[ports_.at(field.port).storage] = gates_.size();
    }
    gates_.push_back(std::make_unique<hostlib::ChannelGate>(
        *platform_, static_cast<uint32_t>(gates_.size()), bridge->second->match));
  }
  if (gates_.empty()) return;
  const uint32_t found = hostlib::ChannelGate::count(*platform_);
  if (found != 0 && found != gates_.size()) {
    throw DescriptionError(fmt::format("{}: found {} gates on the platform, expected {} or none",
                                       where, found, gates_.size()));
  }
  if (found != 0) gate_of_ = std::move(gate_of);
}

hostlib::ChannelGate *HostedModel::gate_of(const void *storage) {
  const auto found = gate_of_.find(storage);
  return found == gate_of_.end() ? nullptr : gates_[found->second].get();
}

std::optional<bool> HostedModel::gate_open(const void *storage) {
  hostlib::ChannelGate *gate = gate_of(storage);
  return gate == nullptr ? std::nullopt : gate->open();
}

void HostedModel::choose(const std::vector<FiresimPort> &listened,
                         const std::vector<FiresimPort> &stopping, const Gates &gates) {
  const auto among = [](const std::vector<FiresimPort> &ports, const void *storage) {
    return std::any_of(ports.begin(), ports.end(),
                       [&](const FiresimPort &port) { return port.storage == storage; });
  };
  target_->choose([&](hostlib::HostChannel &channel) {
    channel.listened = channel.stops = channel.gated = false;
    hostlib::ChannelGate *gate =
        channel.is_input ? nullptr : gate_of(channel.fields.front().port.storage);
    if (gate != nullptr) gate->pass_all();
    for (const auto &field : channel.fields) {
      const void *storage = field.port.storage;
      if (!among(listened, storage)) continue;
      channel.listened = true;
      channel.stops |= answered_.count(storage) != 0 || among(stopping, storage);
      const auto wanted = gates.find(storage);
      if (gate == nullptr || wanted == gates.end()) continue;
      channel.gated = gate->close_around(wanted->second);
    }
  });
}

void HostedModel::read_counters(bool before) {
  for (uint32_t i = 0; i < counters_.size(); ++i) *counters_[i] = target_->counter(i, before);
}

std::string HostedModel::unknown_inside() const {
  if (twin_) return *twin_->refused();
  return state_ ? "its description names no twin" : "its form has no scan chain";
}

std::vector<uint8_t> HostedModel::save() {
  twin_->look();
  return twin_->model().save();
}

std::optional<std::string> HostedModel::load(const std::vector<uint8_t> &state, uint64_t cycle) {
  if (!twin_->model().load(state)) return "a state that the engine does not take";
  if (const auto differs = twin_->put()) {
    return fmt::format("a value of {} that the target, which was optimised once more, cannot have",
                       *differs);
  }
  twin_->put_inputs();
  target_->start_at(cycle);
  return std::nullopt;
}

hostlib::BridgePart *HostedModel::part(const std::string &path) {
  for (const auto &part : parts_) {
    if (part->bridge() == path) return part.get();
  }
  return nullptr;
}

uint64_t HostedModel::host_cycles() { return platform_->read_wide(hostlib::kHostCycles); }

}  // namespace firesim::bridges
