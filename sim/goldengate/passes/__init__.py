# SPDX-License-Identifier: BSD-3-Clause
"""The passes, one file each. In: `State`. Out: the same `State`, one step further.

rewrite -> read -> elaborate -> clocks -> edges -> check -> hoist -> prints -> instrument ->
memory -> select -> write (or fame1).
docs/explanation/golden-gate.md shows what goes into and comes out of each.
"""
