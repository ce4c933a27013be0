"""Attaching to a Newton simulation that the caller owns."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ovread.backend import Diagnostic
from ovread.errors import OptionError, OwnershipError
from ovread.stage import stage_units
from ovread.units import StageUnits
from ovread_newton._adopted import AdoptedEngine, check_state
from ovread_newton._authored import NOTHING_KEPT, Authored, Kept, read_authored, read_kept
from ovread_newton._sensors import Sensing
from ovread_newton._solvers import REPORTS, contact_forces_of, keeps_joint_state, name_of, requested_kinds
from ovread_newton._stage import StageView
from ovread_newton._topology import Topology

if TYPE_CHECKING:
    import newton
    import ovstage

_KINDS = ("model", "state", "control", "solver", "contacts", "observables")


def adopt(objects: tuple[Any, ...], options: Mapping[str, Any]) -> AdoptedEngine | None:
    """Wrap a model, its states, its control, its solver, its contacts and the solver's observables, in any order.

    With the ``ovstage.Stage`` that the model was imported from, paths, signs and units are those of the stage.

    Returns:
        The engine, or None where none of the objects is Newton's.

    Raises:
        OwnershipError: The model or a state is missing, or the objects do not belong together.
        OptionError: An option was given; there are none.
    """
    if "newton" not in sys.modules:  # objects of an engine that was never imported cannot exist
        return None
    found = _sort(objects)
    if not any(found[kind] for kind in _KINDS):
        return None
    _check(found)
    if options:
        raise OptionError(f"{', '.join(options)}: attaching to Newton takes no options.")
    (model,) = found["model"]
    solver = next(iter(found["solver"]), None)
    observables = next(iter(found["observables"]), None)
    # Observables with contact forces know their Contacts.
    contacts = next(iter(found["contacts"]), None if observables is None else observables.contacts)
    authored, kept, units = None, NOTHING_KEPT, StageUnits(up_axis="XYZ"[int(model.up_axis)])
    for stage in found["stage"]:
        authored, kept, units = _read(stage, model)
    topology = Topology.of(model, authored, kept)
    engine = AdoptedEngine(
        model,
        found["state"][0],
        next(iter(found["control"]), None),
        topology,
        Sensing.of(model, topology, authored),
        units,
        name_of(solver) if solver is not None else None,
        solver is not None and keeps_joint_state(solver),
        is_swapped=len(found["state"]) > 1,
        solver=solver,
        contacts=contacts,
        observables=observables,
    )
    if solver is None:
        message = (
            "No solver was attached, so joint coordinates are computed from the body poses at each read, and an angle "
            "is between -180 and 180 degrees. Pass the solver to ovread.attach to read its own."
        )
        engine.diagnostics.append(Diagnostic("", "joint-state-from-poses", message))
    return engine


def _read(stage: ovstage.Stage, model: newton.Model) -> tuple[Authored, Kept, StageUnits]:
    """Read what the stage says beyond the model that was imported from it."""
    view = StageView(stage)
    try:
        return read_authored(view), read_kept(view, model), stage_units(stage)
    finally:
        view.close()


def _sort(objects: tuple[Any, ...]) -> dict[str, list[Any]]:
    import newton

    types = {
        "model": newton.Model,
        "state": newton.State,
        "control": newton.Control,
        "solver": newton.solvers.SolverBase,
        "contacts": newton.Contacts,
        "observables": newton.solvers.SolverBase.Observables,
    }
    if "ovstage" in sys.modules:
        types["stage"] = sys.modules["ovstage"].Stage
    found: dict[str, list[Any]] = {kind: [] for kind in (*_KINDS, "stage", "other")}
    for item in objects:
        kind = next((kind for kind, known in types.items() if isinstance(item, known)), "other")
        found[kind].append(item)
    return found


def _check(found: Mapping[str, list[Any]]) -> None:
    if found["other"]:
        kinds = ", ".join(type(item).__name__ for item in found["other"])
        raise OwnershipError(
            "Attaching to Newton takes a Model, its States, its Control, a solver, Contacts, the solver's Observables "
            f"and the stage of the model; not {kinds}."
        )
    for kind, least, most in (
        ("stage", 0, 1),
        ("model", 1, 1),
        ("state", 1, None),
        ("control", 0, 1),
        ("solver", 0, 1),
        ("contacts", 0, 1),
        ("observables", 0, 1),
    ):
        count = len(found[kind])
        if count < least or (most is not None and count > most):
            wanted = "at least one" if most is None else "exactly one" if least else "at most one"
            raise OwnershipError(f"Attaching to Newton takes {wanted} {kind}; {count} were given.")
    (model,) = found["model"]
    for state in found["state"]:
        check_state(model, state)
    for solver in found["solver"]:
        if solver.model is not model:
            raise OwnershipError("That solver was made for another model.")
    for observables in found["observables"]:
        if not requested_kinds(observables):
            kinds = ", ".join(REPORTS)
            raise OwnershipError(f"Those observables have none of {kinds}: allocate them with solver.observables.")
        forces = contact_forces_of(observables)
        for contacts in found["contacts"]:
            if forces is not None and len(forces) < contacts.rigid_contact_max:
                raise OwnershipError(
                    "Those observables are too small for those contacts: allocate them with contacts=."
                )
