# SPDX-License-Identifier: BSD-3-Clause
"""The compression ratio of a unit beside the core against its history and its hash table.

It is that of a reference in Python: the cases of the unit show that both make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from regression.support.experiment import Experiment

HISTORIES, TABLES = range(11, 17), range(9, 15)
"""Log2 of bytes, and of entries; published for both ends and for 32 KiB."""
GREEDY = 0.005
"""Share by which more of a setting may be worse: the next match that is found is taken."""


def ratio_shape(
    experiment: Experiment,
    data: Mapping[str, bytes],
    compressed: Callable[[bytes, int, int], bytes],
    library: Callable[[bytes], bytes],
) -> bool:
    """Show a table by the kind of data; return whether more history and entries mean less output.

    `compressed` takes data, log2 of the history and of the entries; `library` has its default.
    """
    rows, ordered = [], True
    most = HISTORIES[-1], TABLES[-1]
    for kind, plain in data.items():
        histories = [len(compressed(plain, history, most[1])) for history in HISTORIES]
        tables = [len(compressed(plain, most[0], entries)) for entries in TABLES]
        for sizes in (histories, tables):
            ordered &= sizes[-1] < sizes[0]
            ordered &= all(more <= less * (1 + GREEDY) for less, more in pairwise(sizes))
        share = len(library(plain)) / histories[-1]
        cells = [f"{len(plain) / size:.2f}" for size in (*histories, *tables[:-1])]
        rows.append([kind, *cells, f"{share:.3f}"])
    columns = [f"{1 << history >> 10} KiB" for history in HISTORIES]
    columns += [f"2^{entries}" for entries in TABLES[:-1]]
    experiment.table(
        f"Ratio by history with 2^{most[1]} entries, and by entries with 64 KiB",
        ["data", *columns, "64 KiB by the library's"],
        rows,
    )
    experiment.say(
        f"more history and more entries give a better ratio: {'yes' if ordered else 'NO'}"
    )
    return ordered
