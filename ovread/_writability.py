"""Which attributes can be written, of any scene."""

from __future__ import annotations

from ovread import catalogue
from ovread.arguments import checked_object_type
from ovread.catalogue import ObjectType, Writability
from ovread.errors import AttributeOfOtherTypeError
from ovread.plugins import installed


def writability(object_type: ObjectType, attribute: str, *, backend: str | None = None) -> Writability:
    """Return the writability class of an attribute; no scene is opened and no engine imported.

    ``WRITABLE``; ``CONDITIONAL`` where objects, solvers or devices differ in whether they take it; ``WRITE_ONLY`` where
    it cannot be read back; ``READ_ONLY``; or ``UNCLASSIFIED`` where a write rejects the name for this type. The
    condition, or the reason, is in words in ``ovread.backends()[name].writing_of((object_type, attribute), variant)``.

    Args:
        object_type: The type.
        attribute: Name of the attribute.
        backend: Name of a backend, or name and variant as in ``newton:steel``; None for the catalogue's class, which
            is what a write means whether or not a backend offers it.

    Raises:
        UnknownAttributeError: The name is in no row of the catalogue; the message suggests one.
        SelectionError: The type is no object type.
        BackendError: There is no such backend, or it cannot be loaded.
        OptionError: The backend has no such variant.
    """
    try:
        row = catalogue.attribute(checked_object_type(object_type), attribute)
    except AttributeOfOtherTypeError:
        return Writability.UNCLASSIFIED
    if backend is None:
        return row.writability
    chosen, _ = installed().labelled(backend)
    return chosen.info.writing_of(row.key, backend.partition(":")[2] or None).writability
