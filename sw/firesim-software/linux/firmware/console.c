// SPDX-License-Identifier: BSD-3-Clause
// The UART, by polling: what the legacy console calls of the SBI use.
#include "firmware.h"

#ifdef FIRESIM_QEMU_VIRT
enum { DATA = 0, LINE_STATUS = 5, RECEIVED = 0x01, SENT_ALL = 0x40, CAN_SEND = 0x20 };

static uint8_t read8(uintptr_t address) { return *(volatile uint8_t *)address; }

void console_put(uint8_t character) {
  while (!(read8(UART + LINE_STATUS) & CAN_SEND)) continue;
  *(volatile uint8_t *)(UART + DATA) = character;
}

int console_get(void) { return read8(UART + LINE_STATUS) & RECEIVED ? read8(UART + DATA) : -1; }

void console_drain(void) {
  while (!(read8(UART + LINE_STATUS) & SENT_ALL)) continue;
}

#else
enum { TXDATA = 0x00, RXDATA = 0x04, TXCTRL = 0x08, RXCTRL = 0x0c, IP = 0x14 };
enum { FULL_OR_EMPTY_BIT = 31, ENABLE = 1, WATERMARK_1 = 1 << 16, SENT = 1 };
enum { DRAIN_LIMIT = 1000000 };  // reads; a console that stays full must not hang the blade

void console_put(uint8_t character) {
  while (read32(UART + TXDATA) >> FULL_OR_EMPTY_BIT) continue;
  write32(UART + TXDATA, character);
}

int console_get(void) {
  write32(UART + RXCTRL, read32(UART + RXCTRL) | ENABLE);
  const uint32_t data = read32(UART + RXDATA);
  return data >> FULL_OR_EMPTY_BIT ? -1 : (int)(data & 0xff);
}

void console_drain(void) {
  write32(UART + TXCTRL, ENABLE | WATERMARK_1);
  for (unsigned i = 0; i < DRAIN_LIMIT && !(read32(UART + IP) & SENT); i++) continue;
}
#endif
