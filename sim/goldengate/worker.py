# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's front half, run as a process of its own: `python -m goldengate.worker FOLDER`.

Yosys ends its process on an error and keeps global state, so it never runs in the caller's process.
Reads FOLDER/request.json; writes FOLDER/manifest.json, or FOLDER/error.txt and exits with 1.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from goldengate.errors import GoldenGateError
from goldengate.passes import (
    bounds,
    check,
    clocks,
    elaborate,
    emit,
    fame1,
    hoist,
    instrument,
    memory,
    prints,
    read,
    rewrite,
    select,
    shifts,
    undefined,
)
from goldengate.state import Request, State

PASSES = (
    rewrite, read, undefined, elaborate, clocks, check, hoist, prints, instrument, bounds, shifts,
    memory, select,
)  # fmt: skip
BACK_ENDS = {"cpu": emit, "fame1": fame1}


def design_hash(folder: Path) -> str:
    """Hash what the back end wrote: 16 hex digits that name the design."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.v")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def main(folder: Path) -> int:
    """Run all passes on FOLDER/request.json."""
    state = State(Request.from_json(json.loads((folder / "request.json").read_text())))
    try:
        for each in (*PASSES, BACK_ENDS[state.request.target]):
            print(f"-- golden gate: {each.__name__}", flush=True)
            (folder / "pass.txt").write_text(each.__name__)
            each.run(state)
    except GoldenGateError as error:
        (folder / "error.txt").write_text(str(error))
        return 1
    manifest = state.manifest(design_hash(folder))
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
