# SPDX-License-Identifier: BSD-3-Clause
"""An entry of `config_hwdb.yaml` with its build recipe: which design it is, with which memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesim_common.errors import InputError, unknown
from firesim_common.positions import KeyPath, Source
from firesim_common.regular_file import read_regular

from firesim.importing.designs import Design, design_by_name, design_of, foreign
from firesim.importing.generated import generated_target
from firesim.importing.keys import TAKEN, Notes, mapping, value_at
from firesim.importing.kinds import read
from firesim.importing.memory_settings import MemoryModel, settings

_BITSTREAM = "bitstreams are built again, see docs/how-to/build-bitstreams.md"
ENTRY = {
    "agfi": _BITSTREAM,
    "bitstream_tar": _BITSTREAM,
    "xclbin": _BITSTREAM,
    "driver_tar": "drivers are part of firesim-sim",
    "deploy_quintuplet_override": TAKEN,
    "deploy_triplet_override": TAKEN,
    "deploy_makefrag_override": "there are no makefrags",
    "custom_runtime_config": TAKEN,
}
RECIPE = {
    "PLATFORM": "boards are named in deploy/builds",
    "TARGET_PROJECT": "the blade says it",
    "TARGET_PROJECT_MAKEFRAG": "there are no makefrags",
    "DESIGN": TAKEN,
    "TARGET_CONFIG": TAKEN,
    "PLATFORM_CONFIG": TAKEN,
    "deploy_quintuplet": TAKEN,
    "deploy_triplet": TAKEN,
    "platform_config_args": _BITSTREAM,
    "post_build_hook": "nothing runs after a build",
    "metasim_customruntimeconfig": TAKEN,
    "bit_builder_recipe": _BITSTREAM,
    "bit_builder_arg_overrides": _BITSTREAM,
}
_OVERRIDES = ("deploy_quintuplet_override", "deploy_triplet_override")
_PARTS = ("PLATFORM", "TARGET_PROJECT", "DESIGN", "TARGET_CONFIG", "PLATFORM_CONFIG")
MOST_CONF_BYTES = 1 << 16


@dataclass(frozen=True)
class Files:
    """Where the hardware is described."""

    hwdb: Path | None
    recipes: Path | None
    custom_configs: tuple[Path, ...]
    """Folders of the custom runtime configurations."""
    generated: tuple[Path, ...]
    """Folders of the hardware that was generated."""


@dataclass(frozen=True)
class Hardware:
    """What was found of one entry."""

    design: Design
    said_by: str
    """Where the design was read, for a comment."""
    target: Path | None = None
    """Its FIRRTL, for a design that none of our blades is."""


def hardware(
    name: str, asked: tuple[Source, KeyPath], files: Files, blade: str | None, notes: Notes
) -> Hardware:
    """Return what the entry `name` is; `asked` says where its name was read.

    Raises:
        InputError: no such entry, or a design that is none of ours and no blade is given.
    """
    database = read(files.hwdb, "hwdb") if files.hwdb else None
    recipes = read(files.recipes, "recipes") if files.recipes else None
    entries = [one for one in (database, recipes) if one is not None and name in one.data]
    if not entries:
        source, path = asked
        if database is None:
            raise source.error(
                path, f'found "{name}", expected a file that says what it is: --hwdb.'
            )
        known = unknown(name, f"one of the entries of {database.name}:", list(database.data))
        raise source.error(path, known)
    for one in entries:
        mapping(one, (name,))
        notes.keys(one, (name,), ENTRY if one is database else RECIPE)
    found = _design(name, entries, blade, files.generated)
    design = found.design
    for word in design.left:
        notes.lines.append(f"{found.said_by}: {word} of the design: no counterpart.")
    for what in design.assumed:
        notes.lines.append(f"{found.said_by}: assumed: {what}.")
    _custom(name, entries, files, design.memory, notes)
    return found


def _design(
    name: str, entries: list[Source], blade: str | None, generated: tuple[Path, ...]
) -> Hardware:
    for source in entries:
        path, text = _quintuplet(source, name)
        if text:
            place = source.place(path)
            try:
                return Hardware(design_of(text), place)
            except ValueError as error:
                target = generated_target(generated, text) if blade is None else None
                if blade is None and target is None:
                    raise source.error(path, str(error)) from error
                return Hardware(Design(blade or "", MemoryModel()), place, target)
    place = entries[0].place((name,))
    named = design_by_name(name)
    if named is None and blade is None:
        raise entries[0].error((name,), foreign(name))
    return Hardware(named or Design(blade or "", MemoryModel()), place)


def _quintuplet(source: Source, name: str) -> tuple[KeyPath, str | None]:
    entry = source.data[name]
    for key in (*_OVERRIDES, "deploy_quintuplet", "deploy_triplet"):
        if isinstance(entry.get(key), str):
            return (name, key), entry[key]
    if "TARGET_CONFIG" in entry:
        return (name, "TARGET_CONFIG"), "-".join(str(entry.get(key)) for key in _PARTS)
    return (name,), None


def _custom(
    name: str, entries: list[Source], files: Files, memory: MemoryModel, notes: Notes
) -> None:
    """Take the custom runtime configuration of an entry into the memory of its design."""
    for source in entries:
        for key in ("custom_runtime_config", "metasim_customruntimeconfig"):
            given = value_at(source, (name, key))
            if not given:
                continue
            path = source.file((name, key), str(given))
            folders = [Path(source.name).parent, *files.custom_configs]
            there = next((folder / path for folder in folders if (folder / path).is_file()), None)
            if there is None:
                looked = " or ".join(str(folder) for folder in folders[:2])
                text = f'found "{given}", expected a file in {looked}; see --custom-configs.'
                raise source.error((name, key), text)
            content, _ = read_regular(there, MOST_CONF_BYTES, follow=True, name=str(there))
            try:
                settings(memory, Source(None, str(there)), content.decode(), notes)
            except UnicodeDecodeError as error:
                raise InputError(f"{there}: found bytes that are not text, expected it.") from error
            return
