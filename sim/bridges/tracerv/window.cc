// SPDX-License-Identifier: BSD-3-Clause
// Windows of prints and asserts; see window.h.
#include "bridges/tracerv/window.h"

namespace firesim::bridges {

Window::Window(Config &config, std::vector<TracePort> trace_ports)
    : trigger_(Trigger::parse(config.child("trigger"), config.child_where("trigger"))),
      trace_ports_(std::move(trace_ports)) {
  if (trigger_.needs_commits() && trace_ports_.empty()) {
    config.fail("trigger", "one that needs no TraceRV bridge, as the model has none");
  }
}

}  // namespace firesim::bridges
