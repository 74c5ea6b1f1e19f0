# SPDX-License-Identifier: BSD-3-Clause
"""From the FIRRTL of a Chipyard design to a folder of Verilog, by firtool, cached."""

from __future__ import annotations

import json
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import InputError
from firesim_common.tools import firtool, run

from firesim.topology.chipyard import FOLDER, Collateral, CollateralError, read_collateral
from firesim.topology.chipyard_facts import AXI_MEMORY
from firesim.topology.chipyard_firrtl import FirrtlDesign

OPTIONS = (
    "--split-verilog",
    "--disable-annotation-unknown",
    "--disable-annotation-classless",
    "--disable-all-randomization",
    "--strip-debug-info",
    "--lowering-options=disallowLocalVariables,disallowPackedArrays",
)
_ADDRESS = ("ready", "valid", "bits.id", "bits.addr", "bits.len", "bits.size", "bits.burst")
_AXI = {
    "aw": _ADDRESS,
    "w": ("ready", "valid", "bits.data", "bits.strb", "bits.last"),
    "b": ("ready", "valid", "bits.id", "bits.resp"),
    "ar": _ADDRESS,
    "r": ("ready", "valid", "bits.id", "bits.data", "bits.resp", "bits.last"),
}


def collateral_of(design: FirrtlDesign) -> Collateral:
    """Return what of the Verilog of a design makes a blade.

    Raises:
        ToolError: firtool failed.
        InputError: something that the top module needs is missing.
    """
    try:
        return read_collateral(_verilog(design), design.top)
    except CollateralError as error:
        raise InputError(f"{design.file.name}, as Verilog by firtool: {error}") from error


def _verilog(design: FirrtlDesign) -> Path:
    """Return the folder with the Verilog of a design."""
    beside = [] if design.annotations is None else [design.annotations]

    def build(folder: Path) -> None:
        kept = folder / "kept.anno.json"
        kept.write_text(json.dumps(_kept(design)))
        options: list[str | Path] = [*OPTIONS]
        for file in (*beside, kept):
            options += ["--annotation-file", file]
        run([firtool(design.firtool) / "firtool", design.file, *options, "-o", folder / FOLDER])

    key: list[KeyPart] = [Path(__file__), design.firtool, design.top, design.file, *beside]
    return cached("firrtl", key, build)


def _kept(design: FirrtlDesign) -> list[dict[str, str]]:
    """Return annotations for the ports of a module that ours replaces: they must stay.

    What is constant in theirs, or not used, may be otherwise in ours.
    """
    if not design.has_axi_memory:
        return []
    fields = [f"io_axi4.0.{channel}.{name}" for channel, names in _AXI.items() for name in names]
    return [
        {
            "class": "firrtl.transforms.DontTouchAnnotation",
            "target": f"~{design.top}|{AXI_MEMORY}>{name}",
        }
        for name in ("clock", "reset", *fields)
    ]
