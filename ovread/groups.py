"""Groups by name and in order: what results, write sessions and writers have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from ovread.errors import GroupError


class Named(Protocol):
    """A group: the values of one attribute, of one physics scene."""

    @property
    def attribute(self) -> str:
        """Name of the attribute."""

    @property
    def scene(self) -> str | None:
        """Path of the physics scene, None where there is just one."""


AnyGroup = TypeVar("AnyGroup", bound=Named)


class Groups(Generic[AnyGroup]):
    """Iterates over groups, and takes them by name."""

    groups: tuple[AnyGroup, ...]

    _called = ""
    """What messages call the object that the groups are taken from."""

    def __iter__(self) -> Iterator[AnyGroup]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __contains__(self, name: object) -> bool:
        return any(group.attribute == name for group in self.groups)

    def all(self, name: str) -> tuple[AnyGroup, ...]:
        """Return the groups of one attribute: several where scenes or sizes differ, none where there is none."""
        return tuple(group for group in self.groups if group.attribute == name)

    def __getitem__(self, name: str) -> AnyGroup:
        """Return the one group of an attribute.

        Raises:
            GroupError: It has none, and the message says why, or several.
        """
        found = self.all(name)
        if len(found) == 1:
            return found[0]
        if found:
            scenes = ", ".join(str(group.scene) for group in found)
            raise GroupError(
                f"{name!r} has {len(found)} groups (scenes: {scenes}): take them with {self._called}.all({name!r})."
            )
        raise self._missing(name)

    def _missing(self, name: str) -> GroupError:
        """Return the error that says why there is no group of an attribute."""
        raise NotImplementedError


def split_by_prim(values: npt.NDArray[Any], offsets: npt.NDArray[np.intp] | None) -> list[npt.NDArray[Any]]:
    """Return one view ``(elements, lanes)`` per row, or ``(lanes,)`` where there are no offsets."""
    if offsets is None:
        return list(values)
    return [values[start:end] for start, end in itertools.pairwise(offsets)]
