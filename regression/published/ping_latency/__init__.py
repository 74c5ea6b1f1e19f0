# SPDX-License-Identifier: BSD-3-Clause
"""Round trips over link latencies, and one token through a switch."""
