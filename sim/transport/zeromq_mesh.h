// SPDX-License-Identifier: BSD-3-Clause
//
// The mesh of processes over ZeroMQ: a PAIR socket for each other process, over TCP, all served by
// one thread. Why ZeroMQ, and not MPI or plain TCP: docs/explanation/processes.md.
//
// Between two processes, the one that stands first in the list binds, at its port plus the index of
// the other one. A process that is gone, or silent for three seconds, is lost: connections are
// never taken up again. Nothing is encrypted and nobody is asked who they are, so this belongs on
// loopback or in a network of one's own.
#pragma once

#include "core/mesh.h"

namespace firesim {

struct ZeroMqOptions {
  double open_timeout_s = 60;  // for all processes to find each other
};

// Throws DescriptionError when the host of a process is not an IPv4 address.
std::unique_ptr<Mesh> make_zeromq_mesh(const std::vector<ProcessPlace> &processes, size_t self,
                                       const std::string &agreement,
                                       const ZeroMqOptions &options = {});

}  // namespace firesim
