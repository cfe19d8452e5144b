"""Transformers (extra `neural`): where they are, whether they can run, and what identifies them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from quaestor_metrics._contract import MetricUnavailable, Parameter
from quaestor_metrics._metric import Metric


@dataclass(frozen=True, slots=True)
class TransformerModel:
    """A transformer.

    Parameters
    ----------
    source : str
        A folder, from which nothing is ever downloaded, or an id on the Hugging Face hub. An
        absolute path is always a folder.
    revision : str, optional
        Commit or tag on the hub.
    device : str
        Where it runs, as torch names it: `cpu`, `cuda`, `cuda:1`.
    batch_size : int
        Number of texts that it reads at once.

    Examples
    --------
    >>> TransformerModel("roberta-large", revision="refs/pr/1").description()
    {'name': 'roberta-large', 'revision': 'refs/pr/1', 'device': 'cpu'}
    """

    source: str
    revision: str | None = None
    device: str = "cpu"
    batch_size: int = 64

    @property
    def folder(self) -> Path | None:
        """The folder; None for an id on the hub."""
        path = Path(self.source)
        return path if path.is_absolute() or path.is_dir() else None

    @property
    def name(self) -> str:
        """The name of the folder, or the id."""
        return self.folder.name if self.folder else self.source

    def reason_against(self) -> str:
        """Return why the model cannot run here, or nothing."""
        if find_spec("torch") is None or find_spec("transformers") is None:
            return "torch and transformers are not installed (extra neural)"
        if self.folder and not (self.folder / "config.json").is_file():
            return f"{self.folder} holds no transformer (there is no config.json)"
        return ""

    def description(self) -> dict[str, Any]:
        """Return name, revision and device; the revision of a folder is the hash of its files."""
        revision = self.revision or ("main" if self.folder is None else _content(self.folder))
        return {"name": self.name, "revision": revision, "device": self.device}

    def load(self, kind: str, **options: Any) -> tuple[Any, Any]:
        """Return tokenizer and model.

        Parameters
        ----------
        kind : str
            Class of transformers, such as `AutoModel`.
        **options
            Further arguments of its `from_pretrained`.

        Returns
        -------
        tuple
            The tokenizer, whose `model_max_length` is what the model reads at once, and the model in
            evaluation mode on its device.

        Raises
        ------
        MetricUnavailable
            The model cannot be loaded.
        """
        where = {
            "revision": self.revision or "main",
            "local_files_only": self.folder is not None,
        }
        try:
            library = import_module("transformers")
            tokenizer = library.AutoTokenizer.from_pretrained(self.source, **where)
            model = getattr(library, kind).from_pretrained(self.source, **where, **options)
            positions = int(getattr(model.config, "max_position_embeddings", 512))
            # RoBERTa counts positions from its padding id
            positions -= 2 if "roberta" in model.config.model_type else 0
            tokenizer.model_max_length = min(int(tokenizer.model_max_length), positions)
            return tokenizer, model.eval().to(self.device)
        except (ImportError, OSError, ValueError, KeyError) as error:
            raise MetricUnavailable(f"the model in {self.source} does not load: {error}") from error


class ModelMetric(Metric):
    """A metric that runs one of several transformers.

    Parameters
    ----------
    model : str, or mapping of str to TransformerModel, optional
        A folder or an id on the hub; or several models by name, among which the parameter `model`
        chooses (`reader` of metrics that answer questions).
    revision, device, batch_size
        As for `TransformerModel`, if `model` is a folder or an id.
    **settings
        Values of the metric's parameters.
    """

    chooser = "model"

    def __init__(
        self,
        model: str | Mapping[str, TransformerModel] | None = None,
        *,
        revision: str | None = None,
        device: str = "cpu",
        batch_size: int = 64,
        **settings: Any,
    ) -> None:
        if model is None or isinstance(model, str):
            one = TransformerModel(model or "", revision, device, batch_size)
            self.models: Mapping[str, TransformerModel] = {one.name: one} if model else {}
        else:
            self.models = model
        super().__init__(**settings)

    def model_parameter(self) -> Parameter:
        """Return the parameter that chooses the model."""
        return Parameter(
            self.chooser,
            next(iter(self.models), ""),
            "transformer that is run",
            choices=tuple(self.models),
            describe=self.description,
        )

    def description(self, name: str) -> dict[str, Any]:
        """Return what a recipe stores of a model."""
        return self.models[name].description() if name in self.models else {"name": "no model"}

    def reason_against(self, model: TransformerModel) -> str:
        """Return why a model cannot be used for the metric, or nothing."""
        return model.reason_against()

    def available(self) -> tuple[bool, str]:
        reasons = map(self.reason_against, self.models.values())
        reason = min(reasons, key=len, default=f"no {self.chooser} is given")
        return not reason, reason

    def chosen(self, params: Mapping[str, Any]) -> TransformerModel:
        """Return the model that the parameters name."""
        if params[self.chooser] not in self.models:
            raise MetricUnavailable(f"no {self.chooser} is given")
        return self.models[params[self.chooser]]


@cache
def libraries() -> str:
    """Return the libraries that run transformers, with their versions."""
    try:
        return f"transformers {version('transformers')}, torch {version('torch')}"
    except PackageNotFoundError:
        return ""


def _content(folder: Path) -> str:
    if not folder.is_dir():
        return "missing"
    files = sorted(path for path in folder.iterdir() if path.is_file())
    digest = _digest(tuple((path, path.stat().st_mtime_ns) for path in files))
    return f"sha256 {digest[:16]}"


@cache
def _digest(files: tuple[tuple[Path, int], ...]) -> str:
    whole = hashlib.sha256()
    for path, _ in files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
