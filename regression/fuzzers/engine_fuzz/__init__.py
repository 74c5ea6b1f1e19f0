# SPDX-License-Identifier: BSD-3-Clause
"""Random netlists for engine-fuzz, and the two models of each that are compared."""
