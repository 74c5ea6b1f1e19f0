# SPDX-License-Identifier: BSD-3-Clause
"""What came of a run: its outcome, summaries, outputs, comparison."""
