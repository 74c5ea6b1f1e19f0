# SPDX-License-Identifier: BSD-3-Clause
"""Nodes as C++ expressions.

Values of up to 32 bits are uint32_t, others uint64_t, and unused high bits are always 0.
"""

from __future__ import annotations

from collections.abc import Callable

from goldengate.engine.design import Column
from goldengate.engine.nodes import Node, mask

_OPERATORS = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "mul": "*"}

Name = Callable[[Node], str]
"""Gives the expression of an argument."""


def bits(width: int) -> int:
    """Return the size of the C++ type of a value: 32 or 64."""
    return 32 if width <= 32 else 64


def type_of(width: int) -> str:
    """Return the C++ type of a value."""
    return f"u{bits(width)}"


def literal(value: int, width: int) -> str:
    """Return a constant."""
    text = str(value) if value < 10 else hex(value)
    return f"{text}u" if width <= 32 else f"{text}ull"


def allocated_rows(column: Column) -> int:
    """Return the number of rows kept: rounded up, so that most addresses need no check."""
    return max(1, 1 << (column.size - 1).bit_length()) if column.size > 1 else 1


def highest(node: Node) -> int:
    """Return the largest value a node may have, as far as known."""
    return mask(node.width) & ~node.zeros


def in_range(address: str, node: Node, column: Column) -> str:
    """Return the check of an address, or an empty text when it cannot fail."""
    if highest(node) < column.size:
        return ""
    return f"{address} < {literal(column.size, node.width)}"


def _masked(text: str, width: int) -> str:
    if width in (32, 64):
        return text
    return f"({text}) & {literal(mask(width), width)}"


def _widened(text: str, node: Node, width: int) -> str:
    return f"(u64)({text})" if bits(width) == 64 and bits(node.width) == 32 else text


def _shift(node: Node, name: Name) -> str:
    value, amount = (name(arg) for arg in node.args)
    width, largest = node.width, highest(node.args[1])
    if node.op == "sar":
        by = amount if largest < width else f"({amount} < {width} ? {amount} : {width - 1})"
        unused = bits(width) - width
        signed = f"(i{bits(width)})({value} << {unused}) >> {unused}" if unused else value
        return _masked(f"(u{bits(width)})((i{bits(width)})({signed}) >> {by})", width)
    text = f"{value} << {amount}" if node.op == "shl" else f"{value} >> {amount}"
    text = _masked(text, width) if node.op == "shl" else text
    return text if largest < width else f"{amount} < {width} ? ({text}) : 0"


def _cat(node: Node, name: Name) -> str:
    terms, position = [], 0
    for part in node.args:
        if not (part.is_const and part.number == 0):
            text = _widened(name(part), part, node.width)
            terms.append(f"({text} << {position})" if position else text)
        position += part.width
    return " | ".join(terms)


def _slice(node: Node, name: Name) -> str:
    source, low = node.args[0], node.number
    text = f"({name(source)} >> {low})" if low else name(source)
    above = highest(source) >> low
    cast = "(u32)" if bits(source.width) == 64 and node.width <= 32 else ""
    if above <= mask(node.width):
        return f"{cast}{text}"
    return f"{cast}({_masked(text, node.width)})" if node.width != 32 else f"{cast}{text}"


def _sign_extended(node: Node, name: Name) -> str:
    source = node.args[0]
    text = _widened(name(source), source, node.width)
    unused = bits(node.width) - source.width
    kind = bits(node.width)
    return _masked(f"(u{kind})((i{kind})({text} << {unused}) >> {unused})", node.width)


def _read(node: Node, name: Name, column: Column, memory: str) -> str:
    address = name(node.args[0])
    check = in_range(address, node.args[0], column)
    if check and highest(node.args[0]) < allocated_rows(column):
        check = ""
    text = f"{memory}[{address}]"
    return f"{check} ? {text} : 0" if check else text


def _long_division(node: Node, name: Name) -> str:
    words = len(node.args) // 2
    arguments = ", ".join(_widened(name(arg), arg, 64) for arg in node.args)
    quotient = "true" if node.op == "divw" else "false"
    return f"long_division<{words}, {quotient}>({{{arguments}}}, {node.number})"


def _repeated(node: Node, name: Name) -> str:
    text = _widened(name(node.args[0]), node.args[0], node.width)
    return _masked(f"0 - {text}", node.width)


def _division(node: Node, name: Name) -> str:
    a, b = (name(arg) for arg in node.args)
    return f"{b} ? {a} {'/' if node.op == 'div' else '%'} {b} : 0"


def _high_product(node: Node, name: Name) -> str:
    a, b = (name(arg) for arg in node.args)
    return f"(u64)((unsigned __int128){a} * {b} >> 64)"


def _parity(node: Node, name: Name) -> str:
    return f"(u32)__builtin_parityll({name(node.args[0])})"


_RULES: dict[str, Callable[[Node, Name], str]] = {
    "cat": _cat,
    "slice": _slice,
    "sext": _sign_extended,
    "rep": _repeated,
    "shl": _shift,
    "shr": _shift,
    "sar": _shift,
    "div": _division,
    "mod": _division,
    "mulh": _high_product,
    "parity": _parity,
    "divw": _long_division,
    "modw": _long_division,
}


def expression(node: Node, name: Name, columns: list[Column], memory: str = "") -> str:
    """Return the C++ expression that computes a node; `memory` is the array that a read is from."""
    op, width = node.op, node.width
    if op == "const":
        return literal(node.number, width)
    if op in _OPERATORS:
        text = f" {_OPERATORS[op]} ".join(name(arg) for arg in node.args)
        return _masked(text, width) if op in ("add", "sub", "mul") else text
    if op == "mux":
        select, high, low = (name(arg) for arg in node.args)
        return f"{select} ? {high} : {low}"
    if op in ("eq", "lt"):
        return f"{name(node.args[0])} {'==' if op == 'eq' else '<'} {name(node.args[1])}"
    if op == "read":
        return _read(node, name, columns[node.value], memory)
    return _RULES[op](node, name)
