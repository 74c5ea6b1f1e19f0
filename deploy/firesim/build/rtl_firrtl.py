# SPDX-License-Identifier: BSD-3-Clause
"""Turns the FIRRTL that Chisel 3.2 writes into what the rest of the flow can use.

Three things are changed, all in the text, since each has one exact form:
- an assertion arrives as a print and a stop; it leaves as an `assert`, which firtool 1.62 writes as
  a SystemVerilog assertion that Golden Gate can watch;
- any other print is dropped: Rocket prints every committed instruction, which the trace port
  brings out instead;
- asynchronous resets become synchronous: a target's reset is a token like any other.
"""

from __future__ import annotations

import json
import re

_ASSERTION = re.compile(
    r"^(?P<indent> *)printf\((?P<clock>[^,]+), UInt<1>\(1\), "
    r'"Assertion failed(?P<text>(?:[^"\\]|\\.)*)"\)(?P<place>[^\n]*)\n'
    r" *stop\((?P=clock), UInt<1>\(1\), 1\)[^\n]*\n",
    re.MULTILINE,
)
_PRINT = re.compile(r"^ *printf\([^\n]*\n", re.MULTILINE)
_STOP = re.compile(r"^ *stop\([^\n]*\n", re.MULTILINE)
_ASYNC_RESET = re.compile(r"\basAsyncReset\((\w+)\)")


class FirrtlError(ValueError):
    """The FIRRTL holds a construct whose meaning would be lost."""


def _as_assert(match: re.Match[str]) -> str:
    message = " ".join(match["text"].replace("\\n", " ").lstrip(": ").split()).removeprefix("at ")
    # The label carries the Scala line into Verilog readers that drop the message.
    found = re.search(r"(\w+)\.scala:(\d+)", message)
    label = f" : {found[1]}_{found[2]}" if found else ""
    return (
        f'{match["indent"]}assert({match["clock"]}, UInt<1>("h0"), UInt<1>("h1"), '
        f'"{message}"){label}{match["place"]}\n'
    )


def modernise(firrtl: str) -> str:
    """Return the FIRRTL with real assertions, no prints and synchronous resets only.

    Raises:
        FirrtlError: a `stop` that is not part of an assertion, or an AsyncReset port is left.
    """
    text = _ASSERTION.sub(_as_assert, firrtl)
    text = _PRINT.sub("", text)
    text = _ASYNC_RESET.sub(r"\1", text)
    if stop := _STOP.search(text):
        line = text.count("\n", 0, stop.start()) + 1
        raise FirrtlError(f"line {line}: a stop that is no assertion: {stop[0].strip()}")
    if place := re.search(r"[:(] *AsyncReset\b|asAsyncReset", text):
        line = text.count("\n", 0, place.start()) + 1
        raise FirrtlError(f"line {line}: an asynchronous reset that cannot be made synchronous.")
    return text


def with_module_prefix(annotations: str, top: str, prefix: str) -> str:
    """Add to an annotation file the wish that every module below `top` gets a name prefix.

    Names such as `Queue` are common; two designs that meet in one blade must not share them.
    """
    wish = {
        "class": "sifive.enterprise.firrtl.NestedPrefixModulesAnnotation",
        "target": f"~{top}|{top}",
        "prefix": prefix,
        "inclusive": False,
    }
    return json.dumps([*json.loads(annotations), wish])
