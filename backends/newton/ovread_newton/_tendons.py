"""Tendons, which are MuJoCo's: which there are, and preparing their reads.

Values are those of the solver's own model, since that is what it simulates: it takes some changes of
``Model.mujoco.tendon_*`` over, and others not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from ovread.backend import UNLIMITED, Column, Omission, OmissionReason
from ovread.catalogue import ObjectType
from ovread_newton._binding import Binding, Values, Write
from ovread_newton._paths import paths_from
from ovread_newton._ragged import EMPTY, Indices

if TYPE_CHECKING:
    import newton

    from ovread_newton._engine import NewtonEngine

ARRAYS = {
    "tendonStiffness": "tendon_stiffness",
    "tendonDamping": "tendon_damping",
    "tendonLimit": "tendon_range",
    "tendonRestLength": "tendon_lengthspring",
}

_NO_SOLVER = (
    "The values of a tendon are those of newton.solvers.SolverMuJoCo, and none was attached: pass it to ovread.attach."
)
_LEFT_OUT = "SolverMuJoCo left the tendon out, since none of the joints or sites that it leads over is in its model."
_SLACK = "The tendon is at rest between two lengths, tendon_lengthspring in the model of SolverMuJoCo, not at one."


@attrs.frozen(eq=False)
class Tendons:
    """All fixed or all spatial tendons.

    Args:
        paths: Label of each.
        indices: Index into Newton's tendon arrays.
        articulations: Articulation of each; -1 where it leads over several.
    """

    paths: tuple[str, ...]
    indices: Indices
    articulations: Indices


def tendons_of(model: newton.Model) -> dict[ObjectType, Tendons]:
    """Find the tendons that a model has as custom attributes; the nameless are named as the solver does."""
    attributes = getattr(model, "mujoco", None)
    kinds = _ints(getattr(attributes, "tendon_type", None))
    owners = _ints(getattr(attributes, "tendon_articulation", None))
    labels = getattr(attributes, "tendon_label", None) or [""] * len(kinds)
    named = [str(label).strip() or f"tendon_{tendon}" for tendon, label in enumerate(labels)]
    paths = paths_from(model, named, getattr(attributes, "tendon_world", None))
    found: dict[ObjectType, Tendons] = {}
    for kind, object_type in enumerate((ObjectType.FIXED_TENDON, ObjectType.SPATIAL_TENDON)):
        indices = np.flatnonzero(kinds == kind)
        found[object_type] = Tendons(tuple(paths[tendon] for tendon in indices), indices, owners[indices])
    return found


def _ints(array: Any) -> Indices:
    return EMPTY if array is None else array.numpy().astype(np.intp)


def bind_tendons(engine: NewtonEngine, object_type: ObjectType, rows: Indices, attributes: Sequence[str]) -> Binding:
    """Prepare a read of tendons of one type."""
    tendons = engine.topology.tendons[object_type]
    solver = engine.solver
    if not len(rows):
        return Binding([Column(name, rows) for name in attributes], [_write_nothing for _ in attributes])
    if not hasattr(solver, "mjc_tendon_to_newton_tendon"):
        return Binding((), (), [_omission(name, _NO_SOLVER) for name in attributes])
    worlds, places = places_of(solver, tendons.indices[rows])
    columns: list[Column] = []
    writes: list[Write] = []
    omissions: list[Omission] = []
    for name in attributes:
        covered = np.flatnonzero(places >= 0)
        reasons = [(_LEFT_OUT, np.flatnonzero(places < 0))]
        if name == "tendonRestLength":
            lengths = _take(solver, worlds[covered], places[covered], name)
            is_slack = lengths[:, 0] != lengths[:, 1]
            reasons.append((_SLACK, covered[is_slack]))
            covered = covered[~is_slack]
        for reason, left_out in reasons:
            if len(left_out):
                omissions.append(_omission(name, reason, tuple(tendons.paths[row] for row in rows[left_out])))
        if len(covered):
            columns.append(Column(name, covered))
            writes.append(_bind(solver, worlds[covered], places[covered], name))
    return Binding(columns, writes, omissions)


def _omission(name: str, reason: str, paths: tuple[str, ...] = ()) -> Omission:
    return Omission(name, OmissionReason.UNSUPPORTED_CONFIGURATION, reason, paths)


def _write_nothing(out: Values) -> None:
    """Fill no rows."""


def places_of(solver: Any, tendons: Indices) -> tuple[Indices, Indices]:
    """Return the world of each tendon and its place in the solver's arrays; -1 where it has none."""
    found: dict[int, tuple[int, ...]] = {}
    if solver.mjc_tendon_to_newton_tendon is not None:
        mapped = np.ndenumerate(solver.mjc_tendon_to_newton_tendon.numpy())
        found = {int(tendon): place for place, tendon in mapped}
    places = np.array([found.get(int(tendon), (-1, -1)) for tendon in tendons], dtype=np.intp)
    return places[:, 0], places[:, 1]


def _take(solver: Any, worlds: Indices, places: Indices, name: str) -> Values:
    """Return what the solver simulates now."""
    if solver.use_mujoco_cpu:
        values = np.asarray(getattr(solver.mj_model, ARRAYS[name]))[None]
    else:
        values = getattr(solver.mjw_model, ARRAYS[name]).numpy()
    return values[np.minimum(worlds, len(values) - 1), places]  # worlds may share one row


def _bind(solver: Any, worlds: Indices, places: Indices, name: str) -> Write:
    def write(out: Values) -> None:
        out[...] = _take(solver, worlds, places, name).reshape(len(out), -1)[:, : out.shape[1]]
        if name == "tendonLimit":
            _open(out, np.asarray(solver.mj_model.tendon_limited, dtype=bool)[places])

    return write


def _open(limits: Values, is_limited: npt.NDArray[np.bool_]) -> None:
    import newton

    limits[~is_limited] = (-UNLIMITED, UNLIMITED)
    np.copyto(limits, np.copysign(UNLIMITED, limits), where=np.abs(limits) >= newton.MAXVAL, casting="same_kind")
