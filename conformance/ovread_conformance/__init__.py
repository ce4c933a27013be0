"""Conformance checks for ovread backends: what they read and do, held against what the conventions say.

Run them on any installed backend::

    ovread conform NAME
    pytest --pyargs ovread_conformance --ovread-backend NAME
"""
