# SPDX-License-Identifier: BSD-3-Clause
"""Same result whatever happens: hosts, snapshots, kills, and broken inputs."""
