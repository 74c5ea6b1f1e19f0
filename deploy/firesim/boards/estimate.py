# SPDX-License-Identifier: BSD-3-Clause
"""What a blade takes of an FPGA, without the vendor's tools: Yosys counts what it needs.

The design is the one that a bitstream is made of (`goldengate.fpga_form`). DRAM controllers, the
board's shell and the host side of bridges beyond the token channels are not counted. A module alone
(`boards.one_module`) is counted as its Verilog stands.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import InputError
from goldengate.sharing import PLAIN, Sharing, shared_form

from firesim.boards.board import Board, Published
from firesim.boards.one_module import check_module, synthesis_files, synthesized_module
from firesim.build.design import Design

KINDS = ("lut", "ff", "bram_kbit", "uram", "dsp")
NAMES = {"lut": "LUT", "ff": "FF", "bram_kbit": "BRAM (kbit)", "uram": "URAM", "dsp": "DSP"}
NS_A_LEVEL = {"ecp5": (0.8, 1.5), "xcup": (0.4, 1.0), "xc7": (0.6, 1.4)}
"""Time of a table with its wires, least and most. ECP5 from nextpnr on our designs, the others from
what such designs reach on these families; a large design comes nearer to the most."""
NS_A_REGISTER = 1.0


@dataclass(frozen=True)
class Estimate:
    """What one blade, or one supernode of `nodes` of it, takes of a board, and how many fit."""

    blade: str
    board: str
    family: str
    used: dict[str, float]
    available: dict[str, int]
    usable: float
    """Share of the device that designs may take."""
    fit: int
    limited_by: str
    """The kind that decides `fit`."""
    levels: float
    """Tables on the longest path between two registers."""
    mhz: tuple[float, float]
    """Host clock to expect, least and most."""
    modules: dict[str, dict[str, float]]
    published: list[Published]
    nodes: int
    module: str | None
    """The module that was counted alone, without the rest of the blade and the host's side."""
    synthesis_cpu_s: float

    def to_json(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {**vars(self), "published": [one.model_dump() for one in self.published]}


def _key(design: Design, family: str, sharing: Sharing) -> list[KeyPart]:
    from goldengate import fpga_form
    from goldengate.cache_key import compiler_key
    from goldengate.channels import RTL

    own = [*synthesis_files(), Path(fpga_form.__file__)]
    parts = [*compiler_key("verilator", design.bridges), *own, *sharing.key()]
    return [*design.key(), *parts, RTL, family]


def synthesized(design: Design, family: str, sharing: Sharing = PLAIN) -> Path:
    """Return the folder with what goldengate.synthesis leaves of a design, from the cache or new.

    Raises:
        GoldenGateError: the design is refused.
    """
    from goldengate.fpga_form import fpga_form
    from goldengate.synthesis import synthesize

    def build(folder: Path) -> None:
        request = design.request(folder / "form", "auto")
        form = shared_form(request, sharing) if sharing else fpga_form(request)
        synthesize(form.sources, form.top, family, folder)

    return cached("synthesis", _key(design, family, sharing), build, places=design.places())


def module_path(path: str, depth: int, alone: bool = False) -> str:
    """Return the module that a row of the table is for: `host` or a path below the target.

    `alone`: the path begins at the module itself, and there is no host.
    """
    from goldengate.fpga_form import TARGET_PATH

    target = "" if alone else f"{TARGET_PATH}."
    if not f"{path}.".startswith(target):
        return "(channels and host side)"
    parts = f"{path}."[len(target) :].split(".")[:-1]
    return ".".join(parts[:depth]) or "(top)"


def estimate(
    design: Design,
    board_name: str,
    board: Board,
    depth: int,
    usable: float,
    sharing: Sharing = PLAIN,
    module: str | None = None,
) -> Estimate:
    """Estimate a design on a board; `depth` is how deep modules are told apart.

    With `module`, that module of the design alone; parameters of the design are the module's.

    Raises:
        GoldenGateError: the design is refused.
        InputError: the design has no such module.
    """
    from goldengate.synthesis import Counts

    if module is None:
        folder = synthesized(design, board.family, sharing)
    else:
        check_module(design.sources, module)
        folder = synthesized_module(design.sources, module, board.family, design.parameters)
    counts = Counts.read(folder)
    available: dict[str, int] = board.resources.model_dump()
    fits: dict[str, int] = {}
    for kind in KINDS:
        if counts.total[kind] > 0:
            fits[kind] = int(usable * available[kind] / counts.total[kind])
    limited_by = min(fits, key=lambda kind: fits[kind], default="lut")
    modules: dict[str, dict[str, float]] = {}
    for path, part in counts.modules.items():
        name = module_path(path, depth, module is not None)
        row = modules.setdefault(name, dict.fromkeys(KINDS, 0.0))
        for kind, value in part.items():
            row[kind] += value
    least_ns, most_ns = NS_A_LEVEL[board.family]
    slowest = 1000 / (NS_A_REGISTER + counts.levels * most_ns)
    fastest = 1000 / (NS_A_REGISTER + counts.levels * least_ns)
    return Estimate(
        blade=design.name if module is None else f"{module} of {design.name}",
        board=board_name,
        family=board.family,
        used=counts.total,
        available=available,
        usable=usable,
        fit=fits.get(limited_by, 0),
        limited_by=limited_by,
        levels=round(counts.levels, 1),
        mhz=(round(slowest, 1), round(fastest, 1)),
        modules=modules,
        published=board.published,
        nodes=sharing.fame5_threads,
        module=module,
        synthesis_cpu_s=round(counts.cpu_s, 1),
    )


def too_small(found: Estimate, board: Board) -> str | None:
    """Return the sentence that says why not even one fits, or None."""
    if found.fit:
        return None
    kind = found.limited_by
    share = f"{found.usable:.0%} of {found.available[kind]:,}"
    return (
        f"{found.blade}: found {found.used[kind]:,.0f} {NAMES[kind]}, expected at most "
        f"{found.usable * found.available[kind]:,.0f}, {share} that {board.title} has."
    )


def checked_share(text: float) -> float:
    """Return a share from the command line.

    Raises:
        InputError: it is none.
    """
    if not 0 < text <= 1:
        raise InputError(f"--usable: found {text:g}, expected a share above 0 and at most 1.")
    return text


def as_json(found: Estimate) -> str:
    """Return an estimate as JSON text."""
    return json.dumps(found.to_json(), indent=1)
