# SPDX-License-Identifier: BSD-3-Clause
"""The reference: the same Verilog in plain Verilator, and drivers for both."""
