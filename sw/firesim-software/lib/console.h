// SPDX-License-Identifier: BSD-3-Clause
// Text on the UART.
#ifndef FIRESIM_CONSOLE_H_
#define FIRESIM_CONSOLE_H_

// Turns the UART on.
void console_start(void);

// Waits until every character has left.
void console_drain(void);

void console_character(char character);

// Conversions: %d %u %x with optional `l`, %s, %c, %%, and a field width with optional leading 0.
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_list(const char *format, __builtin_va_list values);

#endif  // FIRESIM_CONSOLE_H_
