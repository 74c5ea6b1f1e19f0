# SPDX-License-Identifier: BSD-3-Clause
"""Broken inputs and the sentence that refuses each, a table in several files."""
