# SPDX-License-Identifier: BSD-3-Clause
"""One declaration for one bridge kind: read strictly; what is made from it is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldengate.bridge_files import BEGIN, FILES
from goldengate.bridges import (
    ROOT,
    bridge_kinds,
    declarations,
    read_declaration,
    stock_bridges,
    stub_verilog,
)
from goldengate.errors import GoldenGateError
from goldengate.tests.designs import lower, top

GCD = """\
module: FireSimGcdBridge
key: gcd
description: Greatest common divisors
several: true
parameters:
  BITS: {default: 16, meaning: width of a number}
ports:
  start: {direction: out, wake: answer, meaning: a request}
  a: {direction: out, width_bits: BITS, meaning: one number}
  half: {direction: in, width_bits: BITS/2, meaning: an answer}
"""


def declared(folder: Path, text: str = GCD) -> Path:
    path = folder / "bridge.yaml"
    path.write_text(text)
    return path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(GoldenGateError) as caught:
        bridge_kinds([declared(folder, text)])
    return str(caught.value).replace(f"{folder}/", "")


def test_what_is_made_from_declarations_is_up_to_date() -> None:
    for path, make in FILES.items():
        assert path.read_text() == make(), "run: .venv/bin/python -m goldengate.bridge_files"
    assert BEGIN in (ROOT / "docs/reference/interfaces/bridges.md").read_text()


def test_every_folder_of_a_driver_declares_its_kind() -> None:
    assert [path.parent.name for path in declarations()] == [
        kind.key for kind in stock_bridges().values()
    ]
    assert {"nic", "memory", "uart"} <= {kind.key for kind in stock_bridges().values()}


def test_a_declaration_becomes_a_module(tmp_path: Path) -> None:
    kind = read_declaration(declared(tmp_path))
    assert kind.width_bits("half", {"BITS": 32}) == 16
    assert kind.width_bits("a", {}) == 16
    assert stub_verilog(kind) == (
        "(* blackbox *) module FireSimGcdBridge #(parameter BITS = 16) (\n  input clock,\n"
        "  input reset,\n  input [(1)-1:0] start,\n  input [(BITS)-1:0] a,\n"
        "  output [(BITS/2)-1:0] half\n);\nendmodule\n"
    )


def test_a_design_may_have_bridges_of_the_users_own(tmp_path: Path) -> None:
    body = (
        "FireSimGcdBridge #(.BITS(8)) gcd(.clock, .reset, .start(x[0]), .a(x), .half(y[3:0]));\n"
        "assign y[7:4] = 4'd0;"
    )
    manifest = lower(tmp_path, top(body), bridges=[str(declared(tmp_path))])
    (bridge,) = manifest["bridges"]
    assert (bridge["kind"], bridge["several"]) == ("gcd", True)
    assert bridge["wakes"] == {"start": "answer"}
    assert bridge["parameters"] == {"BITS": 8}
    widths = {port["name"]: port["width_bits"] for port in manifest["ports"]}
    assert (widths["gcd__a"], widths["gcd__half"]) == (8, 4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("several: true", "sevral: true", '4: found "sevral", expected one of the keys'),
        ("several: true", "several: 2", "4: several: found 2, expected true or false."),
        (
            "FireSimGcdBridge",
            "GcdBridge",
            '1: module: found "GcdBridge", expected FireSim<Kind>Bridge.',
        ),
        ("key: gcd", "key: Gcd", '2: key: found "Gcd", expected a name in snake case such as'),
        ("key: gcd", "key: prints", '2: key: found "prints", expected another name than that of'),
        (
            "key: gcd",
            "key: nic",
            'bridge.yaml: key: found "nic", which is that of sim/bridges/nic; expected another',
        ),
        (
            "FireSimGcdBridge",
            "FireSimNICBridge",
            'bridge.yaml: module: found "FireSimNICBridge", which is that of sim/bridges/nic;',
        ),
        ("direction: in", "direction: inn", '10: ports.half.direction: found "inn", expected'),
        ("BITS/2", "BIT/2", '10: ports.half.width_bits: found "BIT", expected one of the param'),
        ("BITS/2", "0", '10: ports.half.width_bits: found "0", expected a number of bits from 1'),
        ("BITS/2", "BITS/32", "10: ports.half.width_bits: found 0 bits by default, expected 1 to"),
        ("  half", "  reset", '10: ports.reset: found "reset", which every bridge has without'),
        ("  half", "  Half", '10: ports.Half: found "Half", expected a name of small letters'),
        (
            "wake: answer",
            "wake: yes",
            '8: ports.start.wake: found "yes", expected "answer" or "notice"',
        ),
        (
            "direction: in",
            "direction: in, wake: notice",
            '10: ports.half.wake: found "notice" at a port from host to target, expected it at one',
        ),
        (", meaning: a request", "", '8: ports.start: expected the key "meaning".'),
        ("  half", "  a", '10: ports: found key "a" twice, expected it once.'),
    ],
)
def test_a_bad_declaration_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in refused(tmp_path, GCD.replace(old, new, 1))


def test_a_declaration_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GoldenGateError, match=r"none\.yaml: cannot be read: No such file"):
        bridge_kinds([tmp_path / "none.yaml"])
