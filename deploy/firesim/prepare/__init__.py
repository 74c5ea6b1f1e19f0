# SPDX-License-Identifier: BSD-3-Clause
"""What the fourth step makes of a plan: models, programs, device trees, converted files."""
