# SPDX-License-Identifier: BSD-3-Clause
"""Experiment `fpga-projects`: generated projects say what is known of each board."""
