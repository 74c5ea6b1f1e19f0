# SPDX-License-Identifier: BSD-3-Clause
"""Golden Gate: a compiler from Verilog to host-decoupled, cycle-exact simulators."""

from goldengate.capture import Capture
from goldengate.compiler import compile, compile_request, lower
from goldengate.errors import GoldenGateError
from goldengate.manifest import Manifest
from goldengate.state import Event, Request

__all__ = [
    "Capture",
    "Event",
    "GoldenGateError",
    "Manifest",
    "Request",
    "compile",
    "compile_request",
    "lower",
]
