// SPDX-License-Identifier: BSD-3-Clause
//
// The mesh of processes over ZeroMQ: a PAIR socket for each other process, over TCP, all served by
// one thread. Why ZeroMQ, and not MPI or plain TCP: docs/explanation/processes.md.
//
// Between two processes, the one that stands first in the list binds, at its port plus the index of
// the other one. A process that is gone, or silent for three seconds, is lost: connections are
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
std::unique_ptr<Mesh> make_zeromq_mesh(const std::vector<ProcessPlace> &processes, size_t self,
                                       const std::string &agreement,
                                       const ZeroMqOptions &options = {});

}  // namespace firesim
