# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per second of a functional hart, with QEMU beside it."""
