// SPDX-License-Identifier: BSD-3-Clause
// What makes the host's code of a block, apart from the library it does so with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "frame.h"

namespace firesim::functional {

class Core;

// Where parts of a Core lie, in bytes from its x[16]. The same for every one.
struct Layout {
  explicit Layout(const Core &core);

  int32_t core, frame, slots_left, code_entries, floats, rounding;
};

class Emitter {
 public:
  // The one for the host's processor, nullptr if there is none.
  static std::unique_ptr<Emitter> make(const Layout &layout);
  virtual ~Emitter() = default;

  // What is used by all blocks. The Frame gets offsets in it.
  virtual std::span<const uint8_t> common(Frame &frame) = 0;

  // A block. Its slots come first; their `code` is an offset in it.
  struct Made {
    std::span<uint8_t> code;  // until the next call
    uint32_t slots;
    uint32_t entry;  // offset of its begin
  };
  // `shared`: it is of a CodePage, and runs on any hart.
  virtual Made block(Block &block, bool shared) = 0;
};

// What translated code calls. Both return a Left, kLookup to go on.
uint32_t translated_helper(Core *core, const Op *op) noexcept;
uint32_t translated_memory(Core *core, const Op *op, uint32_t opcode) noexcept;

}  // namespace firesim::functional
