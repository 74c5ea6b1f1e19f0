# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine against Verilator: programs, random inputs, open cores."""
