# SPDX-License-Identifier: BSD-3-Clause
"""Whole designs of boards: the Verilog of a form with the board's top, and macros of the top."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firesim.boards.board import AwsFlow, OpenFlow, VivadoFlow
from firesim.boards.known import PLATFORMS
from firesim.boards.liteeth import liteeth_core

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

SHELL_LINK = ("firesim_blades.v", "firesim_board_status.v", "firesim_split.v")
"""Files of sim/hostlib/rtl that the tops of Vivado's shells need."""


def whole_design(
    form: FpgaForm, board: str, flow: OpenFlow | AwsFlow, simulated: bool = False
) -> list[Path]:
    """Return the Verilog of a board with a form in it; the last file is the board's top.

    Raises:
        ToolError: a core of the board's cannot be made.
    """
    from goldengate.channels import RTL

    folder = PLATFORMS / board
    link, further = list(flow.link), []
    if isinstance(flow, OpenFlow):
        further += [folder / flow.cells] if flow.cells else []
        further += [liteeth_core(folder / flow.liteeth, simulated)] if flow.liteeth else []
    elif has_dram(form):
        link += flow.dram_link
    return [*form.sources, *(RTL / name for name in link), *further, folder / flow.FILE]


def has_dram(form: FpgaForm) -> bool:
    """Return whether a form has a port to a DRAM."""
    host = form.manifest.host
    return host is not None and any(one.memory_port is not None for one in host.parts)


def blade_macros(form: FpgaForm, blades: int) -> dict[str, str]:
    """Return the macros of firesim_blades.v: the host's side, how many, whether in a supernode."""
    found = {"FIRESIM_HOST": form.top, "FIRESIM_BLADES": str(blades)}
    fame1 = form.manifest.fame1
    shares = fame1 is not None and fame1.threads > 1
    return {**found, "FIRESIM_SUPERNODE": "1"} if shares else found


def shell_design(form: FpgaForm, flow: VivadoFlow) -> list[Path]:
    """Return the Verilog of a board that Vivado builds for, without stubs; the last is its top."""
    from goldengate.channels import RTL

    return [*form.sources, *(RTL / name for name in SHELL_LINK), PLATFORMS / flow.shell / "top.v"]


def shell_macros(form: FpgaForm, flow: VivadoFlow, blades: int) -> dict[str, str]:
    """Return the macros of such a top with `blades` blades of a form."""
    further = {f"FIRESIM_BLADE_{index}": "1" for index in range(1, blades)}
    return {**dict.fromkeys(flow.defines, "1"), **blade_macros(form, blades), **further}
