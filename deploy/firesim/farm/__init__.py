# SPDX-License-Identifier: BSD-3-Clause
"""Run farms: where hosts come from. One file and one class for each kind."""
