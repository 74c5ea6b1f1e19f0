# SPDX-License-Identifier: BSD-3-Clause
"""The first hour of a user: every page and every example of help, done as it stands there."""
