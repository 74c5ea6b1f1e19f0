// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh whose messages are compressed with LZ4 on their way: wraps another one. It pays where the
// network between two hosts is slower than their processors, and what nodes send is compressible.
// Short messages, and those that do not get shorter, go as they are.
#pragma once

#include <memory>

#include "core/mesh.h"

namespace firesim {

// All processes of a mesh wrap theirs, or none does.
std::unique_ptr<Mesh> make_compressing_mesh(std::unique_ptr<Mesh> mesh);

}  // namespace firesim
