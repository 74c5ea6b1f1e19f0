# SPDX-License-Identifier: BSD-3-Clause
"""Sampled simulation: intervals of a workload in RTL, and what they say of the whole of it."""
