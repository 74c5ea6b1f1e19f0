# SPDX-License-Identifier: BSD-3-Clause
"""FPGA boards that are not there: tops, projects, and a run over simulated serial lines."""
