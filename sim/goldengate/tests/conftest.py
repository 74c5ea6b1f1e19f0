# SPDX-License-Identifier: BSD-3-Clause
"""The tests lower hundreds of designs of a few lines, each in a process of its own, as users do.

Most of such a process's time goes into its imports. So each is forked from a process that has done
these imports and nothing else. The steps of a build, whose reading is watched, start as they always
do: what is watched is watched from the start. So do the tests of other folders, in the same process
of pytest or in another. Verilator's models run for a moment, so g++ need not make them fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import IO

import pytest
from firesim_common.cache import watched_step

from goldengate import compiler, verilator_backend
from goldengate.tests.forked import PRELOADED, run_in_child


@pytest.fixture(scope="package", autouse=True)
def _forked_workers() -> Iterator[None]:
    context = get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, run_in_child.__module__])
    started = compiler._run_worker

    def forked(worker: str, folder: Path, stream: IO[str]) -> int:
        if watched_step() is not None or worker not in PRELOADED:
            return started(worker, folder, stream)
        process = context.Process(target=run_in_child, args=(worker, str(folder), stream.name))
        process.start()
        process.join()
        return int(process.exitcode or 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "_run_worker", forked)
        patch.setattr(verilator_backend, "build", partial(verilator_backend.build, fast="-O1"))
        yield
