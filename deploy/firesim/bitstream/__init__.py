# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams: build recipes, the tools that make them, the hosts they are made on, the database."""
