# SPDX-License-Identifier: BSD-3-Clause
"""Pass `rewrite`: what happens to system tasks, and that lines stay where they were."""

from pathlib import Path

from goldengate.passes.rewrite import rewrite_text
from goldengate.tests.designs import lower, refusal, top


def test_fwrite_becomes_write() -> None:
    text, messages = rewrite_text('$fwrite(32\'h80000002, "a,b(%d)", f(x, y));')
    assert text == '$write("a,b(%d)", f(x, y));'
    assert messages == {}


def test_fatal_and_error_become_asserts_with_their_text() -> None:
    text, messages = rewrite_text(
        'if (a)\n  $error("no\\n");\nif (b) $fatal;\nif (c) $fatal(1, "x");'
    )
    assert text == "if (a)\n  assert(0);\nif (b) assert(0);\nif (c) assert(0);"
    assert messages == {2: "no", 3: "$fatal", 4: "x"}


def test_else_of_an_assert_goes_and_its_text_belongs_to_the_assert() -> None:
    text, messages = rewrite_text('ok: assert (f(a)\n  && b) else $error("bad %d",\n c);\nz;')
    assert text == "ok: assert (f(a)\n  && b) \n;\nz;"
    assert messages == {1: "bad %d"}


def test_else_of_an_if_stays() -> None:
    text, _ = rewrite_text('if (a) b; else $error("c");')
    assert text == "if (a) b; else assert(0);"


def test_comments_and_strings_are_left_alone() -> None:
    source = '// $fatal\n/* $error("x") */ s = "$finish";'
    assert rewrite_text(source) == (source, {})


def test_finish_and_stop_go() -> None:
    assert rewrite_text("if (a) $finish; else $stop(1);")[0] == "if (a) ; else ;"


def test_line_numbers_survive_the_whole_pipeline(tmp_path: Path) -> None:
    body = (
        'assign y = x;\nalways @(posedge clock)\n  if (!reset && x == 3)\n    $fatal(1,\n "three");'
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["asserts"] == [{"bit": 0, "message": "three", "source": f"{tmp_path}/top.sv:5"}]


def test_errors_unclosed_call(tmp_path: Path) -> None:
    assert refusal(tmp_path, 'module Top; initial $display("); $fwrite(1, (2;\n') == (
        "top.sv: unclosed parenthesis after $fwrite."
    )


def test_errors_missing_file(tmp_path: Path) -> None:
    import pytest

    import goldengate

    missing = str(tmp_path / "absent.sv")
    with pytest.raises(goldengate.GoldenGateError) as caught:
        goldengate.lower(goldengate.Request([missing], "Top", str(tmp_path / "out")))
    assert str(caught.value) == (
        f"{missing}: cannot be read (No such file or directory); expected a Verilog file."
    )
