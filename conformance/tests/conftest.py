"""Makes the faulty reference importable, whatever the folder that the tests run in."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
