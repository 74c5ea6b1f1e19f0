# SPDX-License-Identifier: BSD-3-Clause
"""Random statements that assign one variable in a process or a function."""

from __future__ import annotations

from regression.fuzzers.reader_fuzz.expressions import Text, Vector

_CASES = ("case", "casez", "casex", "unique case", "priority case", "case inside", "unique casez")


class Statements:
    """Writes statements that assign `target` with `operator`; `text` chooses.

    `may_part` says that parts of the target may be assigned.
    """

    def __init__(self, text: Text, target: Vector, operator: str, may_part: bool = True) -> None:
        self.text = text
        self.target = target
        self.operator = operator
        self.may_part = may_part and target.left is not None
        self.locals = 0

    def assign(self) -> str:
        """Return an assignment to the target or a part of it."""
        text, target = self.text, self.target
        left = target.name
        if self.may_part and text.random.random() < 0.4:
            kind = text.one_of("to a part", "to a bit", "to a variable bit", "to +:", "to -:")
            size = text.random.choice([one for one in (1, 2, 3, 4, 8) if one <= target.width])
            if kind == "to a part":
                left = target.part(target.low + text.random.randint(0, target.width - size), size)
            elif kind == "to a bit":
                left = f"{target.name}[{target.low + text.random.randrange(target.width)}]"
            elif kind == "to a variable bit":
                left = f"{target.name}[{text.index(target.width + target.low)}]"
            else:
                start = f"{size}*{text.index(max(1, target.width // size))}"
                left = text.aligned(target, size, kind[3:], start)
        return f"{left} {self.operator} {text.expression()};"

    def statement(self, depth: int = 2) -> str:
        """Return a statement."""
        text = self.text
        if depth <= 0 or text.random.random() < 0.25:
            return self.assign()
        kind = text.one_of("if", "if else", "case", "for", "block", "block with a local")
        if kind == "if":
            return f"if ({text.condition()}) {self.statement(depth - 1)}"
        if kind == "if else":
            first = f"begin {self.statement(depth - 1)} end"
            return f"if ({text.condition()}) {first} else {self.statement(depth - 1)}"
        if kind == "case":
            return self._case(depth)
        if kind == "for":
            return self._for()
        if kind == "block":
            return f"begin {self.statement(depth - 1)} {self.statement(depth - 1)} end"
        return self._with_local(depth)

    def _case(self, depth: int) -> str:
        text, rng = self.text, self.text.random
        kind = text.one_of(*_CASES)
        subject = rng.choice(text.vectors)
        width = min(subject.width, 4)
        low = subject.low
        what = subject.name if subject.left is None else subject.part(low, width)
        head, _, tail = kind.partition(" inside")
        lines = [f"{head} ({what}){' inside' if kind.endswith('inside') else ''}"]
        for _ in range(rng.randint(1, 4)):
            patterns = [self._item(kind, width) for _ in range(rng.choice((1, 1, 2)))]
            if kind == "priority case":
                # Verilator 5.48 crashes on some such items that hold one pattern twice.
                patterns = list(dict.fromkeys(patterns))
            items = ", ".join(patterns)
            lines.append(f"  {items}: {self.statement(depth - 1)}")
        if text.happens(0.7, "default"):
            lines.append(f"  default: {self.statement(depth - 1)}")
        elif text.happens(0.3, "default of x"):
            lines.append(f"  default: {self.target.name} {self.operator} 'x;")
        return "\n".join([*lines, "endcase"])

    def _item(self, kind: str, width: int) -> str:
        rng = self.text.random
        if kind == "case inside" and self.text.happens(0.2, "range of case inside"):
            low, high = sorted(rng.randrange(1 << width) for _ in range(2))
            return f"[{width}'d{low}:{width}'d{high}]"
        bits = [rng.choice("01") for _ in range(width)]
        wild = {"casez": "?z", "unique casez": "?", "casex": "?xz", "case inside": "?"}.get(kind)
        if wild:
            bits = [rng.choice(wild) if rng.random() < 0.3 else bit for bit in bits]
        elif self.text.happens(0.05, "case item with x"):
            bits[rng.randrange(width)] = "x"
        return f"{width}'b{''.join(bits)}"

    def _for(self) -> str:
        text, target, readable = self.text, self.target, self.text.vectors
        if not self.may_part:
            return self.assign()
        if self.operator == "<=":
            # Verilator 5.48 lets a loop see what it assigns without blocking.
            text.vectors = [one for one in readable if one != target]
        last = target.low + min(target.width, 12) - 1
        step = text.random.choice((1, 1, 2))
        body = f"{target.name}[k] {self.operator} {text.condition()} ^ (k[0] & {text.condition()});"
        if text.happens(0.2, "break"):
            body = f"if ({text.condition()} && k > {target.low + 1}) break; {body}"
        elif text.happens(0.2, "continue"):
            body = f"if (k % 3 == 1) continue; {body}"
        head = f"for (int k = {target.low}; k <= {last}; k += {step})"
        if text.happens(0.2, "foreach"):
            head = f"foreach ({target.name}[k])"
        text.vectors = readable
        return f"{head} begin {body} end"

    def _with_local(self, depth: int) -> str:
        text = self.text
        self.locals += 1
        local = text.vector(f"l{self.locals}_{target_suffix(self.target)}_{depth}")
        first = f"{local.name} = {text.expression()};"
        text.vectors.append(local)
        inner = self.statement(depth - 1)
        more = f"if ({text.condition()}) {local.name} = {text.expression(2)};"
        after = self.assign()
        text.vectors.remove(local)
        declared = f"automatic logic {local.shape}{local.name};"
        return f"begin {declared} {first} {inner} {more} {after} end"


def target_suffix(target: Vector) -> str:
    """Return what makes the names of locals differ from those of other processes."""
    return target.name
