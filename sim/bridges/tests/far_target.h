// SPDX-License-Identifier: BSD-3-Clause
// A target that is not in this process, as one on an FPGA is not: it takes batches of input tokens
// and answers with those of its outputs that a driver has to see. Here it is a process of its own
// at the other end of a socket.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bridges/manifest.h"
#include "bridges/model_library.h"

namespace firesim::bridges {

// A new value of an input, from cycle `offset` of a batch on.
struct InputChange {
  uint32_t offset;
  uint32_t port;
  uint64_t value;
};

// The values of all outputs in cycle `offset` of a batch.
struct OutputRow {
  uint32_t offset;
  std::vector<uint64_t> values;
};

struct OutputBatch {
  uint32_t cycles;  // run; fewer than asked for after a cycle that wants an answer
  std::vector<OutputRow> rows;
};

// Ports of at most 64 bits, in order of their names.
class FarTarget {
 public:
  // Starts the process.
  FarTarget(const std::string &library, const Manifest &manifest);
  ~FarTarget();
  FarTarget(const FarTarget &) = delete;
  FarTarget &operator=(const FarTarget &) = delete;

  // Runs up to `cycles` cycles. There is a row for each cycle in which an output that wakes a
  // driver is not 0, and for the last one.
  OutputBatch run(uint32_t cycles, const std::vector<InputChange> &changes);

 private:
  pid_t process_;
  int socket_;
  size_t outputs_ = 0;
};

}  // namespace firesim::bridges
