# SPDX-License-Identifier: BSD-3-Clause
"""One target on several hosts: what it costs, and that it changes nothing."""
