# SPDX-License-Identifier: BSD-3-Clause
"""Bit builders: one file for each set of tools that makes bitstreams."""
