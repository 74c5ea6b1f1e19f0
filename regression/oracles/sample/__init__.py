# SPDX-License-Identifier: BSD-3-Clause
"""Samples of programs whose true figures are known, as they also run whole in RTL."""
