# SPDX-License-Identifier: BSD-3-Clause
"""Hosts for tests: namespaces of this computer, each with its own sshd, disk and network."""
