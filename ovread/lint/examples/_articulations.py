"""Examples of rules about articulations."""

from __future__ import annotations

from ovread.lint.examples._usda import (
    AT_30,
    BINDING,
    PHYSX_ROOT,
    ROOT,
    STATE,
    Example,
    body,
    bound,
    cube,
    hinge,
    joint,
    material,
    robot,
    stage,
    world,
)


def _floating(root: str, link: str) -> str:
    """Write a chain of three links, each 1 from the last."""
    links = (body("base", schemas=link), _at(1, "arm"), _at(2, "hand"))
    apart = "point3f physics:localPos0 = (1, 0, 0)"
    return stage(world(*links, hinge(apart), joint("Revolute", "k", "arm", "hand", apart), schemas=root))


def _at(x: float, name: str) -> str:
    place = f'double3 xformOp:translate = ({x:g}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    return body(name, place)


def _held(root: str, link: str, joint_schemas: str = "") -> str:
    return stage(
        world(
            body("base", schemas=link),
            body("arm"),
            joint("Fixed", "root", "", "base", schemas=joint_schemas),
            hinge(),
            schemas=root,
        )
    )


def _touching(*lines: str) -> str:
    """Write a robot whose last link is in its base."""
    hand = body("hand", cube(bound("rubber"), schemas=BINDING))
    base = body("base", cube(bound("rubber"), schemas=BINDING))
    links = (material("rubber"), base, body("arm"), hand, joint("Fixed", "root", "", "base"))
    joints = (joint("Prismatic", "j", "base", "arm"), joint("Prismatic", "k", "arm", "hand"))
    return stage(world(*links, *joints, *lines, schemas=f"{ROOT} {PHYSX_ROOT}"))


def _pair(root: str, *own: str) -> str:
    names = ("a", "b")
    links = [body(name + part, schemas=own[0] if own and part == "0" else "") for name in names for part in "01"]
    return stage(
        world(*links, *(joint("Revolute", f"j{name}", f"{name}0", f"{name}1") for name in names), schemas=root)
    )


ARTICULATIONS = {
    "floating-root": Example(_floating(ROOT, ""), _floating("", ROOT), ("/W",)),
    "fixed-root-link": Example(_held("", ROOT), _held(ROOT, ""), ("/W/base",)),
    "one-link-articulation": Example(stage(world(body("b", schemas=ROOT))), stage(world(body("b"))), ("/W/b",)),
    "several-articulations": Example(_pair(ROOT), _pair("", ROOT), ("/W",)),
    "articulation-disabled": Example(
        robot(hinge(AT_30, schemas=STATE), "bool physxArticulation:articulationEnabled = false", schemas=PHYSX_ROOT),
        robot(hinge(AT_30, schemas=STATE), schemas=PHYSX_ROOT),
        ("/W",),
    ),
    "self-collision": Example(_touching("bool physxArticulation:enabledSelfCollisions = false"), _touching(), ("/W",)),
}
"""By rule."""
