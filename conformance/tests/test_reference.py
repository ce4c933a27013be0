"""The reference passes what applies to it, moves as closed forms say, and is nobody's backend unless asked for."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import attrs
import numpy as np
import pinocchio as pin
import pytest
from faulty_reference import Faulty, Key, failures, opened, recorded
from ovread_conformance import reference
from ovread_conformance.consistency import consistency
from ovread_conformance.suite import EVIDENCE, runs
from ovread_conformance.systems import BODIES, FLOATING_TREE, RESTING, SYSTEMS, TILTED, VARIANTS, WRITABLE, System, usda
from ovread_conformance.written import check_written

import ovread
from ovread import ObjectType, Simulation, StageUnits, catalogue
from ovread.errors import SceneRefusedError
from ovread.plugins import Plugins

BODY, LINK, JOINT = ObjectType.RIGID_BODY, ObjectType.ARTICULATION_LINK, ObjectType.ARTICULATION_JOINT
DT = 1 / 240


def read(simulation: Simulation, kind: ObjectType, name: str, path: str | None = None) -> np.ndarray:
    query = simulation.query(kind, paths=None if path is None else [path])
    return simulation.read(query, [name])[name].numpy().astype(float)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_way_to_write_a_system_down_passes(system: System) -> None:
    """Nothing that is read of it contradicts an oracle, another reading or another way to write it down."""
    names = [name for name, run in runs().items() if system.name in (name, run.original)]
    assert len(names) == 1 + len(VARIANTS)
    assert list(failures(recorded(Faulty(), names))) == []


def test_units_of_another_stage_are_noticed() -> None:
    """Metres and kilograms with Z up for whatever the stage has fails the oracle."""
    name = f"{BODIES.name}, centimetres and grams, Y up"
    right = recorded(Faulty(), [name])[name]
    wrong = attrs.evolve(right, units=StageUnits(1.0, 1.0, "Z"))
    for recording, holds in ((right, True), (wrong, False)):
        found = {verdict.path: verdict.holds for verdict in EVIDENCE["oracle"](runs()[name], {name: recording}, None)}
        assert found["stage"] is holds


def test_what_is_read_agrees_whether_masses_are_read_or_not() -> None:
    """A backend that serves no mass is held to the same joint states and rates."""
    (whole,) = recorded(Faulty(), [FLOATING_TREE.name]).values()
    readings = {key: found for key, found in whole.readings.items() if key[2] != "mass"}
    assert {*consistency(attrs.evolve(whole, readings=readings))} == {*consistency(whole)}
    assert any(verdict.attribute == "jointPosition" for verdict in consistency(whole))


@pytest.mark.parametrize("key", reference.declared().writes, ids=lambda key: f"{key[0].name}.{key[1]}")
def test_every_write_keeps_the_contract(key: Key, writable: Simulation) -> None:
    """It starts as it is, reads back, keeps masked rows, refuses without a trace, and a reset restores it."""
    check_written(writable, catalogue.attribute(*key))


@pytest.fixture(scope="module")
def writable() -> Any:
    with opened(Faulty(), WRITABLE) as simulation:
        yield simulation


def test_a_wrench_accelerates_a_body() -> None:
    """Of a force at a point, a body's centre gets F/m and the body the torque about it, for one step."""
    with opened(Faulty(), WRITABLE) as simulation:
        query = simulation.query(BODY, paths=["/World/box"])
        mass, inertia = (read(simulation, BODY, name, "/World/box") for name in ("mass", "inertia"))
        turn = pin.Quaternion(read(simulation, BODY, "orientation", "/World/box")[0]).toRotationMatrix()
        arm = turn @ read(simulation, BODY, "centerOfMassPosition", "/World/box")[0]
        force, torque, lever = np.array([3.0, -2, 1]), np.array([0.2, 0.1, -0.3]), np.array([0.4, 0.1, -0.2])
        point = read(simulation, BODY, "position", "/World/box")[0] + arm + lever
        simulation.set(query, "wrench", np.hstack([force, torque, point])[None])
        simulation.step(DT)
        fallen = read(simulation, BODY, "linearAcceleration", "/World/box")[0]
        turned = read(simulation, BODY, "angularAcceleration", "/World/box")[0]
        assert fallen == pytest.approx(force / mass.item() + [0, 0, -9.81], rel=1e-5)
        whole = turn @ inertia.reshape(3, 3) @ turn.T
        assert whole @ turned == pytest.approx(torque + np.cross(lever, force), rel=1e-2)
        simulation.step(DT)
        assert read(simulation, BODY, "linearAcceleration", "/World/box")[0] == pytest.approx([0, 0, -9.81], rel=1e-5)


