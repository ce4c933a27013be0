"""The stage that a model is built from: what it says, what of it is authored, and how to edit it before the import."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ovread.stage import sealed_ordinal

if TYPE_CHECKING:
    import ovstage

Column = dict[str, npt.NDArray[Any]]
"""Values of one attribute by the path of the prim."""


class StageView:
    """A populated stage, by prim paths and names.

    Args:
        stage: The stage; edits go to it, not to its file.
    """

    def __init__(self, stage: ovstage.Stage) -> None:
        import ovstage

        self.stage = stage
        self._dictionary = ovstage.PathDictionary(stage)
        # Spelling a name costs as much as reading a value, and names repeat.
        self._path = functools.cache(self._dictionary.path_to_string)
        self._token = functools.cache(self._dictionary.token_to_string)

    def close(self) -> None:
        """Give the dictionary back; the stage stays."""
        self._dictionary.destroy()

    @property
    def ordinal(self) -> int:
        """Ordinal of the newest values."""
        return sealed_ordinal(self.stage)

    def of_type(self, *types: str) -> list[str]:
        """Return the prims of some types, sorted."""
        import ovstage

        return self._matching(ovstage.Predicate("usd-prim-type", ovstage.FilterOp.IN, list(types)))

    def with_schema(self, *schemas: str) -> list[str]:
        """Return the prims that any of some schemas is applied to, sorted."""
        import ovstage

        contains = ovstage.FilterOp.CONTAINS
        found = (self._matching(ovstage.Predicate("usd-schemas", contains, [schema])) for schema in schemas)
        return sorted({path for paths in found for path in paths})

    def _matching(self, predicate: ovstage.Predicate) -> list[str]:
        import ovstage

        with self.stage.query(filter=ovstage.Filter([predicate])) as query:
            query.wait()
            if not self.stage.fetch_query_result(query).total_prim_count:
                return []
            return sorted(self._read(query, ["usd-path"])["usd-path"])

    def kinds(self) -> dict[str, list[str]]:
        """Return the prims of every type and with every applied schema, registered or not."""
        names = ("usd-prim-type", "usd-schemas", "usd-metadata:apiSchemas")
        with self.stage.query() as query:
            columns = self._read(query, names).values()
        found: dict[str, set[str]] = {}
        for column in columns:
            for path, tokens in column.items():
                for token in tokens:
                    name = self._token(int(token)) if token else ""
                    found.setdefault(name.partition(":")[0], set()).add(path)
        return {name: sorted(prims) for name, prims in found.items() if name}

    def column(self, name: str, paths: Sequence[str]) -> Column:
        """Return the values of an attribute, flat, of those prims that have it."""
        return self.columns([name], paths)[name]

    def columns(self, names: Sequence[str], paths: Sequence[str]) -> dict[str, Column]:
        """Return the values of several attributes, flat, of those prims that have them."""
        if not paths:
            return {name: {} for name in names}
        with (
            self._dictionary.create_path_list_from_strings(list(paths)) as prims,
            self.stage.query_from_path_list(prims) as query,
        ):
            return self._read(query, names, paths)

    def floats(self, name: str, paths: Sequence[str]) -> dict[str, float]:
        """Return the values of a scalar attribute."""
        return {path: float(value[0]) for path, value in self.column(name, paths).items() if len(value)}

    def targets(self, name: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return the targets of a relationship, of those prims that have any."""
        found = self.column(name, paths)
        return {path: [self._path(int(target)) for target in row] for path, row in found.items() if len(row)}

    def tokens(self, name: str, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return the tokens of an attribute, of those prims that have it."""
        found = self.column(name, paths)
        return {path: [self._token(int(token)) for token in row if token] for path, row in found.items()}

    def authored(self, names: Sequence[str]) -> dict[str, Column]:
        """Return what is authored of some attributes, where :meth:`column` gives a schema's fallback too.

        The stage is populated once more with authored properties only: what that changes is authored. It replaces
        edits, so it comes before them.
        """
        import ovstage
        from ovstage import PopulationDomain, population

        ordinal = self.ordinal + 1
        every, properties = population.PrimPredicate, population.PropertyPredicate
        authored = properties.and_(properties.is_authored(), properties.has_name(*names))
        selector = population.Selector(every.has_property(authored), authored)
        description = population.Desc(domains=PopulationDomain.NONE, selectors=[selector])
        population.repopulate_usd_with_desc(self.stage, ordinal, population.DEFAULT_TIME, [description])
        self.stage.advance_write_floor(ordinal=ordinal).wait()
        with self.stage.query() as query:
            return self._read(query, names, when=ovstage.OrdinalRange.between(ordinal, ordinal))

    def _read(
        self,
        query: Any,
        names: Sequence[str],
        paths: Sequence[str] | None = None,
        when: ovstage.OrdinalRange | None = None,
    ) -> dict[str, Column]:
        """Read attributes of what a query finds; ``paths`` are what it was made from."""
        import ovstage

        columns: dict[str, Column] = {name: {} for name in names}
        tokens = {self._dictionary.intern_token(name): name for name in names}
        when = when or ovstage.OrdinalRange.latest(self.ordinal)
        with self.stage.read_attributes(query, list(tokens), when) as read:
            read.wait()
            for group in read.groups():
                with group:
                    if not group.tensor_count:
                        continue
                    column = columns[tokens[group.attribute]]
                    if paths is None:
                        found = self._dictionary.get_paths(group.prim_list)
                        prims = [self._path(found[group.prim_index(row)]) for row in range(group.prim_count)]
                    else:
                        prims = [paths[group.prim_index(row)] for row in range(group.prim_count)]
                    whole = None if group.is_array else np.array(group.array(0))
                    for row, prim in enumerate(prims):
                        data = group.data_row_index(row)
                        value = np.array(group.array(data)) if whole is None else whole[data]
                        column[prim] = value.reshape(-1)
        return columns

    def write(self, name: str, values: Mapping[str, npt.ArrayLike]) -> None:
        """Set an attribute of single-precision numbers, a scalar or a vector."""
        self._write(
            name, values, np.array([np.asarray(value, np.float32) for value in values.values()]), is_array=False
        )

    def write_matrix(self, name: str, paths: Sequence[str], matrix: npt.ArrayLike) -> None:
        """Set an attribute of a 4x4 matrix."""
        rows = np.broadcast_to(np.asarray(matrix, np.float64), (len(paths), 4, 4))
        self._write(name, paths, np.ascontiguousarray(rows), is_array=False)

    def write_token(self, name: str, paths: Sequence[str], token: str) -> None:
        """Set an attribute of one token."""
        import ovstage

        rows = np.full(len(paths), self._dictionary.intern_token(token), np.uint64)
        self._write(name, paths, rows, is_array=False, semantic=ovstage.AttributeSemantic.TOKEN_ID)

    def write_targets(self, name: str, targets: Mapping[str, Iterable[str]]) -> None:
        """Set a relationship."""
        import ovstage

        interned = [
            np.array([self._dictionary.intern_path(path) for path in each], np.uint64) for each in targets.values()
        ]
        self._write(name, targets, interned, is_array=True, semantic=ovstage.AttributeSemantic.RELATIONSHIP_PATH_ID)

    def write_tokens(self, name: str, tokens: Mapping[str, Iterable[str]]) -> None:
        """Set an attribute of several tokens."""
        interned = [
            np.array([self._dictionary.intern_token(each) for each in row], np.uint64) for row in tokens.values()
        ]
        self._write(name, tokens, interned, is_array=True)

    def _write(self, name: str, paths: Iterable[str], rows: Any, **how: Any) -> None:
        if not len(rows):
            return
        ordinal = self.ordinal + 1
        with (
            self._dictionary.create_path_list_from_strings(list(paths)) as prims,
            self.stage.query_from_path_list(prims) as query,
        ):
            self.stage.write_attribute(query, self._dictionary.intern_token(name), ordinal, rows, **how).wait()
            self.stage.advance_write_floor(ordinal=ordinal).wait()

    def delete(self, name: str, paths: Sequence[str]) -> None:
        """Take an attribute from prims."""
        if not paths:
            return
        ordinal = self.ordinal + 1
        with (
            self._dictionary.create_path_list_from_strings(list(paths)) as prims,
            self.stage.query_from_path_list(prims) as query,
        ):
            self.stage.delete_attributes(query, [self._dictionary.intern_token(name)], ordinal).wait()
            self.stage.advance_write_floor(ordinal=ordinal).wait()


def rigid_pose(
    matrix: npt.NDArray[Any],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Split a world matrix of the stage, which acts on row vectors, as UsdPhysics does.

    Returns:
        Position, rotation matrix that acts on column vectors, and scale; of a reflection all scales are negative.
    """
    rows = np.array(matrix, dtype=np.float64).reshape(4, 4)
    scale = np.linalg.norm(rows[:3, :3], axis=1)
    rotation = rows[:3, :3] / np.where(scale > 0, scale, 1.0)[:, None]
    if np.linalg.det(rotation) < 0:
        scale, rotation = -scale, -rotation
    return rows[3, :3], rotation.T, scale
