// SPDX-License-Identifier: BSD-3-Clause
// A node's command: init runs the one of the kernel's command line or of the workload, the agent
// the one that a clone is given. `line` is the kernel's command line or written like it.
#ifndef FIRESIM_JOB_H_
#define FIRESIM_JOB_H_

#include <stdbool.h>
#include <stddef.h>

enum { LINE_BYTES = 4096 };
#define COMMAND_LINE "/proc/cmdline"

// Starts a program; returns its number, or less than 0.
long start(const char *const *words, const char *const *environment, bool on_console);

// Waits for a child, and for every orphan that ends meanwhile; returns its exit status.
int wait_for(long child);

bool is_file(const char *path);

// Whether the node has something to run but for a shell on the console.
bool has_job(const char *line);

// Runs what the node is to run, and returns its exit status.
int run_job(const char *line, const char *const *environment, bool on_console);

// Powers off, or gives the finisher a status that is not 0. Returns when neither can be done.
void end_machine(const char *line, int status);

#endif  // FIRESIM_JOB_H_
