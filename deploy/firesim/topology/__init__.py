# SPDX-License-Identifier: BSD-3-Clause
"""The system graph: named topologies, passes over it, its drawing and its description."""
