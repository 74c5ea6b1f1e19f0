# SPDX-License-Identifier: BSD-3-Clause
"""Getting into the nodes of a running simulation: ssh, files and consoles."""
