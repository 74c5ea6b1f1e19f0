# SPDX-License-Identifier: BSD-3-Clause
"""FireSim: a cycle-exact simulator of whole datacenter clusters."""

__version__ = "0.1.0"
