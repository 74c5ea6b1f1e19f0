# SPDX-License-Identifier: BSD-3-Clause
"""The generated engine: the flat netlist becomes C++ of our own, one step per file.

rtlil      text of the flat module -> cells, wires, memories
signals    values of any width as slices of words of at most 64 bits
cells      one cell -> nodes of the word-level graph (ir)
netlist    all cells -> design: graph, registers, memories, ports
schedule   order of evaluation, registers updated in place
sides      what only one side of a selection needs
zones      what is evaluated together, from a profile of what changes
emit       C++ text
backend    model.so
"""
