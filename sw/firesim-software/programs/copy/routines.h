// SPDX-License-Identifier: BSD-3-Clause
// The copy routines that a kernel has without an engine.
#ifndef FIRESIM_COPY_ROUTINES_H_
#define FIRESIM_COPY_ROUTINES_H_

#include "platform.h"

// A byte after the other, as Linux did before 5.14 where source and destination are aligned
// differently.
void copy_bytes(unsigned char *to, const unsigned char *from, uint64_t bytes);

// Words of the destination, each put together of two of the source. Words of the source are read
// whole, also where only a part of one is copied.
void copy_words(unsigned char *to, const unsigned char *from, uint64_t bytes);

#endif  // FIRESIM_COPY_ROUTINES_H_
