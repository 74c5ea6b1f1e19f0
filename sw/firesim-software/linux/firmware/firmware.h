// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the firmware share: the machine, the frame a trap leaves, and the calls
// between them. The assembly files use the upper part too.
#ifndef FIRESIM_FIRMWARE_H_
#define FIRESIM_FIRMWARE_H_

#include "address_map.h"

#define MAX_HARTS 8
#define STACK_SHIFT 12 /* 4 KiB a hart, as link.ld reserves */

#define CLINT FIRESIM_CLINT
#define CLINT_MTIMECMP (CLINT + 0x4000)
#define CLINT_MTIME (CLINT + 0xbff8)
#ifdef FIRESIM_QEMU_VIRT /* QEMU's machine `virt`: a 16550 UART, and the finisher elsewhere */
#define UART 0x10000000
#define FINISHER 0x00100000
#else
#define UART FIRESIM_UART
#define FINISHER FIRESIM_FINISHER
#endif

// The trap frame at the top of each hart's stack, which `mscratch` points to while the hart is
// below M mode: register xN at offset 8 * N, then:
#define FRAME_EPC 256
#define FRAME_STATUS 264
#define FRAME_HART 272
#define FRAME_BYTES 288

#define SBI_TIME 0x54494d45
#define MIP_SSIP 0x002
#define MIP_MSIP 0x008
#define MIP_STIP 0x020
#define MIP_MTIP 0x080
#define MSTATUS_SIE 0x002
#define MSTATUS_SPIE 0x020
#define MSTATUS_SPP 0x100
#define MSTATUS_MPP 0x1800
#define MSTATUS_MPP_S 0x0800
#define MSTATUS_FS 0x6000
#define MSTATUS_MPRV 0x20000
#define MSTATUS_MXR 0x80000

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
  uint64_t x[32];
  uint64_t epc;
  uint64_t status;
  uint64_t hart;
};

enum cause {
  ILLEGAL_INSTRUCTION = 2,
  MISALIGNED_LOAD = 4,
  MISALIGNED_STORE = 6,
  NO_FAULT = -1,
};

// sbi.c: what a call returns in a0 and a1.
struct sbi_result {
  int64_t error;
  uint64_t value;
};
enum {
  SBI_SUCCESS = 0,
  SBI_FAILED = -1,
  SBI_NOT_SUPPORTED = -2,
  SBI_INVALID_PARAMETER = -3,
  SBI_INVALID_ADDRESS = -5,
  SBI_ALREADY_AVAILABLE = -6,
};

// harts.c: starting, stopping and interrupting harts.
struct sbi_result hart_call(uint64_t function, const uint64_t *arguments);
struct sbi_result ipi_call(uint64_t function, const uint64_t *arguments);
struct sbi_result fence_call(uint64_t function, const uint64_t *arguments);
void software_interrupt(uint64_t hart);

// console.c: the UART, by polling.
void console_put(uint8_t character);
int console_get(void);
void console_drain(void);

// emulate.c: instructions the core does not have.
void emulate_illegal(struct frame *frame);
void emulate_misaligned(struct frame *frame, bool store);

// guest.S: accesses with the rights and the address translation of the mode that trapped. `cause`
// is that of the fault, or NO_FAULT.
struct guest_result {
  uint64_t value;
  int64_t cause;
};
struct guest_result guest_load(uint64_t address, unsigned bytes);
int64_t guest_store(uint64_t address, unsigned bytes, uint64_t value);
struct guest_result guest_fetch(uint64_t address);
uint64_t read_float_register(unsigned number);
void write_float_register(unsigned number, uint64_t value);

static inline uint32_t read32(uintptr_t address) { return *(volatile uint32_t *)address; }
static inline void write32(uintptr_t address, uint32_t value) {
  *(volatile uint32_t *)address = value;
}

#define read_csr(name)                                  \
  ({                                                    \
    uint64_t value_;                                    \
    __asm__ volatile("csrr %0, " #name : "=r"(value_)); \
    value_;                                             \
  })
#define write_csr(name, value) __asm__ volatile("csrw " #name ", %0" ::"rK"((uint64_t)(value)))
#define set_csr(name, bits) __asm__ volatile("csrs " #name ", %0" ::"rK"((uint64_t)(bits)))
#define clear_csr(name, bits) __asm__ volatile("csrc " #name ", %0" ::"rK"((uint64_t)(bits)))

#endif  // __ASSEMBLER__
#endif  // FIRESIM_FIRMWARE_H_
