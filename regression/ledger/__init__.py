# SPDX-License-Identifier: BSD-3-Clause
"""The ledger: how fast, how large, and where the time goes, both sides in one run."""
