# SPDX-License-Identifier: BSD-3-Clause
"""One target on many hosts: run farms, what a link between processes costs, losses, one hash."""
