# SPDX-License-Identifier: BSD-3-Clause
"""Hosts for tests: namespaces of this computer, each with an sshd, a disk and a network of its own."""
