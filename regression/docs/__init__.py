# SPDX-License-Identifier: BSD-3-Clause
"""Experiments on the docs: what pages and help texts say is done as it stands there."""