def momentum(simulation: Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Return linear momentum, and angular momentum about the centre of mass, from what links read."""
    names = ("mass", "inertia", "position", "orientation", "linearVelocity", "angularVelocity", "centerOfMassPosition")
    mass, inertia, place, turn, velocity, spin, centre = (read(simulation, LINK, name) for name in names)
    turns = [pin.Quaternion(each).normalized().toRotationMatrix() for each in turn]
    centres = place + [each @ at for each, at in zip(turns, centre, strict=True)]
    middle = (mass * centres).sum(axis=0) / mass.sum()
    own = [each @ tensor.reshape(3, 3) @ each.T @ rate for each, tensor, rate in zip(turns, inertia, spin, strict=True)]
    return (mass * velocity).sum(axis=0), (np.cross(centres - middle, mass * velocity) + own).sum(axis=0)


def test_a_robot_in_flight_keeps_its_momentum() -> None:
    """Gravity alone changes linear momentum; angular momentum errs with the step, drives and joints within or not."""
    errors = []
    for dt, count in ((DT, 24), (DT / 4, 96)):
        with opened(Faulty(), FLOATING_TREE) as simulation:
            linear, angular = momentum(simulation)
            mass = read(simulation, LINK, "mass").sum()
            simulation.step(dt, count=count)
            after = momentum(simulation)
        assert after[0] == pytest.approx(linear + mass * 24 * DT * np.array(TILTED), rel=0.02, abs=0.2)
        errors.append(np.abs(after[1] - angular).max() / np.abs(angular).max())
    assert errors[0] < 0.1
    assert errors[1] < errors[0] / 3


def test_links_follow_a_written_joint_before_a_step() -> None:
    """A joint coordinate that was just written is where the links are."""
    with opened(Faulty(), WRITABLE) as simulation:
        simulation.set(simulation.query(JOINT, paths=["/World/arm/to_upper"]), "jointPosition", 90.0)
        assert read(simulation, LINK, "position", "/World/arm/upper")[0] == pytest.approx([0, 0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#usda 1.0\n", "has no USD reader"),
        (usda(WRITABLE).replace("mass = 2.0", "mass = 2.5"), "as it is"),
        (usda(RESTING), "has no contacts"),
    ],
    ids=["unknown", "changed", "with contacts"],
)
def test_what_it_does_not_know_is_refused(text: str, why: str) -> None:
    """Another scene, one of the suite's that was edited, or one that needs contacts is refused with the reason."""
    plugins = Plugins(entry_points=[])
    reference.add_reference(plugins)
    with pytest.raises(SceneRefusedError, match=why):
        plugins.get(reference.NAME).hooks.ovread_open(scene=ovread.stage.scene_of(text), device="cpu", options={})


def test_installing_the_suite_adds_no_backend() -> None:
    """The backends of a process are what they were, until the reference is added."""
    program = (
        "import ovread, ovread_conformance\n"
        "before = set(ovread.backends())\n"
        "from ovread_conformance.reference import add_reference\n"
        "add_reference(); add_reference()\n"
        "print('reference' in before, sorted(set(ovread.backends()) - before))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[0] == "False ['reference']"
