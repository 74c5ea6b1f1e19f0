# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots in results folders and in buckets: found, checked, fetched."""
