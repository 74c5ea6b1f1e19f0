# SPDX-License-Identifier: BSD-3-Clause
"""A finished run once more, with both RTL engines evaluating its node side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regression.support.lockstep import lockstep
from regression.support.simulate import Run, simulate


def both_engines(first: Path, second: Path, folder: Path) -> Run:
    """Run the one node of two finished runs on the models of both, every output compared.

    Raises:
        ExperimentError: an output differs in some cycle, or the run did not end.
        ToolError: the C++ compiler failed.
    """
    described: list[dict[str, Any]] = [
        json.loads((results / "description.json").read_text()) for results in (first, second)
    ]
    models = [Path(one["nodes"][0]["model"]).parent for one in described]
    library = lockstep(models[0], models[1], folder / "lockstep")
    (node,) = described[0]["nodes"]
    node |= {"model": str(library), "manifest": str(library.with_name("model.json"))}
    return simulate(described[0], folder / "run")
