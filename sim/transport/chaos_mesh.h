// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh for tests and fuzzing: wraps another one and does, by chance, all that a network may do
// and a host's timing may bring about. Messages to one process are delayed, and so overtaken by
// those to others; those with tokens are cut in two, or put together. Nothing a run computes may
// change.
#pragma once

#include <cstdint>
#include <memory>

#include "core/mesh.h"

namespace firesim {

// What happens depends on `seed`, on this process and on what is sent, but for the time it takes.
std::unique_ptr<Mesh> make_chaos_mesh(std::unique_ptr<Mesh> mesh, const MeshPlan &plan,
                                      uint64_t seed);

}  // namespace firesim
