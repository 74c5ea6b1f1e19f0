// SPDX-License-Identifier: BSD-3-Clause
// Makes the instruments of a model; see instruments.h.
#include "bridges/instruments.h"

#include <fmt/format.h>

#include "bridges/signal_ring.h"

namespace firesim::bridges {
namespace {

// The port of the arguments of a text; one without storage when it has no arguments.
FiresimPort argument_port(const Ports &ports, const std::string &port, const char *what,
                          const std::string &node) {
  return port.empty() ? FiresimPort{} : model_port(ports, port, what, node);
}

std::unique_ptr<AssertDriver> make_asserts(const Manifest &manifest, const Ports &ports,
                                           Config &settings, BladeStatus &status,
                                           const std::vector<TracePort> &trace_ports,
                                           const std::string &node) {
  Config config(settings.child("assert"), settings.child_where("assert"));
  if (manifest.assert_port.empty()) return nullptr;
  Window window(config, trace_ports, status);
  const FiresimPort port = model_port(ports, manifest.assert_port, "asserts", node);
  std::vector<AssertDriver::Source> sources;
  for (const AssertInfo &one : manifest.asserts) {
    sources.push_back({one, argument_port(ports, one.port, "assert", node)});
  }
  return std::make_unique<AssertDriver>(config, port, std::move(sources), std::move(window),
                                        status);
}

std::unique_ptr<AutoCounter> make_counters(const Manifest &manifest, const Ports &ports,
                                           Config &settings, const SimulationContext &context,
                                           std::vector<TracePort> trace_ports, BladeStatus &status,
                                           const std::string &node) {
  if (!settings.has("autocounter")) return nullptr;
  std::vector<AutoCounter::Source> sources;
  for (const CounterInfo &counter : manifest.counters) {
    sources.push_back({counter.name, model_port(ports, counter.port, "counter", node)});
  }
  return std::make_unique<AutoCounter>(settings.child("autocounter"),
                                       settings.child_where("autocounter"), context, sources,
                                       std::move(trace_ports), status);
}

std::unique_ptr<PrintDriver> make_prints(const Manifest &manifest, const Ports &ports,
                                         Config &settings, const SimulationContext &context,
                                         const BladeStatus &status,
                                         const std::vector<TracePort> &trace_ports,
                                         const std::string &node) {
  if (!settings.has("prints") || manifest.prints_port.empty()) return nullptr;
  std::vector<PrintDriver::Source> sources;
  for (const PrintInfo &print : manifest.prints) {
    sources.push_back({print, argument_port(ports, print.port, "print", node)});
  }
  const FiresimPort port = model_port(ports, manifest.prints_port, "prints", node);
  Config config(settings.child("prints"), settings.child_where("prints"));
  Window window(config, trace_ports, status);
  return std::make_unique<PrintDriver>(config, context, port, std::move(sources),
                                       std::move(window));
}

std::unique_ptr<Capture> make_capture(const Manifest &manifest, const ShownModel &shown,
                                      Config &settings, const SimulationContext &context,
                                      const std::string &node) {
  if (!settings.has("capture")) return nullptr;
  CaptureSettings wanted(settings.child("capture"), settings.child_where("capture"));
  std::unique_ptr<hostlib::CaptureSource> source;
  if (shown.hosted == nullptr) {
    source = std::make_unique<SignalRing>(*shown.model, wanted.signals, wanted.depth_cycles,
                                          wanted.where);
  } else if (manifest.host->capture) {
    source = shown.hosted->capture_ring(*manifest.host->capture, wanted.where);
  } else {
    settings.fail("capture", "none: the design on the platform captures no signals");
  }
  return std::make_unique<Capture>(std::move(wanted), std::move(source), node, context);
}

}  // namespace

FiresimPort model_port(const Ports &ports, const std::string &port, const char *what,
                       const std::string &node) {
  const auto found = ports.find(port);
  if (found != ports.end()) return found->second;
  throw ConfigError(fmt::format("{}: the model has no port '{}' for its {}", node, port, what));
}

Instruments make_instruments(const Manifest &manifest, const Ports &ports, const ShownModel &shown,
                             Config &settings, const SimulationContext &context,
                             BladeStatus &status, std::vector<TracePort> trace_ports,
                             const std::string &node) {
  Instruments made;
  made.asserts = make_asserts(manifest, ports, settings, status, trace_ports, node);
  made.prints = make_prints(manifest, ports, settings, context, status, trace_ports, node);
  made.counters =
      make_counters(manifest, ports, settings, context, std::move(trace_ports), status, node);
  made.capture = make_capture(manifest, shown, settings, context, node);
  for (const char *instrument : {"signals", "waves"}) {
    if (shown.model != nullptr || !settings.has(instrument)) continue;
    settings.fail(instrument, "none: " + shown.why_not);
  }
  if (settings.has("signals")) {
    made.signals = std::make_unique<SignalAccess>(
        settings.child("signals"), settings.child_where("signals"), context, *shown.model);
  }
  if (settings.has("activity")) {
    if (shown.hosted != nullptr) settings.fail("activity", "none: the target is on a platform");
    made.activity =
        std::make_unique<Activity>(settings.child("activity"), settings.child_where("activity"),
                                   node, context, *shown.model, status);
  }
  if (settings.has("waves")) {
    made.waves = std::make_unique<WaveWriter>(
        settings.child("waves"), settings.child_where("waves"), node, context, *shown.model);
  }
  return made;
}

}  // namespace firesim::bridges
