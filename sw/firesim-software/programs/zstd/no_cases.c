// SPDX-License-Identifier: BSD-3-Clause
// The cases of a program that nobody has linked any into.
#include "program.h"

__attribute__((weak)) const struct zstd_cases zstd_cases = {0};
