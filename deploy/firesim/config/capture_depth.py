# SPDX-License-Identifier: BSD-3-Clause
"""How long a capture is when nobody says; for the command line too, which loads no models early."""

from __future__ import annotations

DEPTH_CYCLES = 1024
"""Target cycles that a ring keeps."""
