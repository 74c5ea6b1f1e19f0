# SPDX-License-Identifier: BSD-3-Clause
"""Bad luck by seed in the middle of real runs."""
