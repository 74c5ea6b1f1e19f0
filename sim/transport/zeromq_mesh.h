// SPDX-License-Identifier: BSD-3-Clause
//
// The mesh of processes over ZeroMQ: a PAIR socket for each other process, over TCP. Whoever sends
// does it itself, and a worker without work waits for messages itself; a thread of the mesh watches
// the connections, and hears what comes when nobody else does. Why ZeroMQ, and not MPI or plain
// TCP: docs/explanation/processes.md.
//
// A process that is gone, or silent for three seconds, is lost: connections are
// never taken up again. With keys every connection is encrypted, and both ends have shown that they
// are who they should be; without, processes meet on addresses of this computer only (127.x.x.x).
#pragma once

#include <optional>

#include "core/mesh.h"
#include "transport/mesh_keys.h"

namespace firesim {

struct ZeroMqOptions {
  double open_timeout_s = 60;    // for all processes to find each other
  std::optional<MeshKeys> keys;  // of this process
};

// Throws DescriptionError for a host that is no IPv4 address or not allowed, and for keys that are
// not those of the processes.
std::unique_ptr<Mesh> make_zeromq_mesh(const MeshPlan &plan, const ZeroMqOptions &options = {});

}  // namespace firesim
