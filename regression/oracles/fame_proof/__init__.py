# SPDX-License-Identifier: BSD-3-Clause
"""Experiment `fame-proof`: no token of a FAME-1 form is lost, doubled or changed."""
