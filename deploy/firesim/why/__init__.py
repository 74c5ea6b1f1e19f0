# SPDX-License-Identifier: BSD-3-Clause
"""Why something happened in a run: the cycles before it once more, on one page."""
