// SPDX-License-Identifier: BSD-3-Clause
// DDR3 timing; see dram.h and docs/explanation/memory-timing.md.
#include "bridges/memory/dram.h"

#include <algorithm>
#include <bit>

#include "core/check.h"

namespace firesim::bridges {
namespace {

__extension__ typedef unsigned __int128 Wide;

}  // namespace

DramTiming::DramTiming(const DramConfig &config)
    : config_(config), banks_(config.ranks * config.banks), ranks_(config.ranks) {
  queue_.reserve(config.queue_depth);
  completions_.reserve(config.queue_depth + 64);
  // Ranks take turns, so that they are not all away at once.
  for (uint32_t i = 0; i < config.ranks; ++i) {
    ranks_[i].refresh_due = config.timings.tREFI + i * config.timings.tREFI / config.ranks;
  }
}

uint64_t DramTiming::to_dram(uint64_t target_cycle) const {
  return static_cast<uint64_t>(Wide{target_cycle} * config_.clock_ratio_dram /
                               config_.clock_ratio_target);
}

uint64_t DramTiming::to_target(uint64_t dram_cycle) const {
  return static_cast<uint64_t>(
      (Wide{dram_cycle} * config_.clock_ratio_target + config_.clock_ratio_dram - 1) /
      config_.clock_ratio_dram);
}

void DramTiming::accept(uint64_t cycle, const MemoryAccess &access) {
  FIRESIM_CHECK(has_room(), "the caller asks has_room() first");
  const uint64_t now = to_dram(cycle);
  if (queue_.empty()) catch_up_refresh(now);
  // Address bits, from the top: row, rank, bank, column.
  const uint64_t page = access.address / config_.row_bytes;
  Queued queued{};
  queued.tag = access.tag;
  queued.write = access.write;
  queued.bank = static_cast<uint32_t>(page % config_.banks);
  queued.rank = static_cast<uint32_t>(page / config_.banks % config_.ranks);
  queued.row = static_cast<uint32_t>(page / config_.banks / config_.ranks);
  queued.earliest = now + 1;
  queue_.push_back(queued);
  next_ = choose();
}

uint64_t DramTiming::next_event() const {
  const uint64_t completion = completions_.empty() ? UINT64_MAX : completions_.back().cycle;
  if (next_.kind == Choice::Kind::kNone) return completion;
  return std::min(completion, to_target(next_.cycle));
}

void DramTiming::advance(uint64_t cycle, std::vector<uint32_t> &done) {
  const uint64_t now = to_dram(cycle);
  while (next_.kind != Choice::Kind::kNone && next_.cycle <= now) {
    issue(next_);
    next_ = choose();
  }
  while (!completions_.empty() && completions_.back().cycle <= cycle) {
    done.push_back(completions_.back().tag);
    completions_.pop_back();
  }
}

uint32_t DramTiming::window() const {
  const uint32_t held = std::min(config_.window, static_cast<uint32_t>(queue_.size()));
  return held != 0 && queue_[0].overtaken >= config_.reorder_limit ? 1 : held;
}

DramTiming::Choice DramTiming::choose() const {
  Choice best;
  if (queue_.empty()) return best;  // refreshes wait for the next access
  const auto consider = [&best](const Choice &candidate) {
    if (candidate.cycle < best.cycle ||
        (candidate.cycle == best.cycle && candidate.kind < best.kind)) {
      best = candidate;
    }
  };
  for (uint32_t rank = 0; rank < config_.ranks; ++rank) consider(refresh_choice(rank));
  const uint32_t limit = window();
  for (uint32_t i = 0; i < limit; ++i) consider(access_choice(i, limit));
  return best;
}

DramTiming::Choice DramTiming::access_choice(uint32_t index, uint32_t window) const {
  const Queued &access = queue_[index];
  const Rank &rank = ranks_[access.rank];
  const Bank &bank = bank_of(access);
  Choice choice;
  choice.index = index;
  choice.cycle = std::max(next_command_, access.earliest);
  if (bank.row == access.row) {
    choice.kind = Choice::Kind::kColumn;
    choice.cycle =
        std::max({choice.cycle, bank.next_column, access.write ? rank.next_write : rank.next_read});
  } else if (bank.row == kNoRow) {
    choice.kind = Choice::Kind::kRow;
    choice.cycle = std::max({choice.cycle, bank.next_activate, rank.next_activate,
                             rank.activates[rank.activate_index]});
  } else {
    // A row is kept open while something in the window still hits it.
    if (row_wanted(access.rank, access.bank, bank.row, window)) return {};
    choice.kind = Choice::Kind::kRow;
    choice.cycle = std::max(choice.cycle, bank.next_precharge);
  }
  if (choice.cycle >= rank.refresh_due) return {};  // the refresh goes first
  return choice;
}

DramTiming::Choice DramTiming::refresh_choice(uint32_t rank) const {
  Choice choice;
  choice.kind = Choice::Kind::kRefresh;
  choice.index = rank;
  choice.cycle = std::max(next_command_, ranks_[rank].refresh_due);
  const Bank *first = &banks_[rank * config_.banks];
  bool open = false;
  for (uint32_t i = 0; i < config_.banks; ++i) {
    if (first[i].row == kNoRow) continue;
    open = true;
    choice.cycle = std::max(choice.cycle, first[i].next_precharge);
  }
  if (open) return choice;
  for (uint32_t i = 0; i < config_.banks; ++i) {
    choice.cycle = std::max(choice.cycle, first[i].next_activate);
  }
  return choice;
}

bool DramTiming::row_wanted(uint32_t rank, uint32_t bank, uint32_t row, uint32_t window) const {
  for (uint32_t i = 0; i < window; ++i) {
    if (queue_[i].rank == rank && queue_[i].bank == bank && queue_[i].row == row) return true;
  }
  return false;
}

void DramTiming::issue(const Choice &choice) {
  next_command_ = choice.cycle + 1;
  if (choice.kind == Choice::Kind::kRefresh) {
    issue_refresh_step(choice.index, choice.cycle);
  } else if (choice.kind == Choice::Kind::kColumn) {
    issue_column(choice.index, choice.cycle);
  } else {
    Queued &access = queue_[choice.index];
    Bank &bank = bank_of(access);
    if (bank.row == kNoRow) {
      issue_activate(access, choice.cycle);
    } else {
      access.precharged = true;
      precharge(bank, choice.cycle);
    }
  }
}

void DramTiming::precharge(Bank &bank, uint64_t cycle) {
  bank.row = kNoRow;
  bank.next_activate = std::max(bank.next_activate, cycle + config_.timings.tRP);
}

void DramTiming::issue_activate(Queued &access, uint64_t cycle) {
  const DramTimings &t = config_.timings;
  Rank &rank = ranks_[access.rank];
  Bank &bank = bank_of(access);
  access.activated = true;
  bank.row = access.row;
  bank.next_column = cycle + t.tRCD;
  bank.next_precharge = std::max(bank.next_precharge, cycle + t.tRAS);
  bank.next_activate = cycle + t.tRC;
  rank.next_activate = cycle + t.tRRD;
  rank.activates[rank.activate_index] = cycle + t.tFAW;
  rank.activate_index = (rank.activate_index + 1) % rank.activates.size();
}

void DramTiming::limit_ranks(const Queued &access, uint64_t cycle) {
  const DramTimings &t = config_.timings;
  const uint64_t data = cycle + (access.write ? t.tCWD : t.tCAS);  // first cycle on the data bus
  for (uint32_t i = 0; i < config_.ranks; ++i) {
    Rank &rank = ranks_[i];
    uint64_t read, write;
    if (i != access.rank) {  // the data bus changes hands
      const uint64_t free = data + kBurstCycles + t.tRTRS;
      read = free > t.tCAS ? free - t.tCAS : 0;
      write = free > t.tCWD ? free - t.tCWD : 0;
    } else if (access.write) {
      read = data + kBurstCycles + t.tWTR;
      write = cycle + t.tCCD;
    } else {
      read = cycle + t.tCCD;
      write = cycle + t.tCAS + t.tCCD + 2 - t.tCWD;
    }
    rank.next_read = std::max(rank.next_read, read);
    rank.next_write = std::max(rank.next_write, write);
  }
}

void DramTiming::issue_column(uint32_t index, uint64_t cycle) {
  const DramTimings &t = config_.timings;
  const Queued access = queue_[index];
  for (uint32_t i = 0; i < index; ++i) ++queue_[i].overtaken;
  queue_.erase(queue_.begin() + index);
  Bank &bank = bank_of(access);
  limit_ranks(access, cycle);
  const uint64_t data_end = cycle + (access.write ? t.tCWD : t.tCAS) + kBurstCycles;
  bank.next_precharge =
      std::max(bank.next_precharge, access.write ? data_end + t.tWR : cycle + t.tRTP);
  if (access.precharged) {
    ++counts_.row_conflicts;
  } else if (access.activated) {
    ++counts_.row_misses;
  } else {
    ++counts_.row_hits;
  }
  if (!config_.open_page && !row_wanted(access.rank, access.bank, access.row, window())) {
    precharge(bank, bank.next_precharge);  // carried by the column command itself
  }
  complete(data_end, access.tag);
}

void DramTiming::complete(uint64_t dram_cycle, uint32_t tag) {
  const uint64_t cycle = to_target(dram_cycle) + config_.backend_latency_cycles;
  const auto place = std::find_if(completions_.begin(), completions_.end(),
                                  [cycle](const Completion &c) { return c.cycle <= cycle; });
  completions_.insert(place, {cycle, tag});
}

void DramTiming::issue_refresh_step(uint32_t rank, uint64_t cycle) {
  Bank *first = &banks_[rank * config_.banks];
  bool open = false;
  for (uint32_t i = 0; i < config_.banks; ++i) {
    if (first[i].row == kNoRow) continue;
    open = true;
    precharge(first[i], cycle);
  }
  if (open) return;  // all banks were closed by one command; the refresh itself comes next
  ++counts_.refreshes;
  ranks_[rank].refresh_due += config_.timings.tREFI;
  for (uint32_t i = 0; i < config_.banks; ++i) {
    first[i].next_activate = cycle + config_.timings.tRFC;
  }
}

void DramTiming::catch_up_refresh(uint64_t dram_cycle) {
  for (uint32_t rank = 0; rank < config_.ranks; ++rank) {
    uint64_t &due = ranks_[rank].refresh_due;
    // Of the refreshes missed while idle only the first can find open banks, and only the last can
    // still be under way.
    if (due > dram_cycle) continue;
    issue_refresh_step(rank, refresh_choice(rank).cycle);
    if (due <= dram_cycle) issue_refresh_step(rank, refresh_choice(rank).cycle);
    if (due > dram_cycle) continue;
    const uint64_t missed = (dram_cycle - due) / config_.timings.tREFI;
    counts_.refreshes += missed;
    due += missed * config_.timings.tREFI;
    issue_refresh_step(rank, refresh_choice(rank).cycle);
  }
}

void DramTiming::add_counts(TimingCounts &counts) const {
  counts.row_hits += counts_.row_hits;
  counts.row_misses += counts_.row_misses;
  counts.row_conflicts += counts_.row_conflicts;
  counts.refreshes += counts_.refreshes;
}

}  // namespace firesim::bridges
