# SPDX-License-Identifier: BSD-3-Clause
"""Many runs of one recipe with different settings, beside each other, in one table."""
