# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: one self-contained HTML page made from a results folder."""
