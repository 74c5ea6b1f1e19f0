# SPDX-License-Identifier: BSD-3-Clause
"""Vivado projects checked without Vivado: its commands, recorded in a plain Tcl shell."""
