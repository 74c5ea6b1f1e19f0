# SPDX-License-Identifier: BSD-3-Clause
"""What is worked out from counters: expressions, FireSim's own metrics, percentiles."""
