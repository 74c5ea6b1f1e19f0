# SPDX-License-Identifier: BSD-3-Clause
"""Runs as people ask for them: shown, left alone, gone on with, simulated again, looked into."""
