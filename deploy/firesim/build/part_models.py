# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a blade for its functional nodes: places, and the user's models, compiled."""

from __future__ import annotations

from typing import Any

from firesim_common.tools import ToolError

from firesim.build.model_library import CompileError, model_library
from firesim.build.parts import FUNCTIONAL_FILES, FUNCTIONAL_MODEL
from firesim.build.rtl_blade import Blade, BladePart
from firesim.build.rtl_interrupts import described


def functional_parts(blade: Blade) -> list[dict[str, Any]]:
    """Return the parts with registers as docs/reference/interfaces/functional-blade.md has them.

    Raises:
        ToolError: a part's functional.cc does not compile.
    """
    return [
        _described(part, blade.socket_port(part)) for part in blade.parts if part.at is not None
    ]


def restart_parts(blade: Blade) -> list[dict[str, Any]] | None:
    """Return by what an RTL node can go on from a functional one: its parts as that has them.

    None where no part has a model of its own and there is one NIC at most, or a part has none at
    all.

    Raises:
        ToolError: a part's functional.cc does not compile.
    """
    if not all(part.functional for part in blade.parts):
        return None
    parts = functional_parts(blade)
    is_usual = len(blade.link_parts) <= 1 and not any("library" in part for part in parts)
    return None if is_usual else parts


def _described(part: BladePart, port: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "kind": part.kind,
        "name": part.name,
        "at": part.at,
        "bytes": part.bytes,
        "interrupt": part.interrupt or 0,
        "options": part.options,
        **described(part.more_interrupts),
        **({"port": port} if port else {}),
    }
    source = part.folder / FUNCTIONAL_MODEL
    if source.is_file():
        try:
            more = sorted(part.folder.glob(FUNCTIONAL_FILES))
            entry["library"] = str(model_library(source, more))
        except CompileError as error:
            raise ToolError(f"{source}: {error}") from error
    return entry
