# SPDX-License-Identifier: BSD-3-Clause
"""Answers with the results of cached steps, in a copy of the source tree whose files are changed.

For each line with the name of a step it writes one of JSON: the result, and how many results of
which kinds were built for it; or what went wrong. The folder of a user's files is its argument.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from firesim.build.design import Design
from firesim_common.cache import built


def _design(mine: Path) -> Design:
    return Design(
        "mine",
        (mine / "top.sv",),
        "Mine",
        include_dirs=(mine / "inc", mine / "linked"),
        defines={"GIVEN": (mine / "given.txt").read_text().strip()},
        data_files=(mine / "declared.hex",),
    )


def _form(mine: Path) -> Path:
    from firesim.bitstream.forms import form_folder

    return form_folder(_design(mine))


def _model(engine: str) -> Callable[[Path], Path]:
    def ask(mine: Path) -> Path:
        from firesim.build.model import design_model

        return design_model(_design(mine), engine)

    return ask


def _metasim(mine: Path) -> Path:
    from firesim.build.model import metasim_model

    return metasim_model(_design(mine))


def _synthesis(mine: Path) -> Path:
    from firesim.boards.estimate import synthesized

    return synthesized(_design(mine), "ecp5")


def _board_model(mine: Path) -> Path:
    from firesim.bitstream.forms import design_form
    from firesim.boards.simulated_top import simulated_top

    form = design_form(_design(mine))
    wrapper = "module Board(input clock, input reset, output [7:0] o); Side side(.o); endmodule\n"
    return simulated_top(form, [mine / "side.sv"], "Board", wrapper)


def _switch(mine: Path) -> Path:
    from firesim.build.model_library import model_library

    return model_library(mine / "switch.cc")


def _program(mine: Path) -> Path:
    import firesim_software

    return firesim_software.program("stale")


def _agent(mine: Path) -> Path:
    from firesim_software.linux.agent import agent_programs

    return agent_programs()


def _guest(mine: Path) -> Path:
    from firesim_software.linux.guest import guest_program

    return guest_program("memload")


def _init(mine: Path) -> Path:
    from firesim_software.linux.rootfs import init_program

    return init_program("busybox")


def _firmware(mine: Path) -> Path:
    from firesim_software.linux.firmware import firmware

    return firmware()


def _initramfs(mine: Path) -> Path:
    from firesim_software.linux.description import describe
    from firesim_software.linux.rootfs import initramfs

    return initramfs(describe("stale"))


def _disk(mine: Path) -> Path:
    from firesim_software.linux.description import describe
    from firesim_software.linux.rootfs import disk_image

    return disk_image(describe("stale-disk"))


def _kernel(mine: Path) -> Path:
    from firesim_software.linux.kernel import kernel

    return kernel().image


def _tree(mine: Path) -> Path:
    from firesim.build.blade_tree import blade_device_tree

    return blade_device_tree("rocket-1")


def _rocket(mine: Path) -> Path:
    from firesim.build.rtl import rocket_soc
    from firesim.build.rtl_blade import load_blade

    return rocket_soc(load_blade("rocket-1").cores)


def _peripherals(mine: Path) -> Path:
    from firesim.build.rtl import peripherals
    from firesim.build.rtl_blade import load_blade

    return peripherals(load_blade("rocket-1"))


ASKED: dict[str, Callable[[Path], Path]] = {
    "fpga-form": _form,
    "model": _model("auto"),
    "model (Verilator)": _model("verilator"),
    "model (metasim)": _metasim,
    "synthesis": _synthesis,
    "board-model": _board_model,
    "models": _switch,
    "program": _program,
    "linux-agent": _agent,
    "linux-program": _guest,
    "linux-init": _init,
    "linux-firmware": _firmware,
    "linux-initramfs": _initramfs,
    "linux-disk": _disk,
    "linux-kernel": _kernel,
    "blade-tree": _tree,
    "rocket": _rocket,
    "peripherals": _peripherals,
}
"""Steps by name: the kind of what they leave in the cache."""


def _answer(step: str, mine: Path) -> dict[str, object]:
    built.clear()
    try:
        return {"result": str(ASKED[step](mine)), "built": dict(built)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_answer(line.strip(), Path(sys.argv[1]))), flush=True)
