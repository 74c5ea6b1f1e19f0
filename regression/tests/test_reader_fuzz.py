# SPDX-License-Identifier: BSD-3-Clause
"""reader-fuzz itself: silent when all is well, else it names the module, whatever is broken."""

from __future__ import annotations

import re
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import goldengate
import pytest
from firesim_common.tools import python_command

from regression.fuzzers.reader_fuzz import batch, programs
from regression.fuzzers.reader_fuzz import experiment as reader_fuzz
from regression.fuzzers.reader_fuzz.constructs import CONSTRUCTS
from regression.fuzzers.reader_fuzz.modules import Module
from regression.support.experiment import Experiment

SEEDS = list(range(2001, 2026))


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what all batches share."""
    folder = tmp_path_factory.mktemp("tool")
    programs.compile_tool(folder)
    return folder


def _broken(folder: Path, tool: Path, seeds: list[int] = SEEDS) -> set[int]:
    return {one.seed for one in batch.run(folder / "batch", tool, seeds).differences}


def test_equal_modules_are_called_equal(tool: Path, tmp_path: Path) -> None:
    found = batch.run(tmp_path / "batch", tool, SEEDS)
    assert found.differences == []
    assert found.signals > 3 * len(SEEDS)


def _lower_with(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[str], str]) -> None:
    """Let Golden Gate answer with a spoilt netlist."""
    right = goldengate.lower

    def wrong(request: goldengate.Request) -> goldengate.Manifest:
        manifest = right(request)
        target = Path(request.out) / "target.v"
        target.write_text(spoil(target.read_text()))
        return manifest

    monkeypatch.setattr(goldengate, "lower", wrong)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"(= \S+) \+ ", r"\1 - "),
        (r"\$signed\((\S+)\) <", r"\1 <"),
        (r"(= \S+) & ", r"\1 | "),
        (r"posedge (\S*arst\b)", r"negedge \1"),
        (r"= 1'h1;", "= 1'h0;"),
    ],
)
def test_a_wrong_operator_is_found(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, replacement: str
) -> None:
    _lower_with(monkeypatch, lambda text: re.sub(pattern, replacement, text))
    assert _broken(tmp_path, tool)


@dataclass(frozen=True)
class Fault:
    """A fault in the passes, as Python that the compiler's process runs first.

    `construct` is what a module must hold to show it.
    """

    program: str
    construct: str


PLANTED = {
    "resets are forgotten": Fault(
        "from goldengate.passes import resets as p; p.mend = lambda _: False", "posedge arst"
    ),
    "x is left open": Fault("from goldengate.passes import undefined as p; p.FREE = 'zero'", "x"),
    "patterns with x match": Fault(
        "from goldengate.passes import undefined as p; p._cases = lambda lines: ("
        "p._UNKNOWN.sub(lambda m: m[0].replace('x', '-'), one) if 'case ' in one else one "
        "for one in lines)",
        "case item with x",
    ),
    "cases are swapped": Fault(
        "from goldengate.passes.select import _Builder as p; m = p.mux; "
        "p.mux = lambda self, low, high, *more: m(self, high, low, *more)",
        "case",
    ),
}


def _seeds_with(construct: str) -> list[int]:
    modules = (Module(seed) for seed in count(SEEDS[0]))
    return [one.seed for one in islice((m for m in modules if m.constructs[construct]), 25)]


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_in_a_pass_is_found(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fault = PLANTED[name]
    start = f"import sys; {fault.program}; from pathlib import Path; from goldengate import worker"
    program = f"{start}; sys.exit(worker.main(Path(sys.argv[1])))"
    right, planted = python_command, []

    def wrong(*arguments: str | Path) -> list[str | Path]:
        if arguments[:2] != ("-m", "goldengate.worker"):
            return right(*arguments)
        planted.append(name)
        return right("-c", program, *arguments[2:])

    monkeypatch.setattr("goldengate.compiler.python_command", wrong)
    broken = _broken(tmp_path, tool, _seeds_with(fault.construct))
    assert planted, "the compiler no longer starts its process in this way"
    assert broken


FAILING = {
    # One pattern twice in an item.
    programs.CRASHES: """\
