"""Real judgments that lie beside the project, where they are available; they are read, never copied
in."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4] / "shared" / "data"


def path(name: str) -> Path:
    """Return the released file of that name, or skip the test with a plain reason."""
    found = ROOT / name
    if not found.exists():
        pytest.skip(f"{name} is not available beside the project")
    return found
