# SPDX-License-Identifier: BSD-3-Clause
"""Tests of Golden Gate: each pass, what it refuses, and whole models."""
