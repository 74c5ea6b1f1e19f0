# SPDX-License-Identifier: BSD-3-Clause
"""Published figures, reproduced: their shape or their numbers."""
