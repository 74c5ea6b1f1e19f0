# SPDX-License-Identifier: BSD-3-Clause
"""memcached with as many threads as cores and with one more, on both engines."""
