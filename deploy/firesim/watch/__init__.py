# SPDX-License-Identifier: BSD-3-Clause
"""A run as it is watched: status, live table, figures for Prometheus."""
