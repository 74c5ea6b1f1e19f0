# SPDX-License-Identifier: BSD-3-Clause
"""Properties of AXI, as Verilog for a prover."""
