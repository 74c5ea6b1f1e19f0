// SPDX-License-Identifier: BSD-3-Clause
// The default arguments of a program that says nothing of them.
extern const char firesim_default_arguments[];

__attribute__((weak)) const char firesim_default_arguments[] = "";
