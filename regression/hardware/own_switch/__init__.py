# SPDX-License-Identifier: BSD-3-Clause
"""A switch of the user's own among Rocket nodes, every frame checked."""
