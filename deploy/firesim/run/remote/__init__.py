# SPDX-License-Identifier: BSD-3-Clause
"""A run on the hosts of a farm: placed, started, watched, its results brought here."""
