# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine without training beside trained, Verilator and GSIM."""
