# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run: one self-contained HTML page made from a results folder."""

from firesim.report.page import write_report

__all__ = ["write_report"]
