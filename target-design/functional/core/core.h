// SPDX-License-Identifier: BSD-3-Clause
// The inside of a hart: registers, translation, decoded code and the interpreter's loop. The parts
// are in mmu.cc, csr.cc, trap.cc, build_block.cc, execute.cc, execute_fp.cc and atomic.cc.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_set>

#include "block.h"
#include "hart.h"
#include "l1_caches.h"
#include "memory_map.h"
#include "shared_state.h"
#include "translation/frame.h"

namespace firesim::functional {

class Translator;

enum class Access : uint8_t { kFetch, kLoad, kStore };
enum Privilege : uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };

// What a helper tells the interpreter's loop.
enum class Next : uint8_t {
  kContinue,  // the next Op
  kLeave,     // this instruction is done, but the block must be left
  kJump,      // done, and core.pc says where to go on
  kTrap,      // not done: core.cause and core.tval say why
};

namespace cause {
inline constexpr uint64_t kFetchAccess = 1, kIllegal = 2, kBreakpoint = 3, kLoadMisaligned = 4;
inline constexpr uint64_t kLoadAccess = 5, kStoreMisaligned = 6, kStoreAccess = 7, kUserCall = 8;
inline constexpr uint64_t kFetchPage = 12, kLoadPage = 13, kStorePage = 15;
inline constexpr uint64_t kInterrupt = uint64_t{1} << 63;
// No trap: the instruction is done again later, as Mmio has held the hart.
inline constexpr uint64_t kHeld = uint64_t{1} << 62;
}  // namespace cause

namespace status {
inline constexpr uint64_t kSie = 1 << 1, kMie = 1 << 3, kSpie = 1 << 5, kMpie = 1 << 7;
inline constexpr uint64_t kSpp = 1 << 8, kMpp = 3 << 11, kFs = 3 << 13, kMprv = 1 << 17;
inline constexpr uint64_t kSum = 1 << 18, kMxr = 1 << 19, kTvm = 1 << 20, kTw = 1 << 21;
inline constexpr uint64_t kTsr = 1 << 22, kSd = uint64_t{1} << 63;
inline constexpr uint64_t kSxlUxl = uint64_t{0xa} << 32, kUxl = uint64_t{2} << 32;
}  // namespace status

// A page that can be accessed directly: `tag` is its virtual address (or odd: none), and `addend`
// what makes a host address of a virtual one.
struct TlbEntry {
  uint64_t tag = 1;
  uint64_t addend = 0;
};

inline constexpr uint32_t kTlbEntries = 256;
struct Tlb {
  std::array<TlbEntry, kTlbEntries> load, store;
};

// Where a jump leads, under a tag that is never 0.
struct JumpEntry {
  uint64_t pc;
  uint64_t tag;
  Block *block;
};

// The shared code of a virtual page. Small, and for all of the page's blocks: the code itself is in
// the host's caches for the sake of other harts, but this is this hart's own.
struct CodeEntry {
  uint64_t tag = kNone;  // virtual page | privilege of the fetch
  const CodePage *page = nullptr;

  static constexpr uint64_t kNone = 4;
};

// Of Core::tag: there is floating point, and it is on.
inline constexpr uint64_t kFloatTag = 4;

using Helper = Next (*)(Core &, const Op &);

class Core {
 public:
  Core(uint32_t id, Dram dram, Mmio &mmio, uint32_t cycles_per_instruction, SharedState &shared,
       HartFeatures features);
  ~Core();

  // --- the boundary, as in hart.h (hart.cc) ---
  uint64_t run(uint64_t from_cycle, uint64_t to_cycle);
  ArchitecturalState state() const;
  void set_state(const ArchitecturalState &state);

  void set_interrupt(uint32_t number, bool level);
  void write_by_device(uint64_t address, uint64_t bytes);

  // --- the interpreter (execute.cc) ---
  // Runs at most `slots` instructions from pc; returns how many were not used. There are three such
  // loops, so that one knows nothing of telling and caches; a block is made for one of them.
  template <Loop kLoop>
  static int64_t execute(Core *core, int64_t slots, const void *const **handlers);
  static const void *handler(Opcode opcode, Loop loop);
  static Helper helper_of(const Op &op);
  Loop loop() const {
    return flow != nullptr ? Loop::kTold : l1 != nullptr ? Loop::kCached : Loop::kPlain;
  }

  // --- code (build_block.cc) ---
  // The block at pc with at most `slots` instructions, or nullptr after a trap of the fetch.
  Block *find_block(uint64_t at, int64_t slots);
  void drop_code();  // all of it
  // `was_shared`: the page was one of the CodeStore.
  void drop_code_page(uint64_t dram_page, bool was_shared);
  uint32_t instruction_at(uint64_t at);  // 0 if it cannot be fetched

