# SPDX-License-Identifier: BSD-3-Clause
"""Options of a simulator's command line, which a blade gets from its recipe: `plusargs`.

Chisel's `plusarg_reader` has its name and width in its parameters, so what is given to it is
checked here. System tasks are seen when the Verilog is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesim_common.errors import unknown

READER = "plusarg_reader"
_ASKED = re.compile(r'\$(?:value|test)\$plusargs\s*\(\s*"([^"%=]+)=?(?:%\w+)?"')
_FORMATS = ("%d", "%h", "%x", "%b", "%o")
Value = str | None
"""A number, a text, or None for an option without a value."""


@dataclass(frozen=True)
class Option:
    """An option that a reader of the design asks for."""

    name: str
    default: int
    bits: int


def texts(given: Mapping[str, int | str | None]) -> dict[str, Value]:
    """Return options of a configuration as texts."""
    return {name: None if value is None else str(value) for name, value in given.items()}


def option_of(parameters: Mapping[str, str], number: Mapping[str, int]) -> Option:
    """Return what the parameters of a reader say; `number` has those that are numbers."""
    name = parameters["FORMAT"].strip('"').partition("=")[0]
    return Option(name, number.get("DEFAULT", 0), number.get("WIDTH", 1))


def asked_by_tasks(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names that system tasks of Verilog ask for; the texts have no comments."""
    return tuple(sorted({name for text in texts for name in _ASKED.findall(text)}))


def fault(
    given: Mapping[str, Value], options: Sequence[Option], asked: Sequence[str]
) -> tuple[str, str] | None:
    """Return the first name that is wrong, and why; None of good ones."""
    readers = {option.name: option for option in options}
    for name, value in given.items():
        if name not in readers and not any(_fits(name, one) for one in asked):
            what = "one of the options that the design asks for:"
            return name, unknown(name, what, sorted({*readers, *asked}))
        if name in readers and (why := _misfit(value, readers[name])):
            return name, why
    return None


def _fits(name: str, asked: str) -> bool:
    """Tell whether a task that asks for a name, or the beginning of one, may mean this one."""
    return name.startswith(asked)


def _misfit(value: Value, option: Option) -> str | None:
    if value is None or not value.isdecimal():
        shown = "no value" if value is None else f'"{value}"'
        return f"found {shown}, expected a number of at most {option.bits} bits."
    if int(value) >> option.bits:
        most = (1 << option.bits) - 1
        return f"found {value}, expected at most {most}: it has {option.bits} bits."
    return None


def for_tasks(given: Mapping[str, Value], options: Sequence[Option]) -> dict[str, Value]:
    """Return the options that no reader asks for."""
    readers = {option.name for option in options}
    return {name: value for name, value in given.items() if name not in readers}


def reader(given: Mapping[str, Value]) -> str:
    """Return the module that stands for each reader, with the values given."""
    values = ""
    for name, value in given.items():
        if value is not None and value.isdecimal():
            asked = " || ".join(f'FORMAT == "{name}={one}"' for one in _FORMATS)
            values += f"      {asked} ? WIDTH'(64'd{value}) :\n"
    return (
        f"// {READER}: a simulator's option, with the value that the recipe gives it.\n"
        f"module {READER} #(\n"
        f'    parameter FORMAT = "none=%d",\n'
        f"    parameter WIDTH = 1,\n"
        f"    parameter [WIDTH-1:0] DEFAULT = 0\n"
        f") (\n    output [WIDTH-1:0] out\n);\n"
        f"  localparam [WIDTH-1:0] VALUE =\n{values}      DEFAULT;\n"
        f"  assign out = VALUE;\nendmodule\n"
    )
