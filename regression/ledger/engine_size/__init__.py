# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine on larger blades, and on several in one netlist."""
