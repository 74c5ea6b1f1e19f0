# SPDX-License-Identifier: BSD-3-Clause
"""Pass `rewrite`: what happens to system tasks, and that lines stay where they were."""

from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError, Request
from goldengate.passes import rewrite
from goldengate.state import State
from goldengate.tests.designs import lower, names, refusal, top, write


def rewritten(folder: Path, text: str) -> State:
    """Return the state after the pass, of one file."""
    state = State(Request([str(write(folder, text))], "Top", str(folder / "out")))
    rewrite.run(state)
    return state


def text_of(state: State) -> str:
    """Return the text the reader reads."""
    return state.sources[0].read_text()


def test_a_call_is_numbered_and_has_the_arguments_that_are_no_text(tmp_path: Path) -> None:
    body = (
        'assign y = x;\nalways @(posedge clock)\n  $fwrite(32\'h80000002, "a,b(%s)%d", "t",\n x);'
    )
    state = rewritten(tmp_path, top(body))
    assert text_of(state) == top(
        'assign y = x;\nalways @(posedge clock)\n  $write("firesim:0:%d", x);\n'
    )
    assert state.calls[0].place == f"{tmp_path}/top.sv:4"


def test_a_text_without_tasks_is_read_as_it_is(tmp_path: Path) -> None:
    state = rewritten(tmp_path, top('// $fatal\n/* $error("x") */ assign y = x;'))
    assert state.sources == [tmp_path / "top.sv"] and state.calls == []


def test_an_assert_with_an_else_is_a_condition(tmp_path: Path) -> None:
    body = (
        'always @(posedge clock)\n  ok: assert (x\n < 3) else $error("bad %d",\n x);\nassign y = x;'
    )
    state = rewritten(tmp_path, top(body))
    assert text_of(state) == top(
        "always @(posedge clock)\n  begin if ( x < 3 ) begin ; end else begin "
        '$write("firesim:1:%d", x); end end\n\n\nassign y = x;'
    )


def test_calls_behind_macros_and_in_included_files(tmp_path: Path) -> None:
    write(tmp_path, '`SAY("included", x + 1)\n', "say.svh")
    body = (
        "`define SAY(what, value) always @(posedge clock) \\\n"
        "  if (value == 3) $display(what, value);\n"
        '`SAY("macro %0d",\n  x)\n`include "say.svh"\nassign y = x;\n'
        'always @(posedge clock) if (x == 9) $error("last");'
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["prints"][0]["source"] == f"{tmp_path}/say.svh:1"
    assert manifest["prints"][1]["source"] == f"{tmp_path}/top.sv:4"
    assert manifest["prints"][1]["pieces"][0] == "macro "
    assert manifest["asserts"] == [{"bit": 0, "message": "last", "source": f"{tmp_path}/top.sv:8"}]


def test_a_file_that_is_no_utf_8_and_one_with_a_mark(tmp_path: Path) -> None:
    for raw in (b"// gr\xfc\xdfe\n", b"\xef\xbb\xbf// mark\r\n"):
        text = top('assign y = x; always @(posedge clock) $display("%s", "t");').encode()
        (tmp_path / "top.sv").write_bytes(raw + text)
        request = Request([str(tmp_path / "top.sv")], "Top", str(tmp_path / "out"))
        (print_,) = goldengate.lower(request).prints
        assert print_.pieces == ["t\n"] and print_.source == f"{tmp_path}/top.sv:3"


def test_scopes_of_arrays_and_subroutines(tmp_path: Path) -> None:
    sub = "module Sub(input clock);\n"
    sub += 'always @(posedge clock) begin : b $display("%m"); end\nendmodule\n'
    body = (
        "assign y = x; Sub u[1:0](.clock);\n"
        "for (genvar i = 0; i < 2; i++) begin : g Sub v(.clock);\n"
        '  if (i == 1) begin always @(posedge clock) $display("%m"); end end\n'
        'task t(input z); $display("%m"); endtask always @(posedge clock) t(x[0]);'
    )
    manifest = lower(tmp_path, sub + top(body))
    assert sorted(one["pieces"][0].strip() for one in manifest["prints"]) == [
        "Top.g[0].v.b",
        "Top.g[1].genblk1",
        "Top.g[1].v.b",
        "Top.t",
        "Top.u[0].b",
        "Top.u[1].b",
    ]


def test_line_numbers_survive_the_whole_pipeline(tmp_path: Path) -> None:
    body = (
        'assign y = x;\nalways @(posedge clock)\n  if (!reset && x == 3)\n    $fatal(1,\n "three");'
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["asserts"] == [{"bit": 0, "message": "three", "source": f"{tmp_path}/top.sv:5"}]


def test_finish_and_stop_end_the_blade_after_what_fails(tmp_path: Path) -> None:
    body = (
        "assign y = x;\nalways @(posedge clock) begin\n  if (x == 1) $finish;\n"
        "  if (x == 2) $stop(1);\n  if (x == 3) $fatal;\nend"
    )
    manifest = lower(tmp_path, top(body))
    assert names(manifest["asserts"], "message") == ["$fatal", "$finish", "$stop"]
    assert [one.get("ends") for one in manifest["asserts"]] == [None, "finish", "stop"]


def test_what_cannot_be_printed_is_said_with_its_place(tmp_path: Path) -> None:
    body = (
        "assign y = x;\ninitial $finish;\nalways @(posedge clock) $strobe(x);\n"
        'always_comb if (x == 3) $display("comb");\n\n'
        'always @(posedge clock) $display("%s", $sformatf("%d", x));'
    )
    warnings = "\n".join(lower(tmp_path, top(body))["warnings"]).replace(f"{tmp_path}/", "")
    assert "top.sv:3: $finish in an initial or final block is left out." in warnings
    assert "top.sv:4: $strobe prints after the cycle and is left out." in warnings
    assert "top.sv:5: prints at no rising edge of 'clock' are left out." in warnings
    assert "top.sv:7: $display prints what is no number" in warnings


def test_errors_formats(tmp_path: Path) -> None:
    print_ = 'assign y = x;\nalways @(posedge clock) $display("%s", x);'
    assert "letter" not in str(lower(tmp_path, top(print_))["warnings"])
    for format_, message in (
        ("%d %d", "no argument provided for '%d' format specifier."),
        ("%q", "unknown format specifier '%q'."),
        ("%12p", "field width not allowed on '%p' format specifiers."),
    ):
        text = top(print_.replace("%s", format_))
        assert refusal(tmp_path, text) == f"top.sv:3: {message}"
    wide = print_.replace("%s", "%9999d")
    assert refusal(tmp_path, top(wide)) == (
        "top.sv:3: found '%9999d' in a format, expected a width of at most 4096 characters."
    )


def test_errors_missing_file(tmp_path: Path) -> None:
    missing = str(tmp_path / "absent.sv")
    with pytest.raises(GoldenGateError) as caught:
        goldengate.lower(Request([missing], "Top", str(tmp_path / "out")))
    assert str(caught.value) == (
        f"{missing}: cannot be read (No such file or directory); expected a Verilog file."
    )
