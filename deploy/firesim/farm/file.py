# SPDX-License-Identifier: BSD-3-Clause
"""A run farm's file, checked by the settings of its kind, which is a file of `kinds/`."""

from __future__ import annotations

from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any

from firesim_common.errors import InputError
from firesim_common.explain import checked
from firesim_common.positions import KeyPath, Source, read_users_yaml
from pydantic import BaseModel, Field, RootModel, create_model

from firesim.config.farm import FarmBase
from firesim.farm import kinds


def kind_names() -> list[str]:
    """Return the kinds of farms."""
    return sorted(module.name for module in iter_modules(kinds.__path__))


def kind_module(name: str) -> ModuleType:
    """Load a kind when a farm is of it: botocore takes its time."""
    return import_module(f"{kinds.__name__}.{name}")


def farm_schema() -> type[BaseModel]:
    """Return the model of a farm's file of any kind."""
    union: Any = reduce(or_, (kind_module(name).SETTINGS for name in kind_names()))
    root = Annotated[union, Field(discriminator="kind")]
    text = "What `--farm FILE` reads."
    return create_model("RunFarmFile", __base__=RootModel[root], __doc__=text)


class FarmFile:
    """A checked farm file and where its values came from."""

    def __init__(self, path: Path) -> None:
        """Read and check it.

        Raises:
            InputError: one line for each thing wrong, with its place.
        """
        self.path = path.absolute()
        self.source: Source = read_users_yaml(self.path)
        self.farm = self._checked()

    def _checked(self) -> FarmBase:
        data = self.source.data
        kind = data.get("kind") if isinstance(data, dict) else None
        if isinstance(kind, str) and kind in kind_names():
            settings: type[FarmBase] = kind_module(kind).SETTINGS
            return checked(settings, self.source)
        any_kind: Any = checked(farm_schema(), self.source)
        farm: FarmBase = any_kind.root
        return farm

    @property
    def name(self) -> str:
        """The farm's name: its file's."""
        return self.path.stem

    def error(self, path: KeyPath, message: str) -> InputError:
        """Return an error that points at the value at `path`."""
        return self.source.error(path, message)
