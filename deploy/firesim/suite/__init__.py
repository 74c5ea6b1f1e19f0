# SPDX-License-Identifier: BSD-3-Clause
"""All tests of the repository and its experiments, found and run."""
