# SPDX-License-Identifier: BSD-3-Clause
"""One timeline of a run: everything that it kept by target cycle, as one Perfetto trace."""
