# SPDX-License-Identifier: BSD-3-Clause
"""A user's own switch among Rocket nodes, every frame checked."""
