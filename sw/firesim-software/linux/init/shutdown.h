// SPDX-License-Identifier: BSD-3-Clause
// What `poweroff`, `halt` and `reboot` of busybox ask the first process for, by a signal. Only
// where there are such commands (FIRESIM_HAS_SHUTDOWN): a root of programs alone is not to boot a
// single instruction longer for it.
#ifndef FIRESIM_SHUTDOWN_H_
#define FIRESIM_SHUTDOWN_H_

#ifdef FIRESIM_HAS_SHUTDOWN
// From now on SIGUSR2 and SIGUSR1 power the machine off and SIGTERM reboots it, after every other
// process had the time to end by itself. `line` is the kernel's command line and must stay.
void listen_for_shutdown(const char *line);
#else
static inline void listen_for_shutdown(const char *line) { (void)line; }
#endif

#endif  // FIRESIM_SHUTDOWN_H_
