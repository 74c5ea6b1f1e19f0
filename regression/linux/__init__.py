# SPDX-License-Identifier: BSD-3-Clause
"""Machines that run Linux: boot, network, clones, ssh, warm starts, the quick start."""
