// SPDX-License-Identifier: BSD-3-Clause
// What Golden Gate adds to a design beside its bridges: counters, asserts, prints, waves,
// captures, peeks and pokes.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "bridges/activity.h"
#include "bridges/autocounter.h"
#include "bridges/capture.h"
#include "bridges/hosted_model.h"
#include "bridges/manifest.h"
#include "bridges/model_library.h"
#include "bridges/prints.h"
#include "bridges/signal_access.h"
#include "bridges/termination/termination.h"
#include "bridges/waves.h"
#include "devices/instrument_names.h"

namespace firesim::bridges {

// The instruments of one model; null what it does not have or nobody asked for.
struct Instruments {
  std::unique_ptr<Activity> activity;
  std::unique_ptr<AssertDriver> asserts;
  std::unique_ptr<AutoCounter> counters;
  std::unique_ptr<Capture> capture;
  std::unique_ptr<PrintDriver> prints;
  std::unique_ptr<SignalAccess> signals;
  std::unique_ptr<WaveWriter> waves;
};

using Ports = std::map<std::string, FiresimPort>;

// The model whose signals are the target's; null when there is none, and then why. Of a target on a
// platform, that beside which a ring is that captures signals.
struct ShownModel {
  ModelInstance *model;
  std::string why_not;
  HostedModel *hosted;
};

// Reads the keys kInstruments of `settings`. `trace_ports` are those of the harts, for the triggers
// of counters. `node` starts messages.
Instruments make_instruments(const Manifest &manifest, const Ports &ports, const ShownModel &shown,
                             Config &settings, const SimulationContext &context,
                             BladeStatus &status, std::vector<TracePort> trace_ports,
                             const std::string &node);

// The port of a model by name; `what` it is for goes into the message when there is none.
FiresimPort model_port(const Ports &ports, const std::string &port, const char *what,
                       const std::string &node);

}  // namespace firesim::bridges
