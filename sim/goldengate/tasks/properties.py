# SPDX-License-Identifier: BSD-3-Clause
"""Concurrent assertions (SVA) as registers and wires: a sequence's threads, one for each age.

An attempt begins in every cycle. Each point of a sequence that an attempt can have reached in
this cycle is a wire; each cycle of a delay is a register. In what must hold, attempts of different
ages are kept apart, so that each fails in the cycle in which its last thread ends; in the condition
of an implication they need not be, so that delays without an end are possible there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from goldengate.tasks.source import is_token, kind, short, text

MOST_REGISTERS = 4096
MOST_CYCLES = 1024
"""The longest delay or repetition."""
Node = Any
Threads = dict[int, str]
"""By age, the wire that is 1 where an attempt of this age is at a point of its sequence."""


class Unsupported(Exception):
    """What an assertion has that is not taken."""


@dataclass(frozen=True)
class Named:
    """A declared property or sequence, or what stands for a formal argument of one."""

    node: Node
    names: dict[str, Named]


@dataclass
class Clock:
    """`posedge clock` and the condition that switches an assertion off."""

    edge: str
    disabled: str = ""


@dataclass
class Lowering:
    """The lowering of one assertion; `items` are module items, `prefix` begins their names.

    `value_of` returns the value of a constant expression, `inline` forbids what is not a condition
    of this very cycle.
    """

    clock: Clock
    prefix: str
    value_of: Callable[[Node], int | None]
    inline: bool = False
    items: list[str] = field(default_factory=list)
    registers: int = 0
    _number: int = 0
    _holds: tuple[str, ...] = ()
    _pending: dict[int, list[str]] | None = None
    """By age, what keeps an attempt alive; None where ages do not count."""

    def _name(self) -> str:
        self._number += 1
        return f"{self.prefix}_{self._number}"

    def wire(self, value: str) -> str:
        """Return a wire with this value."""
        if self.inline:
            return f"({value})"
        name = self._name()
        self.items.append(f"wire {name} = {value};")
        return name

    def register(self, value: str, always: bool = False, like: str | None = None) -> str:
        """Return a register of one bit, or `like` an expression, that takes a value at the edge."""
        self.registers += 1
        if self.inline:
            raise Unsupported("a delay in a procedure")
        if self.registers > MOST_REGISTERS:
            raise Unsupported(f"a property of more than {MOST_REGISTERS} registers")
        name = self._name()
        of = f"var type({like}) {name} = '0;" if like else f"reg {name} = 1'b0;"
        if self.clock.disabled and not always:
            value = f"!({self.clock.disabled}) && ({value})"
        self.items.append(f"{of} always @({self.clock.edge}) {name} <= {value};")
        return name

    # Expressions

    def expression(self, node: Node, names: dict[str, Named]) -> str:
        """Return the text of a condition, with formal arguments and sampled functions replaced."""
        if is_token(node):
            return str(node.rawText)
        what = kind(node)
        if what == "IdentifierName" and (bound := names.get(node.identifier.valueText)):
            if kind(bound.node) in ("PropertyDeclaration", "SequenceDeclaration"):
                raise Unsupported(f"'{text(node)}' within an expression")
            return f"({self.expression(bound.node, bound.names)})"
        if what == "InvocationExpression" and kind(node.left) == "SystemName":
            return self._function(node, names)
        if what == "SystemName" and text(node) == "$sampled":
            return ""
        return " ".join(self.expression(child, names) for child in node if child is not None)

    def _function(self, node: Node, names: dict[str, Named]) -> str:
        task = text(node.left)
        given = [each for each in node.arguments.parameters if not is_token(each)]
        if task not in ("$past", "$rose", "$fell", "$stable", "$changed", "$sampled"):
            return " ".join(self.expression(child, names) for child in node if child is not None)
        if any(kind(each) != "OrderedArgument" for each in given[1:]) or len(given) > 2:
            raise Unsupported(f"{task} with a condition or clock of its own")
        value = self.expression(given[0], names)
        if task == "$sampled":
            return f"({value})"
        if task == "$past":
            cycles = self._constant(given[1], names) if len(given) == 2 else 1
            for _ in range(cycles):
                value = self.register(value, True, like=value)
            return f"({value})"
        if len(given) == 2:
            raise Unsupported(f"{task} with a clock of its own")
        if task in ("$stable", "$changed"):
            past = self.register(value, True, like=value)
            return f"(({value}) {'==' if task == '$stable' else '!='} {past})"
        now = self.wire(value)
        past = self.register(now, True)
        return f"({now} && !{past})" if task == "$rose" else f"(!{now} && {past})"

    def _constant(self, node: Node, names: dict[str, Named]) -> int:
        while kind(node) in ("OrderedArgument", "SimplePropertyExpr", "SimpleSequenceExpr"):
            node = node[0]
        if kind(node) == "ParenthesizedExpression":
            return self._constant(node.expression, names)
        if kind(node) == "IdentifierName" and (bound := names.get(node.identifier.valueText)):
            return self._constant(bound.node, bound.names)
        value = self.value_of(node)
        if value is None:
            raise Unsupported(f"the delay '{text(node)}', which is not the same in all instances")
        if not 0 <= value <= MOST_CYCLES:
            raise Unsupported(f"a delay of more than {MOST_CYCLES} cycles")
        return value

    def _bounds(self, node: Node, names: dict[str, Named]) -> tuple[int, int | None]:
        """Return the least and the greatest number of `[a:b]`, `[a:$]` or `n`."""
        if kind(node) == "BitSelect":
            node = node.expr
        if kind(node) != "SimpleRangeSelect":
            value = self._constant(node, names)
            return value, value
        greatest = None if text(node.right) == "$" else self._constant(node.right, names)
        return self._constant(node.left, names), greatest

    # Sequences

    def _gate(self, threads: Threads, condition: str) -> Threads:
        conditions = [condition, *self._holds]
        if all(each == "1'b1" for each in conditions):
            return threads
        what = " && ".join(f"({each})" for each in conditions if each != "1'b1")
        return {age: self.wire(f"{one} && {what}") for age, one in threads.items()}

    def _step(self, threads: Threads) -> Threads:
        """Return the threads one cycle later."""
        found: Threads = {}
        for age, one in threads.items():
            if self._pending is None:
                found[age] = self.register(one)
                continue
            self._pending.setdefault(age, []).append(one)
            found[age + 1] = self.register(one)
        return self._gate(found, "1'b1") if self._holds else found

    def _either(self, first: Threads, second: Threads) -> Threads:
        found = dict(first)
        for age, one in second.items():
            found[age] = self.wire(f"{found[age]} || {one}") if age in found else one
        return found

    def _delayed(self, threads: Threads, least: int, greatest: int | None) -> Threads:
        for _ in range(least):
            threads = self._step(threads)
        if greatest is None:
            if self._pending is not None:
                raise Unsupported("a delay without an end in what must hold")
            name = self._name()
            (one,) = threads.values()
            disabled = f"!({self.clock.disabled}) && " if self.clock.disabled else ""
            hold = "".join(f" && ({each})" for each in self._holds)
            self.items.append(
                f"reg {name} = 1'b0; wire {name}_now = {one} || {name}{hold}; "
                f"always @({self.clock.edge}) {name} <= {disabled}{name}_now;"
            )
            return {0: f"{name}_now"}
        found = threads
        for _ in range(greatest - least):
            threads = self._step(threads)
            found = self._either(found, threads)
        return found

    def _repeated(
        self, once: Callable[[Threads], Threads], threads: Threads, node: Node, names: Any
    ) -> Threads:
        symbol = text(node.op)
        if symbol not in ("*", "+"):
            raise Unsupported(f"the repetition '{text(node)}'")
        least, greatest = (1, None) if node.selector is None else self._bounds(node.selector, names)
        if least == 0 or (symbol == "*" and node.selector is None):
            raise Unsupported("a repetition of no cycles")
        found: Threads = {}
        reached = once(threads)
        for number in range(1, MOST_CYCLES + 1):
            if number >= least:
                found = self._either(found, reached)
            if number == greatest:
                return found
            if greatest is None and number >= least:
                break
            reached = once(self._step(reached))
        raise Unsupported("a repetition without an end")

    def sequence(self, node: Node, threads: Threads, names: dict[str, Named]) -> Threads:
        """Return where a sequence that begins at `threads` ends."""
        what = kind(node)
        if what == "SimplePropertyExpr":
            return self.sequence(node.expr, threads, names)
        if what in ("SimpleSequenceExpr", "ParenthesizedSequenceExpr"):
            return self._simple(node, threads, names)
        if what == "DelayedSequenceExpr":
            if node.first is not None:
                threads = self.sequence(node.first, threads, names)
            for element in node.elements:
                bounds = self._element(element, names)
                threads = self.sequence(element.expr, self._delayed(threads, *bounds), names)
            return threads
        if what == "OrSequenceExpr":
            first = self.sequence(node.left, threads, names)
            return self._either(first, self.sequence(node.right, threads, names))
        if what == "ThroughoutSequenceExpr":
            hold = self.wire(self.condition(node.left, names))
            outer, self._holds = self._holds, (*self._holds, hold)
            found = self.sequence(node.right, self._gate(threads, "1'b1"), names)
            self._holds = outer
            return found
        if what == "IntersectSequenceExpr" and self._pending is not None:
            first = self.sequence(node.left, threads, names)
            second = self.sequence(node.right, threads, names)
            ages = first.keys() & second.keys()
            return {age: self.wire(f"{first[age]} && {second[age]}") for age in ages}
        raise Unsupported(f"'{short(node)}'")

    def _element(self, element: Node, names: dict[str, Named]) -> tuple[int, int | None]:
        if element.range is not None:
            return self._bounds(element.range, names)
        if element.delayVal is None:  # ##[*] and ##[+]
            return (0 if text(element.op) == "*" else 1), None
        return self._bounds(element.delayVal, names)

    def _simple(self, node: Node, threads: Threads, names: dict[str, Named]) -> Threads:
        inner = node.expr
        if getattr(node, "matchList", None) is not None:
            raise Unsupported("assignments in a sequence")

        def once(begin: Threads) -> Threads:
            if kind(node) == "ParenthesizedSequenceExpr":
                return self.sequence(inner, begin, names)
            if (bound := self.bound(inner, names)) is not None:
                return self.sequence(bound.node, begin, bound.names)
            return self._gate(begin, self.expression(inner, names))

        if node.repetition is None:
            return once(threads)
        return self._repeated(once, threads, node.repetition, names)

    def condition(self, node: Node, names: dict[str, Named]) -> str:
        """Return a sequence of one cycle as a condition."""
        while kind(node) in (
            "SimplePropertyExpr",
            "SimpleSequenceExpr",
            "ParenthesizedSequenceExpr",
        ):
            if getattr(node, "repetition", None) is not None:
                raise Unsupported(f"'{short(node)}' as a condition")
            node = node.expr
        if "SequenceExpr" in kind(node):
            raise Unsupported(f"'{short(node)}' as a condition")
        return self.expression(node, names)

    def bound(self, node: Node, names: dict[str, Named]) -> Named | None:
        """Return what a name or call of a property, sequence or formal argument stands for."""
        called = node.left if kind(node) == "InvocationExpression" else node
        if kind(called) != "IdentifierName":
            return None
        found = names.get(called.identifier.valueText)
        if found is None:
            return None
        if kind(found.node) not in ("PropertyDeclaration", "SequenceDeclaration"):
            return found
        return _instance(found, node, names)

    # Properties

    def matches(self, node: Node, begin: str, names: dict[str, Named]) -> str:
        """Return the wire that is 1 in each cycle in which a sequence that began ends."""
        outer, self._pending = self._pending, None
        found = self.sequence(node, {0: begin}, names)
        self._pending = outer
        return found[0]

    def fails(
        self, node: Node, begin: str, names: dict[str, Named], negated: bool = False
    ) -> list[str]:
        """Return wires that are 1 where a property that began at `begin` fails."""
        what = kind(node)
        if what == "PropertySpec":
            if node.clocking is not None or node.disable is not None:
                raise Unsupported("a property with a clock of its own within another one")
            return self.fails(node.expr, begin, names, negated)
        if what in ("ParenthesizedPropertyExpr", "StrongWeakPropertyExpr"):
            return self.fails(node.expr, begin, names, negated)
        if what == "SimplePropertyExpr":
            inner = node.expr
            simple = kind(inner) == "SimpleSequenceExpr" and inner.repetition is None
            bound = self.bound(inner.expr, names) if simple else None
            if bound is not None and not kind(bound.node).endswith("SequenceExpr"):
                return self.fails(bound.node, begin, bound.names, negated)
            return self._sequence_fails(inner, begin, names, negated)
        if what == "UnaryPropertyExpr" and text(node.op) == "not":
            return self.fails(node.expr, begin, names, not negated)
        if "SequenceExpr" in what:
            return self._sequence_fails(node, begin, names, negated)
        if negated:
            raise Unsupported(f"'not' of '{short(node)}'")
        return self._combined_fails(node, begin, names)

    def _combined_fails(self, node: Node, begin: str, names: dict[str, Named]) -> list[str]:
        what = kind(node)
        if what == "ImplicationPropertyExpr" and text(node.op) in ("|->", "|=>"):
            matched = self.matches(node.left, begin, names)
            if text(node.op) == "|=>":
                matched = self.register(matched)
            return self.fails(node.right, matched, names)
        if what == "AndPropertyExpr":
            return self.fails(node.left, begin, names) + self.fails(node.right, begin, names)
        if what == "ConditionalPropertyExpr":
            condition = self.wire(f"({self.expression(node.condition, names)})")
            found = self.fails(node.expr, self.wire(f"{begin} && {condition}"), names)
            if node.elseClause is not None:
                other = self.wire(f"{begin} && !{condition}")
                found += self.fails(node.elseClause.expr, other, names)
            return found
        raise Unsupported(f"'{short(node)}'")

    def _sequence_fails(
        self, node: Node, begin: str, names: dict[str, Named], negated: bool
    ) -> list[str]:
        self._pending = {}
        ends = self.sequence(node, {0: begin}, names)
        pending, self._pending = self._pending, None
        active, found = begin, []
        last = max([*ends, *pending])
        for age in range(last + 1):
            end = ends.get(age, "1'b0")
            alive = " || ".join(pending.get(age, [])) or "1'b0"
            failed = end if negated else f"!{end} && !({alive})"
            found.append(self.wire(f"{active} && {failed}"))
            if age < last:
                active = self.register(f"{active} && !{end} && ({alive})")
        return found


def _instance(found: Named, node: Node, names: dict[str, Named]) -> Named:
    """Return the body of a declared property or sequence, its formal arguments bound."""
    declaration = found.node
    if any(True for _ in declaration.variables):
        raise Unsupported("local variables")
    bound = dict(found.names)
    ports = declaration.portList.ports if declaration.portList is not None else []
    formals = [each for each in ports if not is_token(each)]
    given = []
    if kind(node) == "InvocationExpression" and node.arguments is not None:
        given = [each for each in node.arguments.parameters if not is_token(each)]
    by_name = {each.name.valueText: each.expr for each in given if kind(each) == "NamedArgument"}
    ordered = [each.expr for each in given if kind(each) == "OrderedArgument"]
    for number, formal in enumerate(formals):
        name = formal.name.valueText
        actual = by_name.get(name) or (ordered[number] if number < len(ordered) else None)
        if actual is None and formal.defaultValue is not None:
            bound[name] = Named(formal.defaultValue.expr, found.names)
        elif actual is None:
            raise Unsupported(f"'{name}' without a value")
        else:
            bound[name] = Named(actual, names)
    is_property = kind(declaration) == "PropertyDeclaration"
    return Named(declaration.propertySpec if is_property else declaration.seqExpr, bound)
