# SPDX-License-Identifier: BSD-3-Clause
"""A blade file joined with those it extends, each value keeping the file and line it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesim_common.errors import InputError, unknown
from firesim_common.positions import KeyPath, Source, read_yaml

from firesim.build.parts import FILE, PARTS, peripheral_names, shown_path

LISTS = ("parts", "events", "probes")
"""Keys whose values follow those of the blade that is extended."""


OBSERVING = {"description", "extends", "events", "probes"}
"""Keys by which a blade looks at another one, and changes nothing of it."""


def machine(path: Path, blades: Path) -> str:
    """Return the name of the hardware that a blade is: of one that only observes, what it observes.

    Software finds it in the device tree, which is therefore the same with and without events.

    Raises:
        InputError: not YAML, or an extended blade that does not exist.
    """
    own = read_yaml(path, shown_path(path))
    if isinstance(own.data, dict) and set(own.data) <= OBSERVING:
        extended = own.data.get("extends")
        if isinstance(extended, str):
            return machine(_extended(extended, own, path, blades), blades)
    return path.stem


def merged(path: Path, blades: Path) -> Source:
    """Return the values of a blade file over those of the blades it extends.

    Mappings are joined key by key, lists follow one another, a part with the name of an inherited
    one takes its place, and those named in `without` are left out. Parts are mappings whose key
    `part` is the path of a folder.

    Raises:
        InputError: not YAML, a part or blade that does not exist, or blades that extend each other.
    """
    return _merged(path, blades, ())


def _merged(path: Path, blades: Path, below: tuple[Path, ...]) -> Source:
    own = read_yaml(path, shown_path(path))
    if not isinstance(own.data, dict):
        raise own.error((), "found no keys and values, expected those of a blade.")
    _parts(own, path.parent)
    _probes(own, path.parent)
    without = own.data.pop("without", [])
    extended = own.data.get("extends")
    if not isinstance(extended, str):
        if without:
            raise own.error(("without",), 'found it without the key "extends", expected both.')
        return own
    base_path = _extended(extended, own, path, blades)
    chain = (*below, path.resolve())
    if base_path.resolve() in chain:
        names = " extends ".join(part.stem for part in [*chain, base_path])
        raise own.error(("extends",), f"found a circle: {names}.")
    base = _merged(base_path, blades, chain)
    _leave_out(base, without, own)
    _replace(base, own)
    return _over(base, own)


def _extended(name: str, own: Source, path: Path, blades: Path) -> Path:
    """Return the file of the blade that is extended."""
    if "/" in name or name.endswith(".yaml"):
        found = path.parent / own.file(("extends",), name)
        if not found.is_file():
            raise own.error(("extends",), f'found "{name}", expected a file that exists.')
        return found
    known = sorted(file.stem for file in blades.glob("*.yaml"))
    beside = path.parent / own.file(("extends",), f"{name}.yaml")
    if name not in known and beside.is_file():
        return beside
    if name not in known:
        raise own.error(("extends",), unknown(name, "one of the blades", known))
    return blades / f"{name}.yaml"


def _probes(own: Source, folder: Path) -> None:
    """Make every probe the path of a file that is there."""
    listed = own.data.get("probes")
    for index, given in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(given, str):
            file = (folder / own.file(("probes", index), given)).resolve()
            if not file.is_file():
                raise own.error(("probes", index), f'found "{given}", expected a file.')
            listed[index] = str(file)


def _parts(own: Source, folder: Path) -> None:
    """Make every part of the list a mapping with the path of the part's folder."""
    listed = own.data.get("parts")
    if not isinstance(listed, list):
        return
    for index, given in enumerate(listed):
        entry = {"part": given} if isinstance(given, str) else given
        if isinstance(entry, dict) and isinstance(entry.get("part"), str):
            place: KeyPath = ("parts", index)
            entry = {**entry, "part": str(_folder(entry["part"], folder, own, place))}
        listed[index] = entry


def _folder(name: str, beside: Path, own: Source, place: KeyPath) -> Path:
    if "/" in name:
        found = (beside / own.file(place, name)).resolve()
        if not (found / FILE).is_file():
            raise own.error(place, f'found "{name}", expected a folder with a {FILE}.')
        return found
    if name not in peripheral_names():
        raise own.error(place, unknown(name, "one of the parts", peripheral_names()))
    return PARTS / name


def _name(part: Any) -> str:
    """Return the name of the instance of an entry that has not been checked."""
    if not isinstance(part, dict):
        return ""
    return str(part.get("name") or Path(str(part.get("part"))).name)


def _leave_out(base: Source, without: Any, own: Source) -> None:
    if not isinstance(without, list):
        raise own.error(("without",), "found no list, expected names of parts.")
    for index, name in enumerate(without):
        known = [_name(part) for part in base.data.get("parts", [])]
        if name not in known:
            text = unknown(str(name), "one of the parts of the blade it extends", known)
            raise InputError(f"{own.place(('without', index))}: without[{index}]: {text}")
        _remove(base, known.index(name))


def _replace(base: Source, own: Source) -> None:
    """Forget the inherited parts that the file itself lists again."""
    listed = own.data.get("parts")
    for part in listed if isinstance(listed, list) else []:
        known = [_name(other) for other in base.data.get("parts", [])]
        if _name(part) in known:
            _remove(base, known.index(_name(part)))


def _remove(base: Source, index: int) -> None:
    """Remove an entry of the list `parts`, with its places."""
    del base.data["parts"][index]
    places: dict[KeyPath, str] = {}
    for path, place in base.places.items():
        if path[:1] == ("parts",) and len(path) > 1 and isinstance(path[1], int):
            if path[1] == index:
                continue
            if path[1] > index:
                path = ("parts", path[1] - 1, *path[2:])
        places[path] = place
    base.places = places


def _over(base: Source, own: Source) -> Source:
    """Return the values of `own` over those of `base`."""
    data = dict(base.data)
    places = {path: place for path, place in base.places.items() if path}
    for key, value in own.data.items():
        before = data.get(key)
        shift = 0
        if key in LISTS and isinstance(before, list) and isinstance(value, list):
            shift = len(before)
            data[key] = [*before, *value]
        elif isinstance(before, dict) and isinstance(value, dict):
            data[key] = {**before, **value}
        else:
            data[key] = value
        for path, place in own.places.items():
            if path[:1] != (key,):
                continue
            if shift and len(path) > 1 and isinstance(path[1], int):
                path = (key, path[1] + shift, *path[2:])
            places[path] = place
    places[()] = own.places[()]
    return Source(data, own.name, places)
