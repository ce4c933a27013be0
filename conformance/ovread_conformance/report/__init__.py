"""Reports of what the suite found: one document, printed as a table, as JSON, as CSV, or written as a page."""

from __future__ import annotations

from ovread_conformance.report._document import KINDS, Document, document
from ovread_conformance.report._page import page
from ovread_conformance.report._terminal import print_csv, print_json, print_tables

__all__ = ["KINDS", "Document", "document", "page", "print_csv", "print_json", "print_tables"]
