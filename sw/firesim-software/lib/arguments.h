// SPDX-License-Identifier: BSD-3-Clause
// Arguments of a program: words `key=value` of the device tree's /chosen bootargs, over the
// defaults in the program's workload.yaml.
#ifndef FIRESIM_ARGUMENTS_H_
#define FIRESIM_ARGUMENTS_H_

#include <stdbool.h>
#include <stdint.h>

#include "platform.h"

struct arguments {
  const char *given;     // bootargs, words separated by spaces
  const char *defaults;  // the same form, compiled in
};

// Reads bootargs out of a flattened device tree; a missing or damaged one gives no arguments.
struct arguments read_arguments(const void *device_tree);

// Ends the blade with a list of what is possible when a given word is no argument of the program.
void check_arguments(const struct arguments *arguments);

// True when the argument's value is exactly `expected`.
bool argument_is(const struct arguments *arguments, const char *name, const char *expected);

// Value of a number, decimal or 0x hexadecimal. Ends the blade when it is missing or no number.
uint64_t number_argument(const struct arguments *arguments, const char *name);

// The same, from `least` to `most`. Ends the blade when it is another one.
static inline uint64_t number_between(const struct arguments *arguments, const char *name,
                                      uint64_t least, uint64_t most) {
  const uint64_t found = number_argument(arguments, name);
  if (found < least || found > most) {
    fail("%s: found %lu, expected %lu to %lu", name, found, least, most);
  }
  return found;
}

// Value of a MAC address, byte 0 in bits 7:0. Ends the blade when it is missing or malformed.
uint64_t mac_argument(const struct arguments *arguments, const char *name);

// Value of an IPv4 address, its first byte highest. Ends the blade when it is missing or malformed.
uint32_t ip_argument(const struct arguments *arguments, const char *name);

// Ends the blade with a list of what is possible when `name` is none of the space-separated words.
void require_choice(const struct arguments *arguments, const char *name, const char *choices);

#endif  // FIRESIM_ARGUMENTS_H_
