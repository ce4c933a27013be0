"""Queries of contact sensors in the tests."""

from ovread import ObjectType


def settle(simulation, dt=1 / 60, seconds=1.0):
    simulation.step(dt, count=round(seconds / dt))


def sensors(simulation, *contacts, **selection):
    return simulation.query(ObjectType.CONTACT_SENSOR, contacts=contacts or None, **selection)


def by_path(group):
    return dict(zip(group.paths, group.per_prim(), strict=True))
