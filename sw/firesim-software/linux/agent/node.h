// SPDX-License-Identifier: BSD-3-Clause
// What the kernel's command line, or a line like it, says of the node, and what programs are told.
#ifndef FIRESIM_NODE_H_
#define FIRESIM_NODE_H_

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum { VARIABLES = 8, VARIABLE_BYTES = 128 };

// The value of name=value or name="several words" in `line`; false when it is not there.
bool argument(const char *line, const char *name, char *value, size_t room);

// Puts all nodes into /etc/hosts, whose addresses and names count up with their index; other lines
// stay. The new file takes the place of the old at once. False when that cannot be done.
bool write_hosts(const char *line);

// PATH and the like, and FIRESIM_NAME, FIRESIM_INDEX, FIRESIM_NODES, FIRESIM_IP where given.
void set_environment(const char *line, char variables[VARIABLES][VARIABLE_BYTES],
                     const char *environment[VARIABLES + 1]);

#endif  // FIRESIM_NODE_H_
