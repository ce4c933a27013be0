"""Attaching to a simulation that the caller owns."""

from __future__ import annotations

import numpy as np
import pytest

import ovread
from ovread import ObjectType
from ovread.errors import LayoutChangedError, OptionError, OwnershipError
from ovread.stage import open_stage, prepare_process, scene_of


@pytest.fixture
def owned(scene):
    """Give PhysX instances with their stages, as a caller's own code makes them."""
    import ovphysx

    made = []

    def make(name, *, attach=True):
        prepare_process()
        ovphysx.enable_default_log_output(False)
        stage = open_stage(scene_of(scene(name)))
        physx = ovphysx.PhysX()
        if attach:
            physx.wait_task(physx.attach_ovstage(stage))
        made.append((physx, stage))
        return physx, stage

    yield make
    for physx, stage in made:
        physx.destroy()
        stage.destroy()


def test_the_caller_steps_and_reads_follow(owned):
    """Reads see the caller's steps; the caller's objects work and can be destroyed after close."""
    physx, stage = owned("pendulum")
    simulation = ovread.attach(physx, stage)
    assert simulation.units.length == "m"
    reader = simulation.reader(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointPosition"])
    start = reader.read()["jointPosition"].numpy().item()
    physx.step_sync(1 / 60)
    simulation.stepped(1 / 60)
    moved = reader.read()
    assert moved["jointPosition"].numpy().item() > start
    assert moved.tick == 1
    simulation.close()
    assert physx.is_stage_attached(stage)
    physx.step_sync(1 / 60)
    physx.wait_task(physx.detach_ovstage())
    physx.destroy()
    stage.destroy()


def test_the_caller_may_destroy_first(owned):
    """Closing after the caller destroyed the engine is harmless, and open readers do not stop the caller."""
    physx, stage = owned("pendulum")
    simulation = ovread.attach(physx, stage)
    query = simulation.query(ObjectType.ARTICULATION_LINK)
    result = simulation.reader(query, query.attributes).read()
    physx.wait_task(physx.detach_ovstage())
    physx.destroy()
    stage.destroy()
    assert np.isfinite(result["position"].numpy()).all()
    simulation.close()


def test_the_caller_keeps_the_clock(owned):
    """An attached simulation can be neither stepped nor reset."""
    simulation = ovread.attach(*owned("pendulum"))
    with pytest.raises(OwnershipError):
        simulation.step(1 / 60)
    with pytest.raises(OwnershipError):
        simulation.reset()
    simulation.close()


def test_the_outcomes_of_the_callers_tasks_stay_the_callers(owned):
    """Reading does not collect what the caller has yet to wait for."""
    physx, stage = owned("pendulum")
    with ovread.attach(physx, stage) as simulation:
        reader = simulation.reader(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointPosition"])
        task = physx.step(1 / 60)
        assert reader.read()["jointPosition"].numpy().item() != 0
        physx.wait_task(task)


def test_values_of_steps_are_served_at_once(owned):
    """It is not known whether the caller has stepped, so what steps compute is served as the engine has it."""
    with ovread.attach(*owned("pendulum")) as simulation:
        links = simulation.query(ObjectType.ARTICULATION_LINK)
        assert "linearAcceleration" in simulation.read(links, ["linearAcceleration"])


def test_objects_that_the_caller_adds_are_noticed(owned):
    """A read prepared before objects were added refuses to guess; a new query sees them."""
    physx, stage = owned("pendulum")
    with ovread.attach(physx, stage) as simulation:
        query = simulation.query(ObjectType.ARTICULATION_LINK)
        readers = [
            simulation.reader(query, ["position"]),
            simulation.reader(simulation.query(ObjectType.ARTICULATION_JOINT), ["jointPosition"]),
        ]
        for reader in readers:
            reader.read()
        physx.wait_task(physx.clone("/W/p", ["/W/q"], [(5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)]))
        for reader in readers:
            with pytest.raises(LayoutChangedError, match="new query"):
                reader.read()
        links = simulation.query(ObjectType.ARTICULATION_LINK)
        assert set(links.paths) > set(query.paths)
        assert len(simulation.read(links, ["position"])["position"]) == 4


def test_a_missing_or_foreign_stage_is_refused(owned):
    """Both objects are needed, and they must belong together."""
    physx, stage = owned("pendulum")
    with pytest.raises(OwnershipError, match=r"ovread\.attach\(physx, stage\)"):
        ovread.attach(physx)
    _, other = owned("Ant")
    with pytest.raises(OwnershipError, match="another stage"):
        ovread.attach(physx, other)
    with pytest.raises(OwnershipError, match="stage"):
        ovread.attach(physx, "stage")
    loose, its_stage = owned("Ant", attach=False)
    with pytest.raises(OwnershipError, match="no stage attached"):
        ovread.attach(loose, its_stage)
    loose.destroy()
    with pytest.raises(OwnershipError, match="destroyed"):
        ovread.attach(loose, its_stage)
    with pytest.raises(OptionError, match="num_threads"):
        ovread.attach(physx, stage, num_threads=0)


def test_foreign_objects_are_left_to_other_backends():
    """Objects that are no PhysX instance are nobody's here."""
    with pytest.raises(OwnershipError, match="No backend recognises"):
        ovread.attach(object())
