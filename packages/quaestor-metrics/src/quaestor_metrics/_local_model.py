"""Transformers in folders of this machine (extra `neural`): find them, check that they can run, and
identify them."""

import hashlib
import os
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def folder_of(variable: str) -> Path | None:
    """Return the model folder that the operator set."""
    named = os.environ.get(variable)
    return Path(named) if named else None


def reason_against(folder: Path | None, variable: str) -> str:
    """Return why a model folder cannot be used, or nothing."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        return "torch and transformers are not installed (python3 run.py extras neural)"
    if folder is None:
        return f"no model: set {variable} to the folder of a downloaded transformer"
    if not (folder / "config.json").is_file():
        return f"{folder} holds no transformer (there is no config.json)"
    return ""


def identity(folder: Path | None) -> str:
    """Name a model by its folder and by the content of its files, with the libraries that run
    it."""
    if folder is None or reason_against(folder, ""):
        return "no model"
    files = sorted(path for path in folder.iterdir() if path.is_file())
    digest = _digest(tuple((path, path.stat().st_mtime_ns) for path in files))
    libraries = f"transformers {version('transformers')}, torch {version('torch')}"
    return f"{folder.name} sha256 {digest[:16]}, {libraries}"


def longest(tokenizer: Any, config: Any) -> int:
    """Return how many word pieces a model reads at once."""
    room = int(getattr(config, "max_position_embeddings", 512))
    # RoBERTa counts positions from its padding id
    room -= 2 if "roberta" in config.model_type else 0
    return min(int(tokenizer.model_max_length), room)


@cache
def _digest(files: tuple[tuple[Path, int], ...]) -> str:
    whole = hashlib.sha256()
    for path, _ in files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
