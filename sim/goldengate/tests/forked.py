# SPDX-License-Identifier: BSD-3-Clause
"""What a forked process of the tests does: what `python -m WORKER FOLDER` does from `main` on.

A module of its own: the process that is forked imports it, and pytest is not needed there.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

PRELOADED = ("goldengate.worker", "goldengate.sharing.worker")


def run_in_child(worker: str, folder: str, log: str) -> None:
    """Run a worker in FOLDER with its output at the end of LOG, and end with its status."""
    os.chdir(folder)
    file = os.open(log, os.O_WRONLY | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    os.close(file)
    status = importlib.import_module(worker).main(Path(folder))
    sys.stdout.flush()
    os._exit(status)
