// SPDX-License-Identifier: BSD-3-Clause
// Windows of prints and asserts; see window.h.
#include "bridges/tracerv/window.h"

namespace firesim::bridges {

Window::Window(Config &config, std::vector<TracePort> trace_ports, const TraceStatus &status)
    : trigger_(Trigger::of(config, !trace_ports.empty())), trace_ports_(std::move(trace_ports)) {
  trigger_.follow(status.window_open);
}

}  // namespace firesim::bridges
