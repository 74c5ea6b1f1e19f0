// SPDX-License-Identifier: BSD-3-Clause
// A blade's target on a platform, in place of a model in this process: the same ports by name, and
// cycles that pass on the platform.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bridges/manifest.h"
#include "bridges/target_twin.h"
#include "hostlib/bridge_part.h"
#include "hostlib/capture_ring.h"
#include "hostlib/channel_gate.h"
#include "hostlib/host_target.h"

namespace firesim::bridges {

// Where a target is.
struct TargetPlatform {
  std::unique_ptr<hostlib::HostPlatform> platform;
  // What the target holds, where that can be had, and what names it; the platform outlives it.
  std::unique_ptr<hostlib::TargetState> state;
  std::optional<TargetTwin::Files> twin;
  std::string subject;  // of a sentence about it
};

class HostedModel {
 public:
  // The target whose manifest this is, on a platform. Throws DescriptionError, starting with
  // `where`, when another one is there, or one that has run already.
  HostedModel(const Manifest &manifest, TargetPlatform on, const std::string &where);

  const std::map<std::string, FiresimPort> &ports() const { return ports_; }
  std::string engine_name() const { return platform_->name(); }
  hostlib::HostTarget &target() { return *target_; }

  // What is wanted of a gate, by the storage of an output that is listened to.
  using Gates = std::map<const void *, hostlib::GateSetting>;
  // `listened` are the outputs that wake the drivers that listen; a channel of one of `stopping`
  // stops the target, as one that may be answered does. Where the platform has the gate for them,
  // those of `gates` are told within its window alone.
  void choose(const std::vector<FiresimPort> &listened, const std::vector<FiresimPort> &stopping,
              const Gates &gates);
  // Whether the gate before an output is open, by its storage; nothing while it passes all, and
  // where there is none.
  std::optional<bool> gate_open(const void *storage);
  // Puts the counters of the present cycle into their ports, or with `before` those of the last.
  void read_counters(bool before);
  uint64_t host_cycles();
  // The host's side of the bridge at `path` where it is RTL, else null.
  hostlib::BridgePart *part(const std::string &path);
  // What the target's signals are captured by; this outlives it.
  std::unique_ptr<hostlib::CaptureRing> capture_ring(const hostlib::CaptureLayout &layout,
                                                     const std::string &where) {
    return std::make_unique<hostlib::CaptureRing>(*platform_, layout, where);
  }
  const hostlib::HostTraffic &traffic() const { return target_->traffic(); }

  // What the target is inside, by the names of engine rtl; null when that is not known, and then
  // unknown_inside() says why.
  TargetTwin *twin() { return twin_ && !twin_->refused() ? &*twin_ : nullptr; }
  std::string unknown_inside() const;
  const std::string &subject() const { return subject_; }
  // The state between two cycles, as the model of engine rtl saves it. Both need a twin.
  std::vector<uint8_t> save();
  // Goes on in `cycle`. Returns what is wrong with a state that cannot be taken.
  std::optional<std::string> load(const std::vector<uint8_t> &state, uint64_t cycle);

 private:
  std::vector<hostlib::HostChannel> channels(const Manifest &manifest) const;
  void find_gates(const Manifest &manifest, const std::string &where);
  hostlib::ChannelGate *gate_of(const void *storage);

  std::unique_ptr<hostlib::HostPlatform> platform_;
  std::unique_ptr<hostlib::TargetState> state_;  // of a target whose state can be had
  std::map<std::string, FiresimPort> ports_;
  std::vector<std::unique_ptr<uint8_t[]>> storage_;  // of the ports
  std::set<const void *> answered_;                  // storage of outputs that may be answered
  std::vector<uint64_t *> counters_;
  std::unique_ptr<hostlib::HostTarget> target_;
  std::vector<std::unique_ptr<hostlib::BridgePart>> parts_;
  std::vector<std::unique_ptr<hostlib::ChannelGate>> gates_;  // by number
  std::map<const void *, size_t> gate_of_;  // by the storage of the ports of their channels
  std::optional<TargetTwin> twin_;
  std::string subject_;
};

}  // namespace firesim::bridges
