# SPDX-License-Identifier: BSD-3-Clause
"""Icarus Verilog as a reference: a bench reads the inputs of each cycle and prints the outputs.

It has four states, so the bench first sets to 0 what is unknown of the registers and memories that
our model names, as far as the text has them. A bit that it still calls unknown (`x`) says nothing.
Registers that have a value of the text's change for a moment: `always @*` waits for a change, and
until one comes, what such a process computes is unknown, also where all that it reads is known.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from firesim_common.tools import ToolError

from regression.hardware.open_cores.core import Core

PROGRAMS = ("iverilog", "vvp")
ROW, KEPT = "firesim_row", "firesim_kept"
_MOST_BITS = 16_384
"""Of a register."""
_MOST_TRIES = 6
_MOST_STOPS = 10_000
_PLAIN_PATH = re.compile(r"[A-Za-z_]\w*(\[\d+\])?(\.[A-Za-z_]\w*(\[\d+\])?)*")

State = Mapping[str, int]
"""Registers (0) and memories (their rows, which may be one) by name."""


def is_here() -> bool:
    """Whether Icarus is installed."""
    return all(shutil.which(program) for program in PROGRAMS)


def zeroed(state: State, is_original: bool) -> list[str]:
    """Return a statement for each register and memory that sets what is unknown to 0.

    In the original text, registers whose value is known change, and change back.
    """
    found = []
    for name, rows in state.items():
        if is_original and not _PLAIN_PATH.fullmatch(name):
            continue
        path = f"core.{name}" if is_original or name.isidentifier() else f"core.\\{name} "
        if rows == 0:
            known = f" else begin {KEPT} = {path}; {path} = ~{path}; #0 {path} = {KEPT}; end"
            found.append(f"    if (^{path} === 1'bx) {path} = 0;{known if is_original else ''}")
        else:
            each = f"for ({ROW} = 0; {ROW} < {rows}; {ROW} = {ROW} + 1)"
            found.append(f"    {each} if (^{path}[{ROW}] === 1'bx) {path}[{ROW}] = 0;")
    return found


def bench(
    core: Core,
    parameters: Mapping[str, str],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    clear: Sequence[str],
) -> str:
    """Return a module that drives the core from `inputs.txt`, lines of hex."""
    lines = [
        "module firesim_bench;",
        f"  reg \\{core.clock} = 0;",
        f"  integer firesim_file, firesim_got, {ROW};",
        f"  reg [{_MOST_BITS - 1}:0] {KEPT};",
    ]
    lines += [f"  reg [{width - 1}:0] \\{name} ;" for name, width in inputs.items()]
    lines += [f"  wire [{width - 1}:0] \\{name} ;" for name, width in outputs.items()]
    given = ", ".join(f".{name}({value})" for name, value in parameters.items())
    ports = ", ".join(f".\\{name} (\\{name} )" for name in (core.clock, *inputs, *outputs))
    lines.append(f"  {core.top} {f'#({given}) ' if given else ''}core ({ports});")
    scan = " ".join(["%h"] * len(inputs))
    into = ", ".join(f"\\{name} " for name in inputs)
    show = " ".join(["%b"] * len(outputs))
    shown = ", ".join(f"\\{name} " for name in outputs)
    lines += [
        "  initial begin",
        "    #0;",
        *clear,
        '    firesim_file = $fopen("inputs.txt", "r");',
        f'    firesim_got = $fscanf(firesim_file, "{scan}\\n", {into});',
        f"    while (firesim_got == {len(inputs)}) begin",
        f'      #1 $display("{show}", {shown});',
        f"      #1 \\{core.clock} = 1;",
        f"      #1 \\{core.clock} = 0;",
        f'      firesim_got = $fscanf(firesim_file, "{scan}\\n", {into});',
        "    end",
        "    $finish;",
        "  end",
        "endmodule",
    ]  # fmt: skip
    return "\n".join(lines).replace(f"reg \\{core.clock} =", f"reg \\{core.clock}  =") + "\n"


def outputs_of(
    folder: Path,
    core: Core,
    sources: Sequence[Path],
    include: Sequence[Path],
    is_original: bool,
    ports: tuple[Mapping[str, int], Mapping[str, int]],
    state: State,
    lines: Sequence[str],
) -> list[list[str]]:
    """Return the outputs in each cycle, in binary with `x`.

    Raises:
        ToolError: Icarus does not take the text, or failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "inputs.txt").write_text("\n".join(lines) + "\n")
    words: list[str | Path] = ["iverilog", "-g2012", "-s", "firesim_bench", "-o", folder / "bench"]
    if is_original:
        words += [f"-I{path}" for path in include] + ["-DSYNTHESIS"]
        words += [f"-D{n}" + (f"={v}" if v else "") for n, v in core.defines.items()]
    words += [folder / "bench.sv", *sources]
    parameters = core.parameters if is_original else {}
    clear = zeroed(state, is_original)
    for attempt in range(_MOST_TRIES):
        text = bench(core, parameters, *ports, clear)
        (folder / "bench.sv").write_text(text)
        made = subprocess.run(
            [str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False
        )
        if made.returncode == 0:
            break
        numbers = re.findall(r"bench\.sv:(\d+): error", made.stderr)
        missing = {text.splitlines()[int(number) - 1] for number in numbers}
        if attempt == _MOST_TRIES - 1 or not missing & set(clear):
            raise ToolError(f"iverilog: {made.stderr[:600]}")
        clear = [line for line in clear if line not in missing]
    done = subprocess.run(
        ["vvp", str(folder / "bench")],
        cwd=folder,
        input="cont\n" * _MOST_STOPS,  # A $stop of the text asks what to do.
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [
        line.lstrip("> ").split()
        for line in done.stdout.splitlines()
        if re.fullmatch(r"[> ]*[01xz][01xz ]*", line)
    ]
    if done.returncode or len(rows) != len(lines):
        last = (done.stderr or done.stdout).splitlines()[-1:]
        raise ToolError(f"vvp: {len(rows)} of {len(lines)} cycles: {' '.join(last)}")
    return rows
