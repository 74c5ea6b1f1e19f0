# SPDX-License-Identifier: BSD-3-Clause
"""One broken input: what is given, and the exact sentence that must refuse it.

It is a configuration `bad.yaml` (and files beside it) that is wrong in one way. It is read in its
own folder, so that messages start with `bad.yaml:LINE:`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CONFIG = "bad.yaml"


@dataclass(frozen=True)
class Case:
    """One broken input.

    `{blades}`, `{programs}`, `{linux}` and `{workloads}` in `message` are lists of names, `{own}`
    the blades with one called "mine"; `{fingerprint}` there and in files that of fingerprint.py.
    """

    name: str
    message: str
    text: str | bytes | None
    """Content of bad.yaml; None = the file does not exist."""
    files: dict[str, bytes] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    register_map: bool = False
    """Whether bad.yaml is where gdb finds the registers of a core."""
    rdma_case: bool = False
    """Whether bad.yaml is a test case of the RDMA NIC."""
    sampled: dict[str, Any] | None = None
    """Settings of a sample of bad.yaml, of which `firesim sample` has to say it."""
    proto: bool = False
    """Whether bad.yaml is a .proto file."""
    verilog: bool = False
    """Whether the files are Verilog with the top A, of which Golden Gate has to say it."""
