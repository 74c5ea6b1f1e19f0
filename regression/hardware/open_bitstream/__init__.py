# SPDX-License-Identifier: BSD-3-Clause
"""open-bitstream: a blade on an FPGA board with open tools, from Verilog to a bitstream."""
