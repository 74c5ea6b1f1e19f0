// SPDX-License-Identifier: BSD-3-Clause
// ZStd by the unit beside the core (part `zstd`), and the same in software.
#ifndef FIRESIM_ZSTD_H_
#define FIRESIM_ZSTD_H_

#include "near_core.h"

enum zstd_status {
  ZSTD_BAD_DATA = 16,
  ZSTD_NO_ROOM = 17,  // the output is longer than what there is room for
  ZSTD_BAD_OPERATION = 18,
  ZSTD_NOT_TAKEN = 19,  // a dictionary, or a window of more than 64 KiB
  ZSTD_BAD_CHECKSUM = 20
};

// Operation for near_core_go: frames in, their contents out. Checksums are passed over.
enum { ZSTD_DECOMPRESS = 0 };

// Compares the checksum of a single frame with what was made of it, in software; true when the
// frame has none. Frames behind the first one are not looked at.
bool zstd_checksum_right(const unsigned char *frame, size_t bytes, const unsigned char *output,
                         size_t output_bytes);

// In software, by the same rules and without checksums: bytes of output, or minus a status.
int64_t zstd_decompress(const unsigned char *source, size_t bytes, unsigned char *destination,
                        size_t room);

#endif  // FIRESIM_ZSTD_H_
