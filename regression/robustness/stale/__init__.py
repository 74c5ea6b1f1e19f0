# SPDX-License-Identifier: BSD-3-Clause
"""Experiment `stale`: what a cached step reads is changed, one file at a time."""
