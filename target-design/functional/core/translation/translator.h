// SPDX-License-Identifier: BSD-3-Clause
// Translates blocks that run often to the host's code, within memory that is bounded. What it makes
// of them does the same, instruction by instruction, as the interpreter's loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "code_memory.h"
#include "emitter.h"

namespace firesim::functional {

class Translator {
 public:
  // Takes so many bytes at most, and kMostBytes. With too few it translates nothing.
  explicit Translator(size_t bytes);
  ~Translator();

  static constexpr size_t kMostBytes = 16 << 20;

  // Gives a block its code. False where the host lets none be made, or there is no more room. The
  // pieces it takes of the memory are added to `pieces`, which `release` takes back; for blocks of
  // a lone hart there are none, and forget() takes back all.
  bool translate(Core &core, Block &block, std::vector<CodeMemory::Piece> *pieces);
  void release(const std::vector<CodeMemory::Piece> &pieces);
  void forget();
  // Whether what was not translated last had no room.
  bool is_full() const { return emitter_ != nullptr; }

  // A jump leads from now on to a block that has code, always or under a tag.
  void link(Slot &slot, const Block &to, uint64_t tag);

 private:
  void begin(const Core &core);
  void enter_by(Core &core) const;

  CodeMemory memory_;
  std::unique_ptr<Emitter> emitter_;
  bool begun_ = false;
  Frame common_{};         // the addresses of what all blocks use
  size_t kept_bytes_ = 0;  // for that
};

}  // namespace firesim::functional
