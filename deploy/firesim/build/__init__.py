# SPDX-License-Identifier: BSD-3-Clause
"""Build steps: RTL, models, the simulator, target software. Every step is cached by content."""
