"""The versions of the libraries that compute a run."""

import platform
from importlib.metadata import version

from quaestor_stats._version import VERSION

MAX_SEED = 2**31 - 1
LIBRARIES = ("numpy", "scipy", "krippendorff", "pandas", "matplotlib")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute the numbers."""
    installed = {name: version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), "quaestor-stats": VERSION, **installed}
