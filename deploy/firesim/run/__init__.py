# SPDX-License-Identifier: BSD-3-Clause
"""Running a simulation on this machine: checks, folders, the child process, live display."""
