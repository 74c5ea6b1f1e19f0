// SPDX-License-Identifier: BSD-3-Clause
//
// What a kind of model does that knows nothing of snapshots.
#include "core/model.h"

#include "core/state.h"

namespace firesim {

void Model::save(StateWriter &) const {
  throw SnapshotError(name_ + ": models of this kind cannot be saved");
}

void Model::load(StateReader &state, uint64_t) {
  state.fail("models of this kind cannot be saved, expected another kind");
}

void Model::start_at(uint64_t cycle) {
  throw SnapshotError(name_ +
                      ": is not in the snapshot, and models of this kind cannot start at cycle " +
                      std::to_string(cycle));
}

}  // namespace firesim
