# SPDX-License-Identifier: BSD-3-Clause
"""One host of a run farm: how it is reached, what is on it, what runs there."""
