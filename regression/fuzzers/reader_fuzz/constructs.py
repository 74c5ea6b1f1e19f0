# SPDX-License-Identifier: BSD-3-Clause
"""The names of all constructs that the random modules of reader-fuzz are made of."""

CONSTRUCTS = frozenset({
    "!", "!=", "!==", "%", "&", "&&", "*", "+", "+:", "-", "-:", "/", "<", "<<", "<<<", "<=", "==",
    "===", ">", ">=", ">>", ">>>", "^", "always @* of a latch", "always @*", "always",
    "always_comb", "always_ff", "always_latch", "ascending range", "assert property",
    "assign parts", "assign some bits", "assign to the function's name", "assign",
    "assigned in the reset only", "assignment pattern", "bit", "bits that nothing assigns",
    "block with a local", "block", "break", "call", "case inside", "case item with x", "case",
    "casex", "casez", "cast", "concatenation", "constant condition", "continue", "default of x",
    "default", "delay of a net", "delay", "division", "early return", "element assigned",
    "element clocked", "element computed", "elements that nothing assigns",
    "escaped name of an instance", "first row not 0", "for", "foreach", "generate case",
    "generate for of registers", "generate for", "generate if", "if else", "if", "initial block",
    "initial value", "input left open", "inside", "members computed", "negedge arst_n", "no reset",
    "packed array", "packed struct", "packed union of equals", "parameter", "part", "posedge arst",
    "priority case", "process in a block", "range of case inside", "replication", "reset compared",
    "reset of a part", "return", "reversed select", "row", "rows by count", "rows down", "rows up",
    "shift", "sign", "signed vector", "step of an enumeration", "streaming",
    "synchronous reset", "text as a parameter", "to +:", "to -:", "to a bit", "to a part",
    "to a variable bit", "typed parameter", "unique case", "unique casez", "untyped parameter",
    "variable bit", "variable row", "variable with its value", "wire with a value", "wired and",
    "wired or", "write a masked row", "write a row", "write a variable row", "x", "|", "||", "~",
    "~&", "~^", "~|",
})  # fmt: skip
