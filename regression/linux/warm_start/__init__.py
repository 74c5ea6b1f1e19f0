# SPDX-License-Identifier: BSD-3-Clause
"""Nodes saved on the functional blade go on in RTL."""
