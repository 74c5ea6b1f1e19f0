# SPDX-License-Identifier: BSD-3-Clause
"""Verilator at its best: a model compiled by g++ with a profile of the training programs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from firesim.build import training
from firesim.build.model import blade_model
from firesim_common.cache import cached
from goldengate import Manifest, verilator_backend
from goldengate.verilator_backend import FAST


def profiled_model(blade: str) -> Path:
    """Return the folder with `model.so` of a blade, like blade_model's by Verilator, but faster.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    plain = blade_model(blade, "verilator")

    def build(folder: Path) -> None:
        for name in ("model.json", "blade.dts"):
            shutil.copyfile(plain / name, folder / name)
        manifest = Manifest.read(plain)
        work, counts = folder / "build", folder / "profile"
        jobs = os.cpu_count() or 1
        # The same names both times: g++ finds the profile of a file by them.
        for fast in (
            f"{FAST} -fprofile-generate={counts} -fprofile-update=single",
            f"{FAST} -fprofile-use={counts} -fprofile-partial-training -Wno-missing-profile",
        ):
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(plain / "build", work)
            library = folder / "model.so"
            verilator_backend.build(work, manifest, library, jobs=jobs, fast=fast)
            if "generate" in fast:
                training.train(folder, folder / "unused")
        shutil.rmtree(counts)

    key = [plain, Path(__file__), Path(training.__file__), *training.programs()]
    return cached("profiled-verilator", key, build)