  // --- translated code (translation/run.cc) ---
  // Whether a hot block has code now. If not, it may have been dropped with all others.
  bool has_code(Block &block);
  // Enters the block's code where it lies, under a tag; the frame says where it was left.
  Left run_code(const Block &block, uint64_t at, int64_t slots, uint64_t under);
  // Translated code was left through a slot, by a jump from a block at `from`, to `target`.
  void link_code(Slot &slot, const Block &target, uint64_t from);

  // --- telling the flow (tell_flow.cc) ---
  void set_flow(FlowObserver *to);
  // A block at `at` that does not lie in `quiet` is entered, with slots_left as before it. Returns
  // what is to be run of it: up to where it leaves the range.
  Block *tell_arrival(Block *block, uint64_t at);
  // The instruction at `at`, which slots_left is before, has jumped.
  void tell_jump(uint64_t at, uint32_t instruction);
  // The last trap, if it was not told; slots_left is before it.
  void tell_trap();

  // --- first-level caches (memory_access.cc) ---
  void set_l1(L1Caches *to);
  // The byte `offset` after a block's begin is fetched.
  void fetch_line(const Block &block, int32_t offset) {
    uint64_t at = block.physical + static_cast<uint64_t>(offset);
    // A block that spans pages is one instruction, whose end lies elsewhere.
    if (block.second_page != 0 && offset != 0) at = block.second_page;
    if (at - dram.base < dram.size_bytes) l1->fetch((at - dram.base) / kLineBytes);
  }

  // --- memory (mmu.cc) ---
  // Physical address of a virtual one, or false with cause and tval set. `whole_page`: the PMP
  // allows this access in all of the page.
  bool translate(uint64_t address, uint32_t bytes, Access access, uint64_t &physical,
                 bool &whole_page);
  // Everything the fast path does not do: alignment, TLB misses, devices, decoded code.
  Next load_slow(uint64_t address, uint32_t bytes, uint64_t &value);
  Next store_slow(uint64_t address, uint32_t bytes, uint64_t value);
  bool device_read(uint64_t physical, uint32_t bytes, uint64_t &value);
  bool device_write(uint64_t physical, uint32_t bytes, uint64_t value);
  Next held_trap();
  uint8_t *dram_at(uint64_t physical, uint32_t bytes) const;
  void flush_tlbs();
  void flush_tlb_page(uint64_t address);
  void flush_stores_to(uint64_t dram_page);
  void update_context();  // after a change of privilege, mstatus or satp
  Next memory_trap(uint64_t which, uint64_t address);

  // --- CSRs (csr.cc) ---
  bool csr_read(uint32_t number, uint64_t &value) const;
  void csr_write(uint32_t number, uint64_t value);
  bool csr_allowed(uint32_t number, bool write) const;
  uint64_t pending() const { return (mip | lines) & mie; }
  uint64_t cycle_now() const;    // of the instruction now executing
  uint64_t retired_now() const;  // instructions before it

  // --- traps (trap.cc) ---
  void take_trap(uint64_t at, uint64_t which, uint64_t value);
  bool interrupt_ready(uint64_t &which) const;
  void take_interrupts();
  Next illegal();

  // --- floating point (execute_fp.cc) ---
  bool floats_on() const { return features.floats && (mstatus & status::kFs) != 0; }
  void begin_host_float();  // host flags and rounding are ours
  void end_host_float();    // the host's again; our flags are in fflags
  uint32_t float_flags() const;
  void set_float_flags(uint32_t flags);

  // --- what the loop uses ---
  std::array<uint64_t, 33> x{};  // x[kZeroSink] takes what is written to x0
  std::array<uint64_t, 32> f{};
  uint64_t pc = kBootRomBase;
  uint64_t tag = 0;        // of links and jump entries: epoch, FS on, privilege
  Tlb *tlb = nullptr;      // of the present data context
  int64_t slots_left = 0;  // of run(), before the instruction now executing
  uint64_t cause = 0, tval = 0;
  bool leave_requested = false;  // by an Mmio callback
  bool stop_requested = false;
  bool held = false;  // by an Mmio callback
  struct {
    uint64_t at = 0, cause = 0, tval = 0;
    uint8_t privilege = kMachine;  // before it
    bool taken = false;
    bool told = true;  // to who follows the flow, if it was taken
  } last_trap;         // for observers

  Frame frame{};
  std::exception_ptr thrown;  // through translated code

  // --- architectural state ---
  uint8_t privilege = kMachine;
  bool waiting = false;
  bool reservation_valid = false;
  uint64_t reservation = 0;  // physical address
  uint32_t fflags = 0, frm = 0;
  uint64_t mstatus = status::kMpp, medeleg = 0, mideleg = 0, mie = 0, mip = 0, lines = 0;
  uint64_t mtvec = 0, mscratch = 0, mepc = 0, mcause = 0, mtval = 0, mcounteren = 0;
  uint64_t stvec = 0, sscratch = 0, sepc = 0, scause = 0, stval = 0, satp = 0, scounteren = 0;
  uint64_t tdata1 = 0, tdata2 = 0, custom = 0x208;
  std::array<uint8_t, kPmpRegions> pmpcfg{};
  std::array<uint64_t, kPmpRegions> pmpaddr{};
  uint64_t mcycle_offset = 0;   // mcycle = target cycle + this
  uint64_t retired_at_end = 0;  // minstret when slots_left is 0, as things stand

