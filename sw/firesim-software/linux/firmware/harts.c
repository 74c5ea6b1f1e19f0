// SPDX-License-Identifier: BSD-3-Clause
// Harts: the SBI extensions HSM, IPI and RFENCE, and the software interrupts behind them.
#include "firmware.h"

// Set from ABSENT in start.S.
enum { ABSENT = 0, STARTED = 1, STOPPED = 2, START_PENDING = 3 };
uint32_t hart_states[MAX_HARTS];

// Filled by hart_call, taken by a waiting hart in start.S.
struct start_request {
  uint64_t address;
  uint64_t opaque;
} start_requests[MAX_HARTS];

// What a hart is to do at its next software interrupt: bit i, a fence.i asked for by hart i; bit
// 8 + i, an sfence.vma asked for by hart i; then an interrupt for S mode.
enum { FENCE_I_BIT = 0, FENCE_VMA_BIT = 8, IPI_BIT = 16, REQUESTERS = 0xff };
static uint32_t work_of[MAX_HARTS];

static uint32_t outstanding[MAX_HARTS];  // fences that hart i waits for

void wait_for_start(void) __attribute__((noreturn));

static uint64_t this_hart(void) { return ((struct frame *)read_csr(mscratch))->hart; }

static uint32_t state(uint64_t hart) {
  return hart < MAX_HARTS ? __atomic_load_n(&hart_states[hart], __ATOMIC_ACQUIRE) : ABSENT;
}

static void interrupt(uint64_t hart, uint32_t work) {
  __atomic_fetch_or(&work_of[hart], work, __ATOMIC_RELEASE);
  __asm__ volatile("fence w, o" ::: "memory");
  write32(CLINT + 4 * hart, 1);
}

static void acknowledge(uint32_t requesters) {
  for (unsigned hart = 0; requesters; hart++, requesters >>= 1) {
    if (requesters & 1) __atomic_fetch_sub(&outstanding[hart], 1, __ATOMIC_RELEASE);
  }
}

void software_interrupt(uint64_t hart) {
  write32(CLINT + 4 * hart, 0);
  __asm__ volatile("fence o, rw" ::: "memory");
  const uint32_t work = __atomic_exchange_n(&work_of[hart], 0, __ATOMIC_ACQUIRE);
  if (work >> IPI_BIT) set_csr(mip, MIP_SSIP);
  const uint32_t instruction = (work >> FENCE_I_BIT) & REQUESTERS;
  if (instruction) __asm__ volatile("fence.i" ::: "memory");
  const uint32_t translation = (work >> FENCE_VMA_BIT) & REQUESTERS;
  if (translation) __asm__ volatile("sfence.vma" ::: "memory");
  acknowledge(instruction);
  acknowledge(translation);
}

// Calls `each` for every started hart of an SBI hart mask. A base of all ones means all harts.
static struct sbi_result for_harts(uint64_t mask, uint64_t base, void (*each)(uint64_t, uint32_t),
                                   uint32_t work) {
  if (base == UINT64_MAX) {
    base = 0;
    mask = 0;
    for (uint64_t hart = 0; hart < MAX_HARTS; hart++) {
      mask |= (uint64_t)(state(hart) == STARTED) << hart;
    }
  }
  for (uint64_t rest = mask, hart = base; rest; hart++, rest >>= 1) {
    if ((rest & 1) && state(hart) == ABSENT) return (struct sbi_result){SBI_INVALID_PARAMETER, 0};
  }
  for (uint64_t rest = mask, hart = base; rest; hart++, rest >>= 1) {
    if ((rest & 1) && state(hart) == STARTED) each(hart, work);
  }
  return (struct sbi_result){SBI_SUCCESS, 0};
}

static void send_fence(uint64_t hart, uint32_t bit) {
  const uint64_t self = this_hart();
  if (hart == self) {
    if (bit == FENCE_I_BIT) {
      __asm__ volatile("fence.i" ::: "memory");
    } else {
      __asm__ volatile("sfence.vma" ::: "memory");
    }
    return;
  }
  __atomic_fetch_add(&outstanding[self], 1, __ATOMIC_RELAXED);
  interrupt(hart, 1U << (bit + self));
}

struct sbi_result ipi_call(uint64_t function, const uint64_t *arguments) {
  if (function != 0) return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  return for_harts(arguments[0], arguments[1], interrupt, 1U << IPI_BIT);
}

// Every fence.vma is a full one: a correct, if strong, answer to any range.
struct sbi_result fence_call(uint64_t function, const uint64_t *arguments) {
  enum { FENCE_I = 0, FENCE_VMA = 1, FENCE_VMA_ASID = 2 };
  if (function > FENCE_VMA_ASID) return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  const uint32_t bit = function == FENCE_I ? FENCE_I_BIT : FENCE_VMA_BIT;
  const struct sbi_result result = for_harts(arguments[0], arguments[1], send_fence, bit);
  const uint64_t self = this_hart();
  while (__atomic_load_n(&outstanding[self], __ATOMIC_ACQUIRE)) {
    // Another hart may be waiting for this one in the same way.
    if (read_csr(mip) & MIP_MSIP) software_interrupt(self);
  }
  return result;
}

static struct sbi_result start(uint64_t hart, uint64_t address, uint64_t opaque) {
  uint32_t expected = STOPPED;
  if (state(hart) == ABSENT) return (struct sbi_result){SBI_INVALID_PARAMETER, 0};
  if (address & 1) return (struct sbi_result){SBI_INVALID_ADDRESS, 0};
  if (!__atomic_compare_exchange_n(&hart_states[hart], &expected, START_PENDING, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return (struct sbi_result){SBI_ALREADY_AVAILABLE, 0};
  }
  start_requests[hart].opaque = opaque;
  __atomic_store_n(&start_requests[hart].address, address, __ATOMIC_RELEASE);
  interrupt(hart, 0);
  return (struct sbi_result){SBI_SUCCESS, 0};
}

static void stop(void) {
  write_csr(mie, MIP_MSIP);
  __atomic_store_n(&hart_states[this_hart()], STOPPED, __ATOMIC_RELEASE);
  wait_for_start();
}

// Until an interrupt is pending: the retentive suspension every hart can do.
static struct sbi_result suspend(uint32_t type) {
  if (type != 0) return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  __asm__ volatile("wfi");
  return (struct sbi_result){SBI_SUCCESS, 0};
}

struct sbi_result hart_call(uint64_t function, const uint64_t *arguments) {
  static const uint8_t status_of[] = {[STARTED] = 0, [STOPPED] = 1, [START_PENDING] = 2};
  switch (function) {
    case 0:
      return start(arguments[0], arguments[1], arguments[2]);
    case 1:
      stop();
      return (struct sbi_result){SBI_FAILED, 0};
    case 2:
      if (state(arguments[0]) == ABSENT) return (struct sbi_result){SBI_INVALID_PARAMETER, 0};
      return (struct sbi_result){SBI_SUCCESS, status_of[state(arguments[0])]};
    case 3:
      return suspend((uint32_t)arguments[0]);
    default:
      return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  }
}
