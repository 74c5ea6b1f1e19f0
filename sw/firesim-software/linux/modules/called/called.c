// SPDX-License-Identifier: BSD-3-Clause
// called: a module with functions that note what they take.
#define CALLS "called"
#define loads called_loads
#define writes called_writes
#define queued called_queued
#define unloads called_unloads
#define ON_LOAD BRANCHES
#define ON_WRITE (HOLDS | ENDS)
#define ON_QUEUE DEEPENS
#define ON_UNLOAD (JUMPS | ASKS)
#include "calls.h"
