# SPDX-License-Identifier: BSD-3-Clause
"""From a build recipe to what goes onto the FPGA: the design's form, from the cache or new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import listed, unknown
from goldengate import Manifest
from goldengate.fpga_form import FpgaForm, fpga_form
from goldengate.sharing import PLAIN, Sharing, shared_form
from goldengate.sharing.exclusions import CAPTURE, HOST_RTL, MULTI_CYCLE, SCAN, THREADS, excluded

from firesim.bitstream.builders.base import BitBuilder, Wanted
from firesim.bitstream.builders.make import builder_for
from firesim.boards.board import Board
from firesim.boards.known import all_boards, board_names, known_board
from firesim.build.design import Design, captured, stock_design
from firesim.build.memory_hardware import KEY as MEMORY
from firesim.build.names import blade_names
from firesim.build.rtl_blade import WITH_HTIF
from firesim.config.bitstream import BuildRecipe, LoadedBuilds, VerilogSource
from firesim.config.capture import Captured
from firesim.config.loaded import is_file
from firesim.config.memory_hardware import MemoryHardware
from firesim.config.own_blade import reset_level, reset_name

SCANNED = Sharing(scan_chain=True)
"""The form whose state can be had."""
_KEYS = {
    MULTI_CYCLE: "multi_cycle_memories",
    THREADS: "supernode",
    SCAN: "scan_chain",
    CAPTURE: "capture",
    HOST_RTL: "memory",
}
"""What asks for each feature of a form in a build recipe."""


def form_folder(design: Design, sharing: Sharing = PLAIN) -> Path:
    """Return the folder with the form of a design that shares resources, and its manifest.

    Raises:
        GoldenGateError: the design is refused.
    """
    from goldengate.cache_key import compiler_key
    from goldengate.channels import RTL

    key: list[KeyPart] = [*design.key(), *compiler_key("auto", design.bridges), RTL, "fpga form"]
    key += sharing.key()
    return cached(
        "fpga-form", key, lambda work: _make(design, sharing, work), places=design.places()
    )


def design_form(design: Design, sharing: Sharing = PLAIN) -> FpgaForm:
    """Return the form of a design that shares resources.

    Raises:
        GoldenGateError: the design is refused.
    """
    folder = form_folder(design, sharing)
    manifest = Manifest.read(folder)
    assert manifest.host is not None
    return FpgaForm([folder / name for name in manifest.host.files], manifest.host.top, manifest)


def _make(design: Design, sharing: Sharing, folder: Path) -> None:
    request = design.request(folder, "auto")
    made = shared_form(request, sharing) if sharing else fpga_form(request)
    made.manifest.from_folder(design.folder()).write(folder)


def build_form(loaded: LoadedBuilds, name: str) -> FpgaForm:
    """Return the form of a build.

    Raises:
        ToolError, GoldenGateError: the design cannot be made.
    """
    recipe = loaded.file.builds[name]
    threads = recipe.blades if recipe.supernode else 1
    sharing = Sharing(recipe.multi_cycle_memories, threads, recipe.scan_chain)
    return design_form(build_design(loaded, name), sharing)


def equipped(
    design: Design, capture: Captured | None = None, memory: MemoryHardware | None = None
) -> Design:
    """Return a design as it is in a bitstream with these signals captured and this memory in RTL.

    Its fingerprint is that of the bitstream; gates do not change it.
    """
    in_rtl = design.host_rtl if memory is None else {MEMORY: memory.parameters()}
    return replace(captured(design, capture), host_rtl=in_rtl)


def build_design(loaded: LoadedBuilds, name: str) -> Design:
    """Return the design of a build, elaborated if it is a blade of ours.

    Raises:
        ToolError: a generator failed.
    """
    recipe = loaded.file.builds[name]
    design = equipped(_plain_design(loaded, recipe), recipe.capture, recipe.memory_in_rtl)
    found = known_board(recipe.board)
    by_vivado = found is not None and found[1].on_pcie
    return replace(design, gates=_has_gates(recipe), block_memories=by_vivado)


def _has_gates(recipe: BuildRecipe) -> bool:
    if recipe.gates is not None:
        return recipe.gates
    found = known_board(recipe.board)
    return found is not None and found[1].on_pcie


def _plain_design(loaded: LoadedBuilds, recipe: BuildRecipe) -> Design:
    if recipe.verilog is not None:
        return _verilog(loaded.folder, recipe.verilog)
    assert recipe.blade is not None
    if is_file("blade", recipe.blade):
        return stock_design(str((loaded.folder / recipe.blade).absolute()))
    return stock_design(recipe.blade)


def _verilog(folder: Path, given: VerilogSource) -> Design:
    return Design(
        given.top,
        tuple((folder / text).absolute() for text in given.sources),
        given.top,
        clock=given.clock,
        reset=reset_name(given.reset),
        reset_active=reset_level(given.reset),
        parameters=given.parameters,
        defines=given.defines,
        include_dirs=tuple((folder / text).absolute() for text in given.include_dirs),
    )


def check_builds(loaded: LoadedBuilds, only: list[str]) -> dict[str, tuple[str, Board, BitBuilder]]:
    """Return board and builder of each build that is wanted, all if `only` names none.

    Raises:
        InputError: one is wrong; nothing has been started.
    """
    for name in only:
        _check_name(loaded, name)
    return {name: _checked(loaded, name) for name in only or loaded.file.builds}


def _check_name(loaded: LoadedBuilds, name: str) -> None:
    if name not in loaded.file.builds:
        text = unknown(name, "one of the builds", list(loaded.file.builds))
        raise loaded.source.error((), f"builds: {text}")


def check_board(loaded: LoadedBuilds, name: str) -> tuple[str, Board]:
    """Return the board of a build, which need not be one that anybody here can build for.

    Raises:
        InputError: the build is wrong; nothing has been started.
    """
    _check_name(loaded, name)
    recipe = loaded.file.builds[name]
    if (recipe.blade is None) == (recipe.verilog is None):
        raise loaded.error(name, "", 'expected exactly one of the keys "blade" and "verilog".')
    _check_features(loaded, name, recipe)
    is_name = recipe.blade is not None and not is_file("blade", recipe.blade)
    if is_name and str(recipe.blade).removesuffix(WITH_HTIF) not in blade_names():
        text = unknown(str(recipe.blade), "one of the blades", blade_names())
        raise loaded.error(name, "blade", text)
    for text in _files(recipe):
        if not (loaded.folder / loaded.source.file(("builds", name), text)).is_file():
            raise loaded.error(name, "", f'found "{text}", expected a file that exists.')
    found = known_board(recipe.board)
    if found is None:
        text = unknown(recipe.board, "one of the boards", board_names())
        raise loaded.error(name, "board", text)
    if recipe.address is not None and not (found[1].way and found[1].way.HAS_ADDRESS):
        raise loaded.error(name, "address", f"found {found[0]}, expected a board on Ethernet.")
    if recipe.blades > (most := found[1].most_blades):
        text = f"found {recipe.blades}, expected {most} at most: what the top of {found[0]} takes."
        raise loaded.error(name, "blades", text)
    if recipe.memory == "rtl" and not found[1].has_dram_port:
        able = [each for each, board in all_boards().items() if board.has_dram_port]
        text = (
            f'found "rtl" for {found[0]}, expected "host": only the top of {listed(able)} has DRAM.'
        )
        raise loaded.error(name, "memory", text)
    return found


def _check_features(loaded: LoadedBuilds, name: str, recipe: BuildRecipe) -> None:
    """Refuse what no form has together, and what means nothing alone."""
    if recipe.memory_hardware is not None and recipe.memory == "host":
        raise loaded.error(name, "memory_hardware", 'found it without "memory: rtl".')
    if recipe.supernode and recipe.blades == 1:
        text = "found it with one blade, expected blades: 2 at least."
        raise loaded.error(name, "supernode", text)
    wanted = {
        MULTI_CYCLE: recipe.multi_cycle_memories,
        THREADS: recipe.supernode,
        SCAN: recipe.scan_chain,
        CAPTURE: recipe.capture is not None,
        HOST_RTL: recipe.memory == "rtl",
    }
    if found := excluded(wanted):
        text = f"it cannot be combined with {_KEYS[found.other]}: {found.why}. Remove one."
        raise loaded.error(name, _KEYS[found.feature], text)


def _checked(loaded: LoadedBuilds, name: str) -> tuple[str, Board, BitBuilder]:
    found = check_board(loaded, name)
    recipe = loaded.file.builds[name]
    builder = builder_for(found[1], recipe, loaded.file.builders)
    if isinstance(builder, str):
        raise loaded.error(name, "builder", builder)
    if reason := builder.refusal(found[0], found[1], recipe):
        raise loaded.error(name, "", reason)
    return (*found, builder)


def _files(recipe: BuildRecipe) -> list[str]:
    if recipe.verilog is not None:
        return recipe.verilog.sources
    return [recipe.blade] if recipe.blade is not None and is_file("blade", recipe.blade) else []


def wanted_build(
    loaded: LoadedBuilds, name: str, board_name: str, board: Board, builder: BitBuilder
) -> Wanted:
    """Return a build with its form.

    Raises:
        ToolError, GoldenGateError: the design cannot be made.
    """
    recipe = loaded.file.builds[name]
    form = build_form(loaded, name)
    clock = recipe.frequency_mhz or builder.clock_mhz(board)
    return Wanted(name, recipe, board_name, board, form, clock)
