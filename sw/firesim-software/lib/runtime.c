// SPDX-License-Identifier: BSD-3-Clause
// From start-up code to main and to the end; traps nobody expects; the interrupt controller.
#include "runtime.h"

enum { TRAP_EXIT_CODE = 255 };
enum { FINISHER_PASS = 0x5555, FINISHER_FAIL = 0x3333 };

static uintptr_t heap_next = FIRESIM_HEAP;

__attribute__((weak)) void secondary_main(int hart) { (void)hart; }

__attribute__((weak)) bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval) {
  (void)cause, (void)epc, (void)tval;
  return false;
}

void firesim_start(int hart, const void *device_tree);
uint64_t firesim_trap(uint64_t cause, uint64_t epc, uint64_t tval);

void firesim_start(int hart, const void *device_tree) {
  if (hart != 0) {
    secondary_main(hart);
    return;
  }
  console_start();
  const struct arguments arguments = read_arguments(device_tree);
  check_arguments(&arguments);
  finish(main(hart, &arguments));
}

static const char *cause_name(uint64_t cause) {
  static const char *const names[] = {"instruction address misaligned",
                                      "instruction access fault",
                                      "illegal instruction",
                                      "breakpoint",
                                      "load address misaligned",
                                      "load access fault",
                                      "store address misaligned",
                                      "store access fault",
                                      "call from user mode",
                                      "call from supervisor mode",
                                      "reserved",
                                      "call from machine mode",
                                      "instruction page fault",
                                      "load page fault",
                                      "reserved",
                                      "store page fault"};
  if (cause >> 63) return "interrupt";
  return cause < sizeof names / sizeof *names ? names[cause] : "reserved";
}

uint64_t firesim_trap(uint64_t cause, uint64_t epc, uint64_t tval) {
  if (handle_trap(cause, &epc, tval)) return epc;
  print("trap: %s (cause=0x%lx epc=0x%lx tval=0x%lx)\n", cause_name(cause), cause, epc, tval);
  finish(TRAP_EXIT_CODE);
}

void finish(int code) {
  console_drain();
  const uint32_t failure = ((uint32_t)code & 0xffff) << 16 | FINISHER_FAIL;
  write32(FIRESIM_FINISHER, code == 0 ? FINISHER_PASS : failure);
  for (;;) wait_for_interrupt();
}

void fail(const char *format, ...) {
  __builtin_va_list values;
  __builtin_va_start(values, format);
  print("error: ");
  print_list(format, values);
  print("\n");
  __builtin_va_end(values);
  finish(1);
}

void *firesim_heap(size_t bytes) {
  void *result = (void *)heap_next;
  heap_next += (bytes + 63) & ~(size_t)63;
  return result;
}

enum { PLIC_ENABLE = 0x2000, PLIC_THRESHOLD = 0x200000, PLIC_CLAIM = 0x200004 };

void plic_enable(unsigned interrupt) {
  write32(FIRESIM_PLIC + 4 * interrupt, 1);
  write32(FIRESIM_PLIC + PLIC_ENABLE, read32(FIRESIM_PLIC + PLIC_ENABLE) | 1U << interrupt);
  write32(FIRESIM_PLIC + PLIC_THRESHOLD, 0);
}

unsigned plic_claim(void) { return read32(FIRESIM_PLIC + PLIC_CLAIM); }

void plic_complete(unsigned interrupt) { write32(FIRESIM_PLIC + PLIC_CLAIM, interrupt); }

// The compiler may call these for structure copies and loops it recognises.
void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if ((((uintptr_t)t | (uintptr_t)f) & 7) == 0) {
    for (; bytes >= 8; bytes -= 8, t += 8, f += 8) *(uint64_t *)t = *(const uint64_t *)f;
  }
  while (bytes--) *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  unsigned char *t = to;
  while (bytes--) *t++ = (unsigned char)value;
  return to;
}
