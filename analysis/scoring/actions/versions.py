"""The versions of the libraries that compute a run."""

import platform
from importlib.metadata import version

MAX_SEED = 2**31 - 1
LIBRARIES = ("numpy", "scipy", "krippendorff", "pandas", "matplotlib")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute the numbers."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
