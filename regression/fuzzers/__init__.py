# SPDX-License-Identifier: BSD-3-Clause
"""Random inputs against a slow and obvious model, by the thousand."""