  const uint32_t id;
  const Dram dram;
  Mmio &mmio;
  const uint32_t cycles_per_instruction;
  const HartFeatures features;
  const uint32_t address_top;  // the highest bit of an address in mepc and mtval
  SharedState &shared;
  RetireObserver *observer = nullptr;
  FlowObserver *flow = nullptr;  // with it, blocks have Ops that tell
  FlowObserver::Range quiet;     // what `flow` returned last
  L1Caches *l1 = nullptr;        // what the hart's caches hold is followed

  static constexpr uint32_t kCodeEntries = 256;
  std::array<CodeEntry, kCodeEntries> code_tlb{};
  // Of blocks of its own, and where it shares none: in memory that is taken where it is used.
  static constexpr uint32_t kJumpEntries = 4096;
  const std::unique_ptr<JumpEntry[], FreeMemory> jump_cache;

 private:
  bool walk(uint64_t address, Access access, uint8_t as, uint64_t &physical);
  bool read_entry(uint64_t at, Access access, uint64_t &value);
  bool walk_step(uint64_t entry, int level, Access access, uint8_t as, uint64_t address,
                 uint64_t &physical, uint64_t &table, bool &done);
  // 0 denied, 1 allowed here, 2 allowed in the whole page.
  int pmp_check(uint64_t physical, uint32_t bytes, Access access, uint8_t as) const;
  uint8_t data_privilege() const;
  void new_epoch();
  bool fetch(uint64_t at, uint64_t &physical, bool &whole_page);
  bool fetch_second_half(uint64_t at, uint64_t &physical);
  // Of the CodeStore; nullptr where the hart has to have a block of its own.
  Block *find_shared(uint64_t at, uint64_t physical, int64_t slots);
  Block *build(const CodePlace &place, uint64_t second, int64_t limit, bool cacheable);
  // Makes scratch_ of at most `limit` instructions; returns the number of its Ops.
  uint32_t decode_block(uint64_t physical, uint64_t second, int64_t limit);
  Block *shorten(const Block &whole, uint32_t instructions);
  bool read_code(uint64_t physical, uint16_t &half) const;
  // Of the instruction at `physical`, whose second half may lie elsewhere (0: it does not).
  bool is_stale(uint64_t physical, uint64_t second) const;
  Next device_done(bool ok, bool load, uint64_t address);
  bool csr_read_machine(uint32_t number, uint64_t &value) const;
  bool csr_read_delegation(uint32_t number, uint64_t &value) const;
  bool csr_read_float(uint32_t number, uint64_t &value) const;
  bool csr_read_supervisor(uint32_t number, uint64_t &value) const;
  void csr_write_machine(uint32_t number, uint64_t value);
  void csr_write_supervisor(uint32_t number, uint64_t value);
  void write_status(uint64_t writable, uint64_t value);
  void write_pmp(uint32_t number, uint64_t value);
  void run_slots(int64_t slots);
  void step_observed();
  void report_trap(uint32_t instruction, uint64_t cycle);
  void report(const Retired &event);
  template <typename Tell>
  void tell(Tell tell);

  struct FetchEntry {
    uint64_t tag = 1;  // virtual page | privilege of the fetch
    uint64_t physical = 0;
  };
  static constexpr uint32_t kFetchEntries = 64;
  static const Helper kHelpers[];  // in the order of FIRESIM_HELPER_OPS

  uint64_t cycle_ = 0;      // reached
  uint64_t end_cycle_ = 0;  // of run(): when slots_left is 0
  uint64_t run_begin_ = 0;  // of the last run()
  uint64_t epoch_ = 1;
  BlockCache blocks_;
  std::unique_ptr<Translator> translator_;  // of a hart that shares no code
  Block scratch_{};
  std::array<Op, kMaxOps> scratch_ops_{};
  std::array<uint16_t, kMaxOps> scratch_offsets_{};
  std::array<Tlb, 5> tlbs_{};  // user, supervisor, supervisor with SUM, machine, any with MXR
  uint64_t mxr_context_ = ~uint64_t{0};
  std::array<FetchEntry, kFetchEntries> fetch_tlb_{};
  std::unordered_set<uint64_t>
      executed_pages_;  // virtual; what fetch_tlb_ has held since flush_tlbs
  uint32_t saved_host_float_ = 0;
  bool host_float_is_ours_ = false;
};

Helper system_helper(Opcode opcode);
Helper csr_helper(Opcode opcode);
Helper atomic_helper(Opcode opcode);
Helper float_helper(Opcode opcode);

}  // namespace firesim::functional
