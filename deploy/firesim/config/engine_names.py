# SPDX-License-Identifier: BSD-3-Clause
"""Names of the engines, apart from their settings: commands need them without loading pydantic."""

from __future__ import annotations

from typing import Literal

Engine = Literal["rtl", "metasim", "functional", "fpga"]
RtlEngine = Literal["auto", "generated", "verilator"]
