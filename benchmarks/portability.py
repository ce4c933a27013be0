"""Count what two backends make differently of assets, how much of it ``ovread lint`` explains, and how much it repairs.

    python benchmarks/portability.py FOLDER_OR_FILE... [--backends physx,newton]

Each asset is compared before the first step, as it is and with the layer that ``ovread lint --fix`` writes over it, in
processes of their own. An asset on which the backends agree and something is found all the same is counted too: what is
found there shows only in motion, or is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ENDINGS = (".usd", ".usda", ".usdc", ".usdz")


def main() -> None:
    """Compare assets and print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--backends", default="physx,newton")
    given = parser.parse_args()
    before, after, unexplained, totals = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number, asset in enumerate(assets(given.paths)):
            plain = differences(asset, given.backends)
            if plain is None:
                totals["could not be compared"] += 1
                print(f"{asset.name}: could not be compared", flush=True)
                continue
            found = json.loads(ovread("lint", str(asset), "--backends", given.backends, "--format", "json") or "[]")
            over = Path(folder) / f"{number}.usda"
            ovread("lint", str(asset), "--backends", given.backends, "--fix", str(over))
            repaired = (differences(over, given.backends) or []) if over.is_file() else plain
            totals += Counter(
                {"assets": 1, "differences": len(plain), "differences after --fix": len(repaired),
                 "assets that agree": not plain, "assets that agree, with findings": bool(not plain and found)}
            )  # fmt: skip
            for rows, counts in ((plain, before), (repaired, after)):
                counts.update(rule for row in rows for rule in row["explained_by"] or ["unexplained"])
            for row in plain:
                if not row["explained_by"]:
                    unexplained[f"{asset.name}: {row['object_type']}.{row['attribute']}"] += 1
            print(f"{asset.name}: {len(plain)} differences, {len(repaired)} after --fix", flush=True)
    print("\n" + "\n".join(f"{name}: {count}" for name, count in sorted(totals.items())))
    print("\nrule, differences, after --fix (a difference may have several rules)")
    for rule, count in before.most_common():
        print(f"{rule}: {count}, {after[rule]}")
    print("\nunexplained")
    for name, count in sorted(unexplained.items()):
        print(f"{name}: {count}")


def assets(paths: list[Path]) -> Iterator[Path]:
    """Return files, and all USD files in folders."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in inside if file.suffix in _ENDINGS)


def differences(asset: Path, backends: str) -> list[dict[str, Any]] | None:
    """Return the rows in which backends differ; None where the asset could not be compared."""
    text = ovread("compare", str(asset), "--backends", backends, "--format", "json")
    if not text:
        return None
    rows: list[dict[str, Any]] = json.loads(text)["rows"]
    return [row for row in rows if row["verdict"] in ("differs", "absent")]


def ovread(*arguments: str) -> str:
    """Run the command line; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "ovread", *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    return done.stdout if done.returncode in (0, 1) else ""


if __name__ == "__main__":
    main()
