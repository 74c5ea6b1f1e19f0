# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine against Verilator at its best, one blade."""
