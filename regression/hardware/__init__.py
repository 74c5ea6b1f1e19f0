# SPDX-License-Identifier: BSD-3-Clause
"""Hardware composed of parts, and hardware of the user's own, in clusters."""
