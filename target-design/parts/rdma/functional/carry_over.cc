// SPDX-License-Identifier: BSD-3-Clause
// How the RDMA NIC in RTL gets where this one stands: its registers, then regions, completion
// queues and queue pairs by the mailbox, and the doorbells at the end.
//
// Work that peers have not acknowledged begins again with its first packet, as after a loss: they
// know packets that they had already, and what they answer to them. What has arrived of a message
// stays, and the rest of it is awaited.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "parts/rdma/functional/rdma_nic.h"
#include "parts/rdma/functional/register_map.h"

namespace firesim::functional::rdma {
namespace {

constexpr uint64_t kPsnWord = 3;  // of a queue pair's words

// A command with its words, and the time that it takes.
void run_command(RegisterSteps &steps, uint32_t code, uint32_t index,
                 std::span<const uint64_t> words) {
  for (uint32_t i = 0; i < words.size(); ++i) steps.write(kMailbox + 8 * i, 8, words[i]);
  steps.write(kCommand, 4, index << kCommandIndex | code);
  steps.wait(kCommand, 1, 0);
}

uint32_t doorbell(uint32_t qp, uint16_t posted) { return uint32_t{posted} << 16 | qp; }

}  // namespace

bool RdmaNic::is_set_up(uint32_t qp) const {
  const auto &words = pairs_.configs[qp].words;
  return std::any_of(words.begin(), words.end(), [](uint64_t word) { return word != 0; });
}

std::string RdmaNic::obstacle() const {
  if (!responses_.is_empty()) return "has answers to send";
  if (!rates_.at_rest() || !notifier_.at_rest()) return "has congestion control at work";
  for (uint32_t qp = 0; qp < kQps; ++qp) {
    if (pairs_.configs[qp].retries() == 0 && requester_.beginning(qp).sends_again) {
      return fmt::format("has work on queue pair {} that it may not send again (retries 0)", qp);
    }
  }
  return "";
}

void RdmaNic::restore_regions(RegisterSteps &steps) const {
  for (uint32_t i = 0; i < kRegions; ++i) {
    const Region &region = regions_.all()[i];
    if (region.valid) run_command(steps, kSetRegion, i, region.words);
  }
}

void RdmaNic::restore_queues(RegisterSteps &steps) const {
  for (uint32_t i = 0; i < kCqs; ++i) {
    const CompletionQueues::Queue &queue = completions_.all()[i];
    const uint64_t is_pending = completions_.pending() >> i & 1;
    const uint64_t words[] = {queue.word, is_pending << 16 | queue.head};
    if ((words[0] | words[1]) != 0) run_command(steps, kTakeUpCq, i, words);
  }
}

void RdmaNic::restore_queue_pair(RegisterSteps &steps, uint32_t qp) const {
  const Requester::Beginning beginning = requester_.beginning(qp);
  auto words = pairs_.configs[qp].words;
  words[kPsnWord] = uint64_t{responder_.expected_psn(qp)} << 32 | beginning.psn;
  run_command(steps, kSetQp, qp, words);
  std::array<uint64_t, Responder::kProgressWords + 1> progress{};
  std::ranges::copy(responder_.progress(qp), progress.begin());
  progress[0] |= beginning.work | uint64_t{pairs_.has_failed(qp)} << 56;
  progress.back() = pairs_.received[qp];
  run_command(steps, kTakeUpQp, qp, progress);
}

void RdmaNic::restore(RegisterSteps &steps) const {
  for (uint32_t i = 0; i < CongestionSettings::kCount; ++i) {
    steps.write(kCongestion + 8 * i, 4, settings_.values[i]);
  }
  if (options_.pages) {
    steps.write(kTable, 8, dma_.table().base);
    steps.write(kPages, 4, dma_.table().pages);
  }
  restore_regions(steps);
  restore_queues(steps);
  for (uint32_t qp = 0; qp < kQps; ++qp) {
    if (is_set_up(qp)) restore_queue_pair(steps, qp);
  }
  for (uint32_t i = 0; i < kMailboxWords; ++i) steps.write(kMailbox + 8 * i, 8, mailbox_[i]);
  for (uint32_t i = 0; i < kCounters; ++i) {
    steps.write(kFirstCounter + 8 * i, 4, counters_.values[i]);
  }
  steps.write(kShown, 4, shown_);
  steps.write(kMask, 8, mask_);
  steps.write(kMac, 8, own_.mac);
  steps.write(kIp, 4, own_.ip);
  steps.write(kEnable, 4, enabled_ ? 1 : 0);
  for (uint32_t qp = 0; qp < kQps; ++qp) {
    if (!is_set_up(qp)) continue;
    steps.write(kReceiveDoorbell, 4, doorbell(qp, pairs_.buffers[qp]));
    steps.write(kSendDoorbell, 4, doorbell(qp, pairs_.work[qp]));
  }
}

}  // namespace firesim::functional::rdma
