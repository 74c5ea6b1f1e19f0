# SPDX-License-Identifier: BSD-3-Clause
"""The ways by which a host reaches a board's top module: the file NAME.py here is the way NAME.

Nothing lists them. A board's file names its way in `reached_by`. The C++ of a way is
`sim/hostlib/ways/NAME.cc`, and the program that simulates such a board is in `simulator/board`.
"""
