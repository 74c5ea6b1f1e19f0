// SPDX-License-Identifier: BSD-3-Clause
// The cases of a program that nobody has linked any into.
#include "program.h"

__attribute__((weak)) const struct pb_cases pb_cases = {0};
__attribute__((weak)) const struct pb_message *const pb_messages[] = {0};
