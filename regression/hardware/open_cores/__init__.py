# SPDX-License-Identifier: BSD-3-Clause
"""Other people's cores, as their repositories have them, on both engines and two references."""
