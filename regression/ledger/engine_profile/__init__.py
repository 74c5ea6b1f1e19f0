# SPDX-License-Identifier: BSD-3-Clause
"""Instructions, cache misses and mispredictions of both engines, by valgrind."""
