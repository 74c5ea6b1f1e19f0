// SPDX-License-Identifier: BSD-3-Clause
// Traps that are not answered in trap.S: calls of the Supervisor Binary Interface (specification
// 1.0: base, timer, IPI, RFENCE, HSM, system reset, and the legacy console), software interrupts,
// and instructions to emulate.
#include "firmware.h"

enum extension {
  LEGACY_CONSOLE_PUTCHAR = 0x01,
  LEGACY_CONSOLE_GETCHAR = 0x02,
  LEGACY_SHUTDOWN = 0x08,
  BASE = 0x10,
  HART_STATE = 0x48534d,
  IPI = 0x735049,
  REMOTE_FENCE = 0x52464e43,
  SYSTEM_RESET = 0x53525354,
};
enum { SPECIFICATION_1_0 = 1 << 24, IMPLEMENTATION = 0x46536d, IMPLEMENTATION_VERSION = 1 };
enum { FINISH_PASS = 0x5555, FINISH_FAIL = 1 << 16 | 0x3333, FINISH_RESET = 0x7777 };
enum { CAUSE_SUPERVISOR_CALL = 9 };
enum { A0 = 10, A1 = 11, A6 = 16, A7 = 17 };
#define SOFTWARE_INTERRUPT (UINT64_C(1) << 63 | 3)

static bool is_available(uint64_t extension) {
  switch (extension) {
    case LEGACY_CONSOLE_PUTCHAR:
    case LEGACY_CONSOLE_GETCHAR:
    case LEGACY_SHUTDOWN:
    case BASE:
    case SBI_TIME:
    case HART_STATE:
    case IPI:
    case REMOTE_FENCE:
    case SYSTEM_RESET:
      return true;
    default:
      return false;
  }
}

static struct sbi_result base_call(uint64_t function, uint64_t argument) {
  uint64_t value;
  switch (function) {
    case 0:
      value = SPECIFICATION_1_0;
      break;
    case 1:
      value = IMPLEMENTATION;
      break;
    case 2:
      value = IMPLEMENTATION_VERSION;
      break;
    case 3:
      value = is_available(argument);
      break;
    case 4:
      value = read_csr(mvendorid);
      break;
    case 5:
      value = read_csr(marchid);
      break;
    case 6:
      value = read_csr(mimpid);
      break;
    default:
      return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  }
  return (struct sbi_result){SBI_SUCCESS, value};
}

static void finish(uint32_t code) {
  console_drain();
  write32(FINISHER, code);
  for (;;) __asm__ volatile("wfi");
}

static struct sbi_result reset_call(uint64_t function, const uint64_t *arguments) {
  enum { SHUTDOWN = 0, COLD_REBOOT = 1, WARM_REBOOT = 2 };
  if (function != 0) return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  const uint32_t type = (uint32_t)arguments[0];
  const uint32_t reason = (uint32_t)arguments[1];
  if (type == SHUTDOWN) finish(reason == 0 ? FINISH_PASS : FINISH_FAIL);
  if (type == COLD_REBOOT || type == WARM_REBOOT) finish(FINISH_RESET);
  return (struct sbi_result){SBI_INVALID_PARAMETER, 0};
}

static struct sbi_result call(uint64_t extension, uint64_t function, const uint64_t *arguments) {
  switch (extension) {
    case BASE:
      return base_call(function, arguments[0]);
    case HART_STATE:
      return hart_call(function, arguments);
    case IPI:
      return ipi_call(function, arguments);
    case REMOTE_FENCE:
      return fence_call(function, arguments);
    case SYSTEM_RESET:
      return reset_call(function, arguments);
    default:
      return (struct sbi_result){SBI_NOT_SUPPORTED, 0};
  }
}

static void supervisor_call(struct frame *frame) {
  frame->epc += 4;
  switch (frame->x[A7]) {  // legacy calls keep a1
    case LEGACY_CONSOLE_PUTCHAR:
      console_put((uint8_t)frame->x[A0]);
      frame->x[A0] = 0;
      return;
    case LEGACY_CONSOLE_GETCHAR:
      frame->x[A0] = (uint64_t)console_get();
      return;
    case LEGACY_SHUTDOWN:
      finish(FINISH_PASS);
  }
  const struct sbi_result result = call(frame->x[A7], frame->x[A6], &frame->x[A0]);
  frame->x[A0] = (uint64_t)result.error;
  frame->x[A1] = result.value;
}

static void stop_with_message(const char *text) {
  while (*text) console_put((uint8_t)*text++);
  finish(FINISH_FAIL);
}

void handle_trap(struct frame *frame) {
  const uint64_t cause = read_csr(mcause);
  if (cause == SOFTWARE_INTERRUPT) {
    software_interrupt(frame->hart);
    return;
  }
  if ((frame->status & MSTATUS_MPP) == MSTATUS_MPP) stop_with_message("firmware: own trap\n");
  switch (cause) {
    case CAUSE_SUPERVISOR_CALL:
      supervisor_call(frame);
      break;
    case ILLEGAL_INSTRUCTION:
      emulate_illegal(frame);
      break;
    case MISALIGNED_LOAD:
      emulate_misaligned(frame, false);
      break;
    case MISALIGNED_STORE:
      emulate_misaligned(frame, true);
      break;
    default:
      stop_with_message("firmware: unknown trap\n");
  }
}
