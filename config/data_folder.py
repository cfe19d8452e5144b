"""Where the program's files and the site's data are. Standard library only, because run.py reads it
before there is an environment."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (ROOT / "run.py").exists()
PROGRAM = "python3 run.py" if IS_CHECKOUT else "quaestor"  # as the user calls it
# Templates, styles, translations and help: in a wheel they are inside a package
RESOURCES = ROOT if IS_CHECKOUT else ROOT / "config" / "resources"
CONTRADICTION = """--home names the embedded database of that folder, but DATABASE_URL names another database.
Unset DATABASE_URL, or give the data folder of a site with an external database as QUAESTOR_HOME."""


def data_folder() -> Path:
    """Return the data folder: $QUAESTOR_HOME, else `var` of a checkout, else one of the user's."""
    if home := os.environ.get("QUAESTOR_HOME"):
        return Path(home).resolve()
    if IS_CHECKOUT:
        return (ROOT / "var").resolve()
    data_home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data_home).resolve() / "quaestor"


def take_home(words: list[str]) -> list[str]:
    """Set the data folder from `--home`, which must be known before Django is, and return the other
    words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--home", type=Path)
    known, others = parser.parse_known_args(words)
    if known.home and os.environ.get("DATABASE_URL"):
        sys.exit(CONTRADICTION)
    if known.home:
        os.environ["QUAESTOR_HOME"] = str(known.home.absolute())
    return others
