# SPDX-License-Identifier: BSD-3-Clause
"""Two models of one design as one: every output equal in every cycle, or the run ends by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from firesim_common.tools import run
from goldengate.verilator_backend import ENGINE_FOLDER


def lockstep(first: Path, second: Path, out: Path) -> Path:
    """Return the model that runs the models in two folders side by side.

    Raises:
        ToolError: the C++ compiler failed.
    """
    out.mkdir(parents=True, exist_ok=True)
    library = out / "model.so"
    run(
        ["g++", "-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-I", ENGINE_FOLDER, "-o", library,
         f"-DFIRESIM_LOCKSTEP_FIRST={json.dumps(str(first / 'model.so'))}",
         f"-DFIRESIM_LOCKSTEP_SECOND={json.dumps(str(second / 'model.so'))}",
         ENGINE_FOLDER / "lockstep_engine.cc", "-ldl"]
    )  # fmt: skip
    shutil.copyfile(first / "model.json", out / "model.json")
    return library
