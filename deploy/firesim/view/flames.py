# SPDX-License-Identifier: BSD-3-Clause
"""The flame graph of a node as far as its stacks are written, which is now and then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firesim_common.user_path import found_in

from firesim.report.flamegraph import FlameGraphError, flame_data, merge_folded

MOST_BYTES = 64 << 20
"""Of the stacks of a node; those of a long boot of Linux are a tenth of that."""


def flame(directory: Path | None, within: Path, seen: str) -> dict[str, Any]:
    """Return the frames of the folded stacks in a directory, without them to who has `seen` them.

    `words` says why there are none.
    """
    found = sorted(directory.glob("*.folded")) if directory is not None else []
    files = [file for file in found if found_in(file, within)]
    stats = [file.stat() for file in files]
    version = "-".join(f"{one.st_mtime_ns}.{one.st_size}" for one in stats)
    if version and version == seen:
        return {"version": version}
    if sum(one.st_size for one in stats) > MOST_BYTES:
        return {"version": version, "words": "The stacks are too many for a page: see the report."}
    try:
        return {"version": version, "frames": json.loads(flame_data(merge_folded(files)))}
    except FlameGraphError:
        return {"version": version, "words": "No call stack is written yet."}
    except OSError:  # Written anew just now: the next look finds it.
        return {"version": ""}
