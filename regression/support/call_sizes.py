# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of calls of compression as a fleet makes them, drawn by published counts.

The counts are those of google/fleetbench (Apache-2.0), `fleetbench/compression/distributions` at
commit 703e5e5566a6: of Snappy those of the whole fleet, of ZStd the sums of the ten files of single
profiles. Only calls of up to 64 KiB of plain data are drawn: 96 and 95 % of Snappy's calls, with 32
and 41 % of their bytes; 94 and 84 % of ZStd's, with 38 and 24 %.
"""

from __future__ import annotations

import random
from itertools import accumulate

LEAST_LOG, MOST_LOG = 3, 16
"""Log2 of the sizes at which the first and the last class end; a class begins above half of it."""
_CALLS = {
    ("snappy", "compress"): (
        *(22, 9, 67, 42, 133, 734, 1160, 1365, 1393, 1434, 1068, 893, 905, 404),
    ),
    ("snappy", "decompress"): (
        *(49, 5, 111, 20, 94, 639, 661, 1379, 1293, 1421, 1149, 908, 1158, 573),
    ),
    ("zstd", "compress"): (2, 43, 53, 57, 96, 964, 1320, 929, 1250, 732, 657, 539, 2275, 445),
    ("zstd", "decompress"): (7, 6, 125, 133, 174, 556, 636, 475, 562, 443, 387, 375, 3782, 778),
}
"""Of 10,000 calls, those of each class, by format and direction."""


def call_sizes(
    format_: str, way: str, count: int, rng: random.Random, most_log: int = MOST_LOG
) -> list[int]:
    """Return the bytes of `count` calls, one of each `count`-th part of all, smallest first.

    Calls are of at most `2**most_log` bytes. Inside a class sizes are drawn evenly by their
    logarithm.
    """
    ends = list(accumulate(_CALLS[format_, way][: most_log - LEAST_LOG + 1]))
    sizes = []
    for index in range(count):
        place = (index + rng.random()) / count * ends[-1]
        which = next(i for i, end in enumerate(ends) if place < end)
        begin = ends[which - 1] if which else 0
        part = (place - begin) / (ends[which] - begin)
        sizes.append(max(1, round(2 ** (LEAST_LOG + which - 1 + part))))
    return sizes