module m1(input logic [1:0] i, output logic out_1);
always_comb begin
out_1 = i[1];
priority case (i[0])
1'b0, 1'b0: out_1 = 0;
1'b1: out_1 = 1;
default: out_1 = i[1];
endcase
end
endmodule
""",
    # A range, for more than 64 bits; the output is public, so that it is not left out.
    programs.LACKS_FUNCTION: """\
module m1(input logic [1:0] i, output logic out_1 /*verilator public_flat_rd*/);
logic [64:0] wide;
assign wide[46:0] = i;
always_comb out_1 = i[0] || (wide inside {38, [7:58]});
endmodule
""",
}
"""By the reason, what Verilator 5.48 fails on."""


def _failing(reason: str) -> type[Module]:
    """Return modules of which some seeds hold what Verilator fails on."""

    class Failing(Module):
        def text(self) -> str:
            fails = self.seed % 8 == 0
            return super().text() + (
                FAILING[reason].replace("m1(", f"k{self.seed}(") if fails else ""
            )

        def instance(self) -> str:
            fails = self.seed % 8 == 0
            more = f"\n  k{self.seed} k_{self.seed} (.i(i[1:0]), .out_1());" if fails else ""
            return super().instance() + more

    return Failing


@pytest.mark.parametrize("reason", programs.REASONS)
def test_a_failure_of_verilator_is_no_difference(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr(batch, "Module", _failing(reason))
    seeds = SEEDS[:12]
    found = batch.run(tmp_path / "batch", tool, seeds)
    assert found.differences == []
    assert found.without_oracle == {seed: reason for seed in seeds if seed % 8 == 0}
    assert found.signals > 0


@pytest.mark.parametrize("reason", programs.REASONS)
def test_a_failure_on_golden_gates_netlist_is_a_difference(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    instance = "m1 failing (.i(i[1:0]), .out_1());\nendmodule"
    _lower_with(monkeypatch, lambda text: text.replace("endmodule", instance) + FAILING[reason])
    seeds = SEEDS[:1]
    found = batch.run(tmp_path / "batch", tool, seeds)
    assert [one.seed for one in found.differences] == seeds
    assert found.without_oracle == {}


@pytest.mark.parametrize(("failed", "is_met"), [(0, True), (20, True), (21, False)])
def test_few_modules_may_have_no_oracle(tmp_path: Path, failed: int, is_met: bool) -> None:
    arguments = Namespace(quick=True, threads=1, seed=1)
    experiment = Experiment("reader-fuzz", arguments, tmp_path)
    without = dict.fromkeys(range(failed), programs.CRASHES)
    outcome = batch.Outcome(without_oracle=without, constructs=Counter(CONSTRUCTS))
    verdict = reader_fuzz._verdict(experiment, 2_000, outcome)
    assert verdict.holds is is_met
    assert f"{failed} without oracle" in verdict.figure


def test_a_process_that_would_never_run_is_always_comb() -> None:
    """IEEE 1800, 9.4.2.2: `always @*` waits for what it reads, for ever if that is nothing."""
    for seed in range(1, 1500):
        for body in re.findall(r"always @\* begin\n(.*?)\nend\n", Module(seed).text(), re.DOTALL):
            own = re.match(r"\w+", body)
            assert own
            assert set(re.findall(r"\b[a-z]\w*", body)) - {own[0]}, body


def test_a_module_follows_from_its_seed_alone() -> None:
    assert Module(7).text() == Module(7).text() != Module(8).text()


def test_every_construct_is_generated_soon() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1, 1500):
        seen.update(Module(seed).constructs)
    assert set(seen) == CONSTRUCTS
