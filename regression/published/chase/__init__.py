# SPDX-License-Identifier: BSD-3-Clause
"""Pointer chase over servers: GETs, active messages and injected code."""
