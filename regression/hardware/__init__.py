# SPDX-License-Identifier: BSD-3-Clause
"""Hardware composed of parts, and the user's own hardware, in clusters."""
