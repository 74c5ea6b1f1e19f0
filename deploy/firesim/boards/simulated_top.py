# SPDX-License-Identifier: BSD-3-Clause
"""The whole top of a board as a model: what a program of `simulator/board` simulates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.cache import KeyPart, cached

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm


def simulated_top(
    form: FpgaForm,
    sources: Sequence[Path],
    top: str,
    wrapper: str,
    *,
    reset: str = "reset",
    defines: Mapping[str, str] | None = None,
    included: Sequence[Path] = (),
) -> Path:
    """Return the folder with `model.so` and `model.json` of a board's top with a form in it.

    `wrapper` is the text of the module `top`, which has the board's top and moves its pins;
    `included` are the files that the sources include.

    Raises:
        ToolError, GoldenGateError: a step failed.
    """
    from goldengate.cache_key import compiler_key

    given: dict[str, str | None] = {"FIRESIM_HOST": form.top, **(defines or {})}
    key: list[KeyPart] = [*sources, *included, wrapper, reset]
    key += [*(f"{name}={value}" for name, value in given.items()), *compiler_key("auto", ())]

    def compile_in(folder: Path) -> None:
        import goldengate

        (folder / "board.v").write_text(wrapper)
        request = goldengate.Request(
            [*map(str, sources), str(folder / "board.v")],
            top,
            str(folder),
            reset=reset,
            defines=given,
            include_dirs=[str(one) for one in dict.fromkeys(file.parent for file in included)],
        )
        goldengate.compile_request(request)

    return cached("board-model", key, compile_in, places=[*sources, *included])
