// SPDX-License-Identifier: BSD-3-Clause
// Instructions that the core leaves to the firmware: reading `time`, and misaligned loads and
// stores. What cannot be emulated goes on to S mode as the exception it was.
#include "firmware.h"

enum { RDTIME_MASK = (int)0xfffff07f, RDTIME = (int)0xc0102073 };
enum { OPCODE_LOAD = 0x03, OPCODE_LOAD_FP = 0x07, OPCODE_STORE = 0x23, OPCODE_STORE_FP = 0x27 };
enum { SP = 2, RVC_REGISTER_BASE = 8 };

// A load or store: what it moves, and where.
struct access {
  unsigned bytes;   // 0 = not a load or store
  unsigned number;  // of the register
  bool is_float;
  bool is_signed;
  unsigned length;  // of the instruction, in bytes
};

static uint64_t bits(uint64_t value, unsigned high, unsigned low) {
  return (value >> low) & ((UINT64_C(1) << (high - low + 1)) - 1);
}

// The trap continues in S mode, as if it had been delegated.
static void redirect(struct frame *frame, uint64_t cause, uint64_t value) {
  uint64_t status = frame->status;
  const bool from_supervisor = (status & MSTATUS_MPP) == MSTATUS_MPP_S;
  const bool enabled = (status & MSTATUS_SIE) != 0;
  status &= ~(uint64_t)(MSTATUS_SPP | MSTATUS_SPIE | MSTATUS_SIE | MSTATUS_MPP);
  if (from_supervisor) status |= MSTATUS_SPP;
  if (enabled) status |= MSTATUS_SPIE;
  frame->status = status | MSTATUS_MPP_S;
  write_csr(scause, cause);
  write_csr(stval, value);
  write_csr(sepc, frame->epc);
  frame->epc = read_csr(stvec) & ~UINT64_C(3);
}

void emulate_illegal(struct frame *frame) {
  uint64_t instruction = read_csr(mtval);
  if (instruction == 0) {  // a core may leave it to be fetched
    const struct guest_result fetched = guest_fetch(frame->epc);
    if (fetched.cause == NO_FAULT) instruction = fetched.value;
  }
  if ((instruction & (uint32_t)RDTIME_MASK) != (uint32_t)RDTIME) {
    redirect(frame, ILLEGAL_INSTRUCTION, instruction);
    return;
  }
  frame->x[bits(instruction, 11, 7)] = *(volatile uint64_t *)CLINT_MTIME;
  frame->epc += 4;
}

// Compressed loads and stores: C.FLD C.LW C.LD C.FSD C.SW C.SD, and their forms over sp.
static struct access decode_compressed(uint64_t instruction, bool store) {
  enum { QUADRANT_0 = 0, QUADRANT_2 = 2 };
  const unsigned quadrant = (unsigned)bits(instruction, 1, 0);
  const unsigned function = (unsigned)bits(instruction, 15, 13);
  struct access access = {.length = 2, .is_signed = true};
  if (((function & 4) != 0) != store) return access;
  if (quadrant == QUADRANT_0) {
    access.number = RVC_REGISTER_BASE + (unsigned)bits(instruction, 4, 2);
  } else if (quadrant == QUADRANT_2) {
    access.number = (unsigned)(store ? bits(instruction, 6, 2) : bits(instruction, 11, 7));
  } else {
    return access;
  }
  static const uint8_t bytes_of[] = {0, 8, 4, 8};
  access.bytes = bytes_of[function & 3];
  access.is_float = (function & 3) == 1;
  return access;
}

static struct access decode(uint64_t instruction, bool store) {
  if ((instruction & 3) != 3) return decode_compressed(instruction, store);
  const uint64_t opcode = bits(instruction, 6, 0);
  const unsigned width = (unsigned)bits(instruction, 14, 12);
  struct access access = {.length = 4, .is_signed = width < 4};
  const bool is_integer = opcode == (store ? OPCODE_STORE : OPCODE_LOAD);
  access.is_float = opcode == (store ? OPCODE_STORE_FP : OPCODE_LOAD_FP);
  if (!is_integer && !access.is_float) return access;
  access.number = (unsigned)(store ? bits(instruction, 24, 20) : bits(instruction, 11, 7));
  access.bytes = 1U << (width & 3);
  return access;
}

static uint64_t loaded(struct access access, uint64_t value) {
  if (access.bytes == 8) return value;
  const unsigned unused = 64 - 8 * access.bytes;
  if (access.is_float) return value | UINT64_MAX << (64 - unused);  // a boxed narrower number
  return access.is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static void load(struct frame *frame, struct access access, uint64_t address) {
  const struct guest_result got = guest_load(address, access.bytes);
  if (got.cause != NO_FAULT) {
    redirect(frame, (uint64_t)got.cause, read_csr(mtval));
    return;
  }
  const uint64_t value = loaded(access, got.value);
  if (access.is_float) {
    write_float_register(access.number, value);
    frame->status |= MSTATUS_FS;
  } else {
    frame->x[access.number] = value;
  }
  frame->epc += access.length;
}

static void store_to(struct frame *frame, struct access access, uint64_t address) {
  const uint64_t value =
      access.is_float ? read_float_register(access.number) : frame->x[access.number];
  const int64_t cause = guest_store(address, access.bytes, value);
  if (cause != NO_FAULT) {
    redirect(frame, (uint64_t)cause, read_csr(mtval));
    return;
  }
  frame->epc += access.length;
}

void emulate_misaligned(struct frame *frame, bool store) {
  const uint64_t address = read_csr(mtval);
  const struct guest_result fetched = guest_fetch(frame->epc);
  if (fetched.cause != NO_FAULT) {
    redirect(frame, (uint64_t)fetched.cause, frame->epc);
    return;
  }
  const struct access access = decode(fetched.value, store);
  if (access.bytes == 0) {  // an atomic operation
    redirect(frame, store ? MISALIGNED_STORE : MISALIGNED_LOAD, address);
  } else if (store) {
    store_to(frame, access, address);
  } else {
    load(frame, access, address);
  }
}
