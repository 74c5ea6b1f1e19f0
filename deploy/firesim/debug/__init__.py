# SPDX-License-Identifier: BSD-3-Clause
"""A debugger's view of a simulation: stops, steps and time travel."""
