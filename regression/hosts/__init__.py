# SPDX-License-Identifier: BSD-3-Clause
"""Run farms and hosts: the life cycle of a run on each kind, with hosts made of namespaces."""
