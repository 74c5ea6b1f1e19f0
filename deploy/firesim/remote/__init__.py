# SPDX-License-Identifier: BSD-3-Clause
"""A run on the hosts of a farm: shipped, started, mirrored, its record."""
