# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the reference library (zstandard), of all levels, and broken ones."""

from __future__ import annotations

import random
import struct

import zstandard

LEVELS = (-7, -1, 1, 2, 3, 5, 9, 13, 19, 22)


def compressed(
    data: bytes, rng: random.Random, level: int | None = None, checksum: bool | None = None
) -> bytes:
    """Return a frame of the library, of any level, with a window of at most 64 KiB."""
    parameters = zstandard.ZstdCompressionParameters.from_level(
        rng.choice(LEVELS) if level is None else level,
        source_size=max(len(data), 1),  # tables for more would take long to make
        window_log=rng.randint(10, 16) if level is None else 16,
        write_checksum=rng.randint(0, 1) if checksum is None else checksum,
        write_content_size=rng.randint(0, 1),
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    if level is not None or rng.randint(0, 1):
        return compressor.compress(data)
    stream = compressor.compressobj()
    out, at = b"", 0
    while at < len(data):  # blocks that end anywhere
        size = rng.choice([rng.randint(1, 100), rng.randint(1, 40_000)])
        out += stream.compress(data[at : at + size])
        out += stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        at += size
    return out + stream.flush()


def not_taken(rng: random.Random) -> list[bytes]:
    """Return frames that the unit refuses: a window of 128 KiB, and a dictionary."""
    data = rng.randbytes(100) * 2_000
    wide = zstandard.ZstdCompressionParameters.from_level(3, window_log=17)
    known = zstandard.train_dictionary(
        4_096, [b"%d words of a message %d" % (i, i * i) * 9 for i in range(400)]
    )
    return [
        zstandard.ZstdCompressor(compression_params=wide).compress(data),
        zstandard.ZstdCompressor(dict_data=known).compress(data[:5_000]),
    ]


def skippable(rng: random.Random) -> bytes:
    """Return a frame without content."""
    data = rng.randbytes(rng.randint(0, 40))
    return struct.pack("<II", 0x184D2A50 + rng.randrange(16), len(data)) + data


def library_reads(data: bytes, most: int) -> bytes | None:
    """Return the content of all frames; None: it is refused, or has more than `most` bytes."""
    out = b""
    while data:
        if len(data) >= 8 and data[1:4] == b"\x2a\x4d\x18" and data[0] >> 4 == 5:
            size = struct.unpack_from("<I", data, 4)[0]
            if size > len(data) - 8:
                return None
            data = data[8 + size :]
            continue
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 16).decompressobj()
        try:
            out += reader.decompress(data)
        except zstandard.ZstdError:
            return None
        if not reader.eof or len(out) > most:
            return None
        data = reader.unused_data
    return out


def broken(frame: bytes, rng: random.Random) -> bytes:
    """Return a frame with a fault; now and then it is good all the same."""
    kind = rng.randint(0, 3)
    at = rng.randrange(len(frame))
    if kind == 0:
        return frame[:at]
    if kind == 1:
        return frame + rng.randbytes(rng.randint(1, 9))
    if kind == 2:
        at = rng.randrange(min(len(frame), 40))
    return frame[:at] + bytes([frame[at] ^ 1 << rng.randrange(8)]) + frame[at + 1 :]
