# SPDX-License-Identifier: BSD-3-Clause
"""The commands, one a file; main.py assembles them."""
