// SPDX-License-Identifier: BSD-3-Clause
// Text on the UART, by polling: a character costs one store and one load of a device register.
#include "console.h"

#include "platform.h"

enum { TXDATA = 0x00, TXCTRL = 0x08, IP = 0x14 };
enum { TX_FULL_BIT = 31, TX_ENABLE = 1, TX_WATERMARK_1 = 1 << 16, IP_TX_BELOW_WATERMARK = 1 };
enum { DRAIN_LIMIT_CYCLES = 1000000 };  // a console that stays full must not hang the blade

void console_start(void) {
#ifndef FIRESIM_QEMU_VIRT
  write32(FIRESIM_UART + TXCTRL, TX_ENABLE | TX_WATERMARK_1);
#endif
}

void console_drain(void) {
#ifndef FIRESIM_QEMU_VIRT
  const uint64_t begin = cycles();
  while (!(read32(FIRESIM_UART + IP) & IP_TX_BELOW_WATERMARK)) {
    if (cycles() - begin > DRAIN_LIMIT_CYCLES) return;
  }
#endif
}

void console_character(char character) {
#ifdef FIRESIM_QEMU_VIRT
  *(volatile uint8_t *)FIRESIM_UART = (uint8_t)character;
#else
  while (read32(FIRESIM_UART + TXDATA) >> TX_FULL_BIT) continue;
  write32(FIRESIM_UART + TXDATA, (uint8_t)character);
#endif
}

static void text(const char *string, unsigned width) {
  unsigned length = 0;
  while (string[length]) length++;
  for (; width > length; width--) console_character(' ');
  while (*string) console_character(*string++);
}

static void number(uint64_t value, bool negative, unsigned base, unsigned width, char pad) {
  char digits[24];
  unsigned at = sizeof digits;
  digits[--at] = 0;
  do {
    digits[--at] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  if (negative && pad == '0' && width) {
    console_character('-');
    width--;
  } else if (negative) {
    digits[--at] = '-';
  }
  for (unsigned length = sizeof digits - 1 - at; width > length; width--) console_character(pad);
  while (digits[at]) console_character(digits[at++]);
}

static const char *conversion(const char *at, __builtin_va_list *values) {
  const char pad = *at == '0' ? '0' : ' ';
  unsigned width = 0;
  bool wide = false;
  while (*at >= '0' && *at <= '9') width = width * 10 + (unsigned)(*at++ - '0');
  while (*at == 'l') {
    wide = true;
    at++;
  }
  switch (*at) {
    case 'd': {
      const int64_t value =
          wide ? __builtin_va_arg(*values, int64_t) : __builtin_va_arg(*values, int);
      number(value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0, 10, width, pad);
      break;
    }
    case 'u':
    case 'x': {
      const uint64_t value =
          wide ? __builtin_va_arg(*values, uint64_t) : __builtin_va_arg(*values, unsigned);
      number(value, false, *at == 'u' ? 10 : 16, width, pad);
      break;
    }
    case 's':
      text(__builtin_va_arg(*values, const char *), width);
      break;
    case 'c':
      console_character((char)__builtin_va_arg(*values, int));
      break;
    default:
      console_character(*at);
  }
  return at;
}

void print_list(const char *format, __builtin_va_list values) {
  __builtin_va_list rest;
  __builtin_va_copy(rest, values);
  for (; *format; format++) {
    if (*format == '%' && format[1]) {
      format = conversion(format + 1, &rest);
    } else {
      console_character(*format);
    }
  }
  __builtin_va_end(rest);
}

void print(const char *format, ...) {
  __builtin_va_list values;
  __builtin_va_start(values, format);
  print_list(format, values);
  __builtin_va_end(values);
}
