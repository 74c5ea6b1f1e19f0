# SPDX-License-Identifier: BSD-3-Clause
"""System tasks and assertions of a text: found in its syntax tree, put into the reader's words."""
