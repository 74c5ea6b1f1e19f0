# SPDX-License-Identifier: BSD-3-Clause
"""FPGA boards: what each has, how it is reached, and its whole top with a design in it."""
