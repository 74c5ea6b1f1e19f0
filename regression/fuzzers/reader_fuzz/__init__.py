# SPDX-License-Identifier: BSD-3-Clause
"""Random SystemVerilog for reader-fuzz, and the two programs of each text that are compared."""
