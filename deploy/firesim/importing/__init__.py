# SPDX-License-Identifier: BSD-3-Clause
"""Files of the earlier FireSim and of FireMarshal, read into one recipe."""
