# SPDX-License-Identifier: BSD-3-Clause
"""YAML made to hurt its reader: depth, aliases, digits, control characters, paths."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

_MOST_DEPTH, _MOST_VALUES = 64, 200_000
_DEEP = (
    f"bad.yaml:1: found more than {_MOST_DEPTH} lists and mappings within each other, expected "
    "fewer."
)
_UNPRINTABLE = "bad.yaml:3: found the character U+{}, expected printable text."
_NO_CLOCK = "bad.yaml:3: system.clock_hz: "
_NUMBER = _NO_CLOCK + "found the number {}, expected one that fits 64 bits."
_LAUGHS = "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


def _clock(value: str) -> str:
    return f"system:\n  topology: two_nodes\n  clock_hz: {value}\n"


def _elf(path: str) -> str:
    return f"system: {{topology: two_nodes}}\nworkload: {{node: {{elf: {path}}}}}\n"


LIMIT_CASES = [
    Case("lists 100,000 deep", _DEEP, "[" * 100_000),
    Case("mappings 100,000 deep", _DEEP, "{a: " * 100_000),
    Case(
        "indentation 1,000 deep",
        _DEEP.replace(":1:", ":65:"),
        "".join(f"{' ' * level}a:\n" for level in range(1_000)),
    ),
    Case(
        "an alias bomb",
        f"bad.yaml:1: found more than {_MOST_VALUES:,} values, expected fewer: an alias counts as "
        "all that it stands for.",
        f"a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{_LAUGHS}",
    ),
    Case(
        "more values than any recipe has",
        f"bad.yaml:1: found more than {_MOST_VALUES:,} values, expected fewer: an alias counts as "
        "all that it stands for.",
        f"[{'1,' * 200_001}]",
    ),
    Case(
        "a file of 5 MiB",
        "bad.yaml: found 5,242,880 bytes, expected at most 4,194,304.",
        "#" * (5 << 20),
    ),
    Case(
        "an integer of 5,000 digits", _NUMBER.format("9" * 30 + "... (5,000)"), _clock("9" * 5000)
    ),
    Case("an integer of 20 digits", _NUMBER.format("9" * 20), _clock("9" * 20)),
    Case("a number too small to be one", _NUMBER.format("1e-400"), _clock("1e-400")),
    Case(
        "hexadecimal digits",
        _NUMBER.format("0x" + "f" * 28 + "... (402)"),
        _clock("0x" + "f" * 400),
    ),
    Case("a number without end", _NUMBER.format("1e999"), _clock("1e999")),
    Case(
        "a number of nothing",
        'bad.yaml:3: system.clock_hz: found "0x_", expected a number.',
        _clock("0x_"),
    ),
    Case(
        "a tag that lies",
        _NO_CLOCK + 'found "zz", expected what its tag tag:yaml.org,2002:int says.',
        _clock("!!int zz"),
    ),
    Case(
        "a truth that is none",
        _NO_CLOCK + 'found "zz", expected what its tag tag:yaml.org,2002:bool says.',
        _clock("!!bool zz"),
    ),
    Case("a zero byte", _UNPRINTABLE.format("0000"), _clock("1\0")),
    Case("an escape sequence", _UNPRINTABLE.format("001B"), _clock("\x1b[2J")),
    Case(
        "an escaped bell",
        "bad.yaml:3: system.clock_hz: found the character U+0007, expected printable text.",
        _clock('"\\a"'),
    ),
    Case(
        "an escaped zero byte in a path",
        "bad.yaml:2: workload.node.elf: found the character U+0000, expected printable text.",
        _elf('"a\\0b"'),
    ),
    Case(
        "a key that turns the text",
        "bad.yaml:1: found the character U+202E, expected printable text.",
        '"\\u202emetsys": 1\n',
    ),
    Case(
        "a name of 5,000 characters",
        f'bad.yaml:2: workload.node.elf: found a path of 5,000 characters, "{"a" * 40}...", '
        "expected at most 2,048 bytes, 255 in one name.",
        _elf("a" * 5000),
    ),
    Case(
        "a path of 5,000 characters",
        f'bad.yaml:2: workload.node.elf: found a path of 5,000 characters, "{"a/" * 20}...", '
        "expected at most 2,048 bytes, 255 in one name.",
        _elf("a/" * 2500),
    ),
    Case(
        "nobody's home folder",
        'bad.yaml:2: workload.node.elf: found "~nosuchuser/x", expected a home folder: there is no '
        "user ~nosuchuser.",
        _elf("~nosuchuser/x"),
    ),
]
