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

// Operations for near_core_go. Frames in, their contents out; checksums are passed over.
enum { ZSTD_DECOMPRESS = 0 };
// Data in, a frame out: log2 of how far back matches may lie (11 to 16), and of the entries of the
// hash table (9 to 14).
static inline uint64_t zstd_compression(unsigned window_log, unsigned hash_log) {
  return (uint64_t)hash_log << 16 | (uint64_t)window_log << 8 | 1;
}

// Compares the checksum of a single frame with what was made of it, in software; true when the
// frame has none. Frames behind the first one are not looked at.
bool zstd_checksum_right(const unsigned char *frame, size_t bytes, const unsigned char *output,
                         size_t output_bytes);

// In software, by the same rules and without checksums: bytes of output, or minus a status.
int64_t zstd_decompress(const unsigned char *source, size_t bytes, unsigned char *destination,
                        size_t room);

// In software, the frame that the unit makes: bytes of output, or minus a status. `encoder` has
// zstd_encoder_bytes, and serves for any number of compressions once it is made ready.
struct zstd_encoder;
extern const size_t zstd_encoder_bytes;
void zstd_make_ready(struct zstd_encoder *encoder);
int64_t zstd_compress(struct zstd_encoder *encoder, const unsigned char *source, size_t bytes,
                      unsigned char *destination, size_t room, unsigned window_log,
                      unsigned hash_log);

#endif  // FIRESIM_ZSTD_H_
