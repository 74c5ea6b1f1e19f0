# SPDX-License-Identifier: BSD-3-Clause
"""What the experiments share: arguments, runs of the simulator, tables, plots, the last line."""
