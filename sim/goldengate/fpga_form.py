# SPDX-License-Identifier: BSD-3-Clause
"""What goes onto an FPGA of a design: its FAME-1 form inside the host's side, as Verilog."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from goldengate.capture import check
from goldengate.compiler import lower
from goldengate.manifest import Manifest
from goldengate.state import FPGA, Request

TARGET_PATH = "form.target"
"""Where the target is in the hierarchy of `top`."""


@dataclass(frozen=True)
class FpgaForm:
    """The Verilog of the host's side with the target in it, and what is known of both."""

    sources: list[Path]
    top: str
    manifest: Manifest


def fpga_form(request: Request) -> FpgaForm:
    """Write the form into the folder `request.out`; a metasimulation compiles the same text.

    Raises:
        GoldenGateError: the design is refused.
    """
    request = dataclasses.replace(request, target=FPGA).absolute()
    if request.capture is not None:
        check(request.capture, True)
    manifest = lower(request)
    assert manifest.host is not None
    sources = [Path(request.out) / name for name in manifest.host.files]
    return FpgaForm(sources, manifest.host.top, manifest)
