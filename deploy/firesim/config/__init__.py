# SPDX-License-Identifier: BSD-3-Clause
"""The YAML files a user writes: models, a loader that keeps line numbers, clear errors."""
