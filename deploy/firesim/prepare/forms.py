# SPDX-License-Identifier: BSD-3-Clause
"""The forms for FPGAs of a plan's blades, and whether its bitstreams are theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError
from goldengate.sharing import PLAIN

from firesim.bitstream.database import refusal
from firesim.bitstream.forms import SCANNED, design_form, equipped, form_folder
from firesim.build.design import blade_design
from firesim.topology.plan import Plan, PlannedNode

ENTRIES = ("simulation", "fpga", "entries")


@dataclass(frozen=True)
class BoardForm:
    """What of a blade is on FPGAs."""

    folder: Path
    """The manifest is in it."""
    is_scanned: bool
    """Whether it has the scan chain, by which its state is saved and restored."""


def board_forms(plan: Plan) -> dict[str, BoardForm]:
    """Return the form of each blade with nodes on FPGAs, by the blade's name.

    Raises:
        InputError: a bitstream is of no form of its blade.
        ToolError, GoldenGateError: a form cannot be made.
    """
    of_blade = {node.blade: node for node in reversed(plan.on_boards)}
    return {blade: _form(plan, of_blade[blade]) for blade in reversed(of_blade)}


def _form(plan: Plan, node: PlannedNode) -> BoardForm:
    bitstream = node.bitstream
    assert bitstream is not None, "the plan is bound"
    entry = bitstream.entry
    design = equipped(blade_design(plan, node.blade), entry.capture, entry.memory)
    fingerprint = design_form(design).manifest.design_hash
    if entry.fingerprint == fingerprint:
        return BoardForm(form_folder(design, PLAIN), is_scanned=False)
    if (
        entry.memory is None
        and entry.fingerprint == design_form(design, SCANNED).manifest.design_hash
    ):
        return BoardForm(form_folder(design, SCANNED), is_scanned=True)
    text = refusal(bitstream.name, entry, fingerprint, f'the blade "{node.blade}"')
    raise plan.error_at((*ENTRIES, node.blade), str(text))


def scanned_blades(forms: Mapping[str, BoardForm]) -> list[str]:
    """Return the names of the blades whose bitstreams have a scan chain, sorted."""
    return sorted(blade for blade, form in forms.items() if form.is_scanned)


def check_restored(nodes: Iterable[PlannedNode], forms: Mapping[str, BoardForm]) -> None:
    """Refuse to go on from a snapshot on FPGAs that take no state.

    Raises:
        InputError: one has no scan chain.
    """
    for node in nodes:
        if node.kind.on_board and not forms[node.blade].is_scanned:
            raise InputError(
                f'--from: found the engine fpga for "{node.name}", whose bitstream has no scan '
                f"chain, expected a build with scan_chain: true."
            )
