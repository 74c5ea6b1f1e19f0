# SPDX-License-Identifier: BSD-3-Clause
"""What the Verilog reader does not take, by its own words or nodes, and what to write instead."""

from __future__ import annotations

INSTEAD = {
    "unsynthesizable timing control": "a wait inside a process, expected '@' after 'always' only",
    "wait statement will not be synthesized": "'wait', expected a condition under a clock's edge",
    "expect statement will not be synthesized": "'expect', expected 'assert'",
    "program block will not be synthesized": "a program block, expected a module",
    "@(edge) will not be synthesized": "an event of both edges, expected 'posedge' or 'negedge'",
    "iff qualifier will not be synthesized": "'iff' in an event, expected an 'if' in the process",
    "user-defined primitives unsupported": "a user-defined primitive, expected a module",
    "reading net state during design initialization": (
        "an initial value that depends on a signal, expected a constant: signals have no value "
        "before cycle 0; assign it under the reset, or from 'always_comb'"
    ),
    "non-blocking assignments unsupported in design initialization": (
        "'<=' in an initial block, expected '='"
    ),
    "multiple asynchronous loads unsupported": (
        "a register with two asynchronous resets, expected one; combine them: "
        "'wire r = a | b;' and '@(posedge clock or posedge r)'"
    ),
    "multiports unsupported": "a port of several signals, expected a port for each of them",
    "wildcard equality unsynthesizable": (
        "'==?' or '!=?' whose right side is no constant, expected one, or '==' of masked values"
    ),
    "unroll limit of": "a loop of more than 4000 rounds, expected one whose end constants decide",
    "stop condition is missing": "a loop without an end, expected one that constants decide",
    "simple if-else pattern expected": (
        "a process of several edges that does not begin with 'if (reset) ... else ...'"
    ),
    "unsupported assignment target expression": (
        "a target that no wire or variable stands for, expected a name, a selection of it, or a "
        "concatenation of these"
    ),
}
"""What a message of the reader begins with, and our words for it."""

REFUSED_WARNINGS = frozenset(
    {
        "wait statement will not be synthesized",
        "expect statement will not be synthesized",
        "program block will not be synthesized",
    }
)

STATEMENTS = {
    "->": "a signal that is 1 for one cycle",
    "force": "'=' or '<='",
    "assign": "'=' or '<='",
    "release": "'=' or '<='",
    "disable": "'break', 'continue' or 'return'",
    "repeat": "'for'",
    "do": "'for'",
    "case": "'case' without 'matches'",
    "tagged": "a packed struct with a field that says which value it has",
    "forever": "'always' with a clock's edge",
    "randcase": "a register that counts or shifts",
    "new": "modules and packages",
}
"""Statements that only a simulator knows, and what to write instead."""

NETS = {
    "real": "a real number, expected an integer",
    "shortreal": "a real number, expected an integer",
    "realtime": "a real number, expected an integer",
    "tri0": "a net with a pull, expected 'wire'",
    "tri1": "a net with a pull, expected 'wire'",
    "trireg": "a net that keeps its charge, expected a register under a clock",
    "triand": "a wired and, expected 'wire' and '&'",
    "trior": "a wired or, expected 'wire' and '|'",
    "pullup": "a pull, expected a driver: 'assign NAME = 1;'",
    "pulldown": "a pull, expected a driver: 'assign NAME = 0;'",
    **dict.fromkeys(
        ("bufif0", "bufif1", "notif0", "notif1"), "a tri-state gate, expected a multiplexer: '?:'"
    ),
    **dict.fromkeys(
        """nmos pmos cmos rnmos rpmos rcmos tran tranif0 tranif1 rtran rtranif0
        rtranif1""".split(),
        "a switch, expected gates or 'assign'",
    ),
}
"""Words of nets and gates with a strength, and what to write instead."""

KINDS = {
    "Block": "'fork', expected 'begin' and 'end'",
    "Call": "a call of a function in C (DPI), expected one in Verilog",
    "Sequence": "a sequence, expected an assertion of one condition under a clock's edge",
    "Property": "a property, expected an assertion of one condition under a clock's edge",
    "Streaming": (
        "a streaming concatenation that is no value of a known width here, expected a variable in "
        "between: 'tmp = {<<{a}};' and then '{<<8{o}} = tmp;'"
    ),
    "NetAlias": "'alias', expected 'assign'",
    "Checker": "a checker, expected a module",
    "CheckerInstance": "a checker, expected a module",
    "CovergroupType": "a covergroup, expected 'cover'",
    "ClassType": "a class, expected modules and packages",
    "NewClass": "a class, expected modules and packages",
    "RandSequence": "'randsequence', expected logic",
    "EventTrigger": "an event, expected a signal",
    "ProceduralAssign": "a procedural 'assign' or 'force', expected '=' or '<='",
    "RealLiteral": "a real number, expected an integer",
    "StringLiteral": "a text where bits are expected, expected a number",
}
"""What the reader's log shows of a construct that it does not know, and what to write instead."""

TYPES = {
    r"\$": "'$' as a bound, expected a number",
    r"(?:short)?real(?:time)?": KINDS["RealLiteral"],
    r".*\$\[.*\]": "an array where bits are expected, expected its elements by constant numbers",
}
"""Patterns of the type of such a construct, or of what it selects from."""

PARTS = {
    "ClockingDeclaration": "a clocking block, expected its signals themselves",
    "UserDefinedNetDeclaration": "a net of a 'nettype', expected 'wire' or 'logic'",
    "NetTypeDeclaration": "a net of a 'nettype', expected 'wire' or 'logic'",
}
"""Parts of a text at which the reader gives up without a word, by the kind of their node."""
