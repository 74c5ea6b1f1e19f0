# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that run on a host with FPGAs, by themselves: they are sent there as files."""
