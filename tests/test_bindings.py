"""What a backend binds is held to its contract: an error that names the column, not a wrong or a lost value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import rest_backend

from ovread import ObjectType, Omission, OmissionReason
from ovread.backend import Column, FilledColumns, MatrixLabels
from ovread.errors import EngineError
from ovread.simulation import Simulation

BODY, JOINT, ROBOT, SENSOR = (
    ObjectType.RIGID_BODY,
    ObjectType.ARTICULATION_JOINT,
    ObjectType.ARTICULATION,
    ObjectType.CONTACT_SENSOR,
)
LABELS = MatrixLabels((), ("a:twist",))
Bind = Callable[..., None]


@pytest.fixture
def bind(monkeypatch: pytest.MonkeyPatch) -> Bind:
    """Make the rest backend bind these columns, whatever it is asked for."""

    def make(*columns: Column, omissions: Sequence[Omission] = ()) -> None:
        def bound(*given: object) -> FilledColumns:
            return FilledColumns(columns, [lambda buffer: None] * len(columns), omissions)

        monkeypatch.setattr(rest_backend, "FilledColumns", bound)

    return make


def column(name: str, rows: Sequence[int] = (0, 1, 2), **rest: object) -> Column:
    return Column(name, np.array(rows, dtype=np.intp), **rest)  # type: ignore[arg-type]


def refused(sim: Simulation, kind: ObjectType, names: list[str], words: str) -> None:
    query = sim.query(kind)
    for read in (sim.read, sim.reader):
        with pytest.raises(EngineError, match=f"^rest could not read: {words}"):
            read(query, names)


def test_a_lost_attribute_is_named(sim: Simulation, bind: Bind) -> None:
    bind(column("mass"))
    refused(sim, BODY, ["position", "mass", "linearAcceleration"], "ovread_bind_read gave neither a column nor an "
            "omission for position, linearAcceleration$")  # fmt: skip


def test_an_omission_is_an_answer(sim: Simulation, bind: Bind) -> None:
    bind(column("mass"), omissions=[Omission("position", OmissionReason.NOT_READY, "Soon.")])
    assert [omission.detail for omission in sim.read(sim.query(BODY), ["position", "mass"]).omissions] == ["Soon."]


def test_a_column_that_was_not_asked_for_is_named(sim: Simulation, bind: Bind) -> None:
    bind(column("mass"), column("position"))
    refused(sim, BODY, ["mass"], "ovread_bind_read gave columns that were not asked for: position$")


@pytest.mark.parametrize("rows", [(0, 2, 1), (2, 1, 0), (0, 0, 1), (-1, 0, 1), (0, 1, 3), (7,)])
def test_rows_are_ascending_positions_of_the_request(sim: Simulation, bind: Bind, rows: tuple[int, ...]) -> None:
    bind(column("mass", rows))
    refused(sim, BODY, ["mass"], "the rows of column 'mass' are not ascending positions of the request$")


@pytest.mark.parametrize("rows", [(0, 1, 2), (0, 2), (1,), ()])
def test_a_column_may_cover_some_of_the_rows(sim: Simulation, bind: Bind, rows: tuple[int, ...]) -> None:
    bind(column("mass", rows))
    query = sim.query(BODY)
    assert sim.read(query, ["mass"])["mass"].paths == tuple(query.paths[row] for row in rows)


@pytest.mark.parametrize(
    ("kind", "bound", "layout"),
    [
        (BODY, column("mass", counts=np.array([1, 1, 1])), "fixed"),
        (BODY, column("mass", is_dynamic=True), "fixed"),
        (JOINT, column("jointPosition"), "per-dof"),
        (SENSOR, column("rawContactForce"), "array"),
        (ROBOT, column("jacobian", (0,), counts=np.array([24])), "matrix"),
    ],
    ids=lambda value: value.attribute if isinstance(value, Column) else None,
)
def test_ragged_layouts_and_only_they_have_counts(
    sim: Simulation, bind: Bind, kind: ObjectType, bound: Column, layout: str
) -> None:
    bind(bound)
    words = f"column '{bound.attribute}' is {layout}: ragged layouts, and only they, have counts$"
    refused(sim, kind, [bound.attribute], words)


@pytest.mark.parametrize("counts", [[], [1], [1, 1, 1, 1]])
def test_there_is_a_count_for_each_row(sim: Simulation, bind: Bind, counts: list[int]) -> None:
    bind(column("jointPosition", counts=np.array(counts, dtype=np.intp)))
    refused(sim, JOINT, ["jointPosition"], f"column 'jointPosition' has 3 rows and {len(counts)} counts$")


@pytest.mark.parametrize("which", ["labels", "native_labels"])
@pytest.mark.parametrize("count", [0, 2])
def test_there_are_labels_for_each_row(sim: Simulation, bind: Bind, which: str, count: int) -> None:
    bind(column("gravityForce", (0,), lanes=("a",), **{which: (LABELS,) * count}))
    refused(sim, ROBOT, ["gravityForce"], f"column 'gravityForce' has 1 rows and {count} labels$")


def test_the_contract_is_checked_again_after_a_reset(sim: Simulation, bind: Bind) -> None:
    reader = sim.reader(sim.query(BODY), ["mass"])
    reader.read()
    bind()
    sim.reset()
    with pytest.raises(EngineError, match="neither a column nor an omission for mass"):
        reader.read()
