# SPDX-License-Identifier: BSD-3-Clause
"""Blade against plain Verilator, the cost of a trace, switch and links."""
