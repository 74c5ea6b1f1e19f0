# SPDX-License-Identifier: BSD-3-Clause
"""Call stacks of traces against what programs know of themselves, on every kind of node."""
