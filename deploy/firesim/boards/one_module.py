# SPDX-License-Identifier: BSD-3-Clause
"""What one module of a design takes of an FPGA: Yosys synthesizes it as its Verilog stands.

Neither the rest of the blade nor the host's side is there, so it takes a fraction of the time that
a blade takes: the way to compare settings of a unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import InputError, cut, nearest

_MODULE = re.compile(r"^\s*module\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE)


def check_module(sources: Sequence[Path], module: str) -> None:
    """Check that Verilog has a module of this name.

    Raises:
        InputError: it has none; the sentence names the nearest.
    """
    known = {name for file in sources for name in _MODULE.findall(file.read_text(errors="replace"))}
    if module in known:
        return
    close = nearest(module, sorted(known))
    ending = f', did you mean "{close}"?' if close else "."
    raise InputError(
        f'--module: found "{cut(module)}", expected one of the {len(known)} modules of the design'
        f"{ending}"
    )


def synthesis_files() -> list[Path]:
    """Return the files by which Golden Gate synthesizes: what is made by them is made again."""
    import goldengate

    package = Path(goldengate.__file__).parent
    return [package / name for name in ("synthesis.py", "synthesis_cells.py", "block_reads.py")]


def synthesized_module(
    sources: Sequence[Path],
    module: str,
    family: str,
    parameters: Mapping[str, str] | None = None,
) -> Path:
    """Return the folder with what goldengate.synthesis leaves of a module, from the cache or new.

    Raises:
        GoldenGateError: Yosys refuses the module, as it does when a bridge is in it.
    """
    from goldengate.synthesis import synthesize

    given = repr(sorted((parameters or {}).items()))
    key: list[KeyPart] = [module, family, given, *synthesis_files(), *sources]

    def build(folder: Path) -> None:
        synthesize(sources, module, family, folder, parameters)

    return cached("module-synthesis", key, build, places=list(sources))
