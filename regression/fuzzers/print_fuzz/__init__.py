# SPDX-License-Identifier: BSD-3-Clause
"""Random formats and arguments for print-fuzz, and the two simulators whose texts are compared."""
