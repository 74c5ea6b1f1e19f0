# SPDX-License-Identifier: BSD-3-Clause
"""Broken input by seed, for everything that reads what others made or guests send."""
