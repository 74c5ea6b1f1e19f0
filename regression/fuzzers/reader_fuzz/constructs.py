# SPDX-License-Identifier: BSD-3-Clause
"""The names of all constructs that the random modules of reader-fuzz are made of."""

CONSTRUCTS = frozenset({
    "!", "!=", "!==", "%", "&", "&&", "*", "+", "+:", "-", "-:", "/", "<", "<<", "<<<", "<=",
    "==", "===", ">", ">=", ">>", ">>>", "^", "always", "always @*", "always @* of a latch",
    "always_comb", "always_ff", "always_latch", "ascending range", "assign", "assign parts",
    "assign some bits", "assign to the function's name", "assigned in the reset only",
    "assignment pattern", "bit", "bits that nothing assigns", "block", "block with a local",
    "break", "call", "case", "case inside", "case item with x", "casex", "casez", "cast",
    "concatenation", "constant condition", "continue", "default", "default of x", "division",
    "early return", "element assigned", "element clocked", "element computed",
    "elements that nothing assigns", "first row not 0", "for", "generate case", "generate for",
    "generate for of registers", "generate if", "if", "if else", "initial block", "initial value",
    "input left open", "inside", "members computed", "negedge arst_n", "no reset", "packed array",
    "packed struct", "packed union of equals", "parameter", "part", "posedge arst",
    "priority case", "process in a block", "replication", "reset compared", "reset of a part",
    "return", "row", "rows by count", "rows down", "rows up", "shift", "sign", "signed vector",
    "synchronous reset", "to +:", "to -:", "to a bit", "to a part", "to a variable bit",
    "typed parameter", "unique case", "unique casez", "untyped parameter", "variable bit",
    "variable row", "wire with a value", "write a masked row", "write a row",
    "write a variable row", "x", "|", "||", "~", "~&", "~^", "~|",
})  # fmt: skip
