"""Queries of contact sensors in the tests, and what holds of them on either engine."""

import numpy as np

from ovread import ContactSelection, ObjectType
from ovread.catalogue import needs_filters


def settle(simulation, dt=1 / 60, seconds=1.0):
    simulation.step(dt, count=round(seconds / dt))


def sensors(simulation, *contacts, **selection):
    return simulation.query(ObjectType.CONTACT_SENSOR, contacts=contacts or None, **selection)


def by_path(group):
    return dict(zip(group.paths, group.per_prim(), strict=True))


def assert_details_split_by_filter(simulation, sensor, below, above):
    """A box's points with what is below and above it come filter by filter, and add up to the matrix."""
    for filters in ([below, above], [above, below]):
        query = sensors(simulation, ContactSelection([sensor], filters))
        result = simulation.read(query, [name for name in query.attributes if needs_filters(name)])
        ends = np.cumsum(result["filteredContactCount"].numpy()[0])
        assert ends.tolist() == [4, 8]
        forces = result["filteredContactForce"].numpy() * result["filteredContactNormal"].numpy()
        matrix = result["normalContactForceMatrix"].numpy().reshape(2, 3)
        heights = result["filteredContactPoint"].numpy()[:, 2].round(2) + 0.0
        for filter_, start, end, expected in zip(filters, (0, 4), ends, matrix, strict=True):
            np.testing.assert_allclose(forces[start:end].sum(axis=0), expected, atol=1e-3)
            assert set(heights[start:end]) == {0.0 if filter_ == below else 1.0}


def assert_impulses_are_the_net_force(result, paths, dt):
    """Impulses of the points of a sensor, turned to its side of the pair and divided by dt, are its net force."""
    sides, counts, impulses, net = (
        by_path(result[name])
        for name in (
            "contactEventSensorSide",
            "contactEventPointCount",
            "contactEventPointImpulse",
            "netNormalContactForce",
        )
    )
    assert {int(side) for rows in sides.values() for side in rows.ravel()} == {0, 1}
    for path in paths:
        signs = np.repeat(1 - 2 * sides[path].ravel(), counts[path].ravel())
        assert len(signs) == len(impulses[path])
        np.testing.assert_allclose((signs[:, None] * impulses[path]).sum(axis=0) / dt, net[path], atol=1e-3)
