# SPDX-License-Identifier: BSD-3-Clause
"""Seeded random RV64GC programs, and the machines that run and trace them."""
