# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are shown, folders of results, processes that are started and ended."""
