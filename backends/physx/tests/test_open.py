"""Opening: what is refused, what is reported, and what units come out."""

from __future__ import annotations

import logging

import pytest
from ovread_physx import _process

import ovread
from ovread import ObjectType
from ovread.errors import NoPhysicsError, NotUsdError, OptionError, SceneRefusedError

EMPTY = '#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Xform "World"\n{\n    def Cube "Box"\n    {\n    }\n}\n'
SCENE_ONLY = '#usda 1.0\ndef PhysicsScene "Scene"\n{\n}\n'


def test_a_stage_without_physics_is_refused():
    """Geometry alone is an error that says what to do, and the next scene opens."""
    with pytest.raises(NoPhysicsError, match="PhysicsRigidBodyAPI"):
        ovread.open(EMPTY, backend="physx")
    ovread.open(SCENE_ONLY, backend="physx").close()


def test_an_authored_physics_scene_is_physics():
    """A PhysicsScene without bodies opens, and is listed."""
    with ovread.open(SCENE_ONLY, backend="physx") as simulation:
        assert simulation.query(ObjectType.SCENE).paths == ("/Scene",)


def test_text_that_does_not_parse_is_refused():
    """Broken USDA is a NotUsdError."""
    with pytest.raises(NotUsdError):
        ovread.open("#usda 1.0\ndef Xform {", backend="physx")


def test_a_refusal_carries_the_words_of_the_engine(scene, monkeypatch):
    """Where the engine refuses a scene, its own text is in the error."""
    import ovphysx

    def refuse(self, task, **options):
        monkeypatch.undo()
        raise RuntimeError("PhysicsUsdLoad - no such luck")

    monkeypatch.setattr(ovphysx.PhysX, "wait_task", refuse)
    with pytest.raises(SceneRefusedError, match="no such luck"):
        ovread.open(scene("pendulum"), backend="physx")
    ovread.open(scene("pendulum"), backend="physx").close()


def test_a_scene_of_which_nothing_loads_is_refused_with_the_log(monkeypatch):
    """Where the engine loads nothing and its log says why, the log is in the error."""
    from ovread_physx import _engine

    with pytest.raises(SceneRefusedError, match="only supported on GPU"):
        _engine._refuse_without_physics("scene.usda", "Particles feature is only supported on GPU.")


def test_engine_errors_become_diagnostics(scene):
    """What the engine only logs while it opens a scene is in the diagnostics, at each opening."""
    for _ in range(2):
        with ovread.open(scene("one_sided_limit"), backend="physx") as simulation:
            (found,) = simulation.diagnostics
            assert found.rule == "engine-error"
            assert "lowLimit must be <= highLimit" in found.message
            assert "FILE" not in found.message


def test_diagnostics_name_the_prim(scene):
    """A prim path in the engine's words is the diagnostic's prim."""
    with ovread.open(scene("no_collider"), backend="physx") as simulation:
        assert [(found.prim, found.rule) for found in simulation.diagnostics] == [("/W/nocol", "engine-warning")]


def test_a_clean_scene_has_no_diagnostics(scene):
    """Nothing is reported where nothing is wrong."""
    with ovread.open(scene("Ant"), backend="physx") as simulation:
        assert simulation.diagnostics == ()


def test_the_log_reaches_python(scene, caplog):
    """The engine's messages are records of the logger ovread.physx."""
    with caplog.at_level(logging.WARNING, "ovread.physx"), ovread.open(scene("one_sided_limit"), backend="physx"):
        pass
    assert any("lowLimit" in record.message and record.levelno == logging.ERROR for record in caplog.records)


def test_diagnostics_do_not_depend_on_log_levels(scene):
    """An application that silences the logger still gets diagnostics."""
    logger = logging.getLogger("ovread.physx")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with ovread.open(scene("one_sided_limit"), backend="physx") as simulation:
            assert simulation.diagnostics
    finally:
        logger.setLevel(level)


@pytest.mark.parametrize("value", [-1, 256, 1.5, "4", True, None])
def test_bad_thread_counts_are_refused(value, scene):
    """num_threads is an integer from 0 to 255."""
    with pytest.raises(OptionError, match="num_threads"):
        ovread.open(scene("pendulum"), backend="physx", num_threads=value)


def test_the_thread_count_is_one_for_the_process(scene):
    """Two open simulations cannot have different thread counts; one after the other can."""
    with ovread.open(scene("pendulum"), backend="physx"):
        with pytest.raises(OptionError, match=r"whole process.*now 0"):
            ovread.open(scene("pendulum"), backend="physx", num_threads=2)
        ovread.open(scene("pendulum"), backend="physx").close()
    with ovread.open(scene("pendulum"), backend="physx", num_threads=2) as simulation:
        simulation.step(1 / 240)


def test_thread_counts_do_not_change_results(scene):
    """The same steps give the same positions, bit by bit, whatever the number of threads."""
    positions = []
    for threads in (0, 3):
        with ovread.open(scene("boxes_falling_on_groundplane"), backend="physx", num_threads=threads) as simulation:
            for _ in range(60):
                simulation.step(1 / 60)
            query = simulation.query(ObjectType.RIGID_BODY)
            positions.append(simulation.read(query, ["position"])["position"].numpy().tolist())
    assert positions[0] == positions[1]


@pytest.mark.parametrize("device", ["gpu", "cuda", "cuda:x", ""])
def test_unknown_devices_are_refused(device, scene):
    """A device is cpu or cuda:N."""
    with pytest.raises(OptionError, match="'cpu' or 'cuda:0'"):
        ovread.open(scene("pendulum"), backend="physx", device=device)


def test_a_missing_gpu_is_refused(scene):
    """A CUDA device that the machine lacks is an error before anything opens."""
    device = f"cuda:{_process.cuda_device_count()}"
    with pytest.raises(OptionError, match="CUDA device"):
        ovread.open(scene("pendulum"), backend="physx", device=device)


def test_units_are_those_of_the_stage(scene):
    """Units come from the stage, and lengths are in them."""
    with ovread.open(scene("centimetres"), backend="physx") as simulation:
        assert simulation.units.length == "cm"
        assert simulation.device == "cpu"
        assert simulation.variant is None


def test_describing_the_backend_loads_no_engine(run_python):
    """The list of backends imports neither ovphysx nor ovstage nor Warp."""
    code = (
        "import sys, ovread; info = ovread.backends()['physx']; assert info.available, info.reason;"
        "print(info.engine, sorted({'ovphysx', 'ovstage', 'warp'} & set(sys.modules)))"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("ovphysx 0.7.")
    assert result.stdout.endswith("[]\n")
