"""BERTScore (Zhang et al. 2020): each word piece matched to its nearest in the other text by
cosine."""

import csv
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from quaestor_metrics._contract import MetricSpec, MetricUnavailable, Parameter, ScoredUnit
from quaestor_metrics._encoder import Encoded, EncodedPairs
from quaestor_metrics._models import libraries
from quaestor_metrics._version import __version__

PARTS = ("precision", "recall", "f1")
PUBLISHED = 0  # the layer of bert-score's table, else the last one
_LAYERS = """
    bert-base-uncased 9 bert-large-uncased 18 bert-base-multilingual-cased 9 bert-base-chinese 8
    roberta-base 10 roberta-large 17 roberta-large-mnli 19 distilroberta-base 5
    distilbert-base-uncased 5 distilbert-base-multilingual-cased 5 albert-base-v2 9
    albert-xxlarge-v2 8 xlnet-base-cased 5 xlnet-large-cased 7 xlm-roberta-base 9
    xlm-roberta-large 17 allenai/scibert_scivocab_uncased 8 facebook/bart-base 6
    facebook/bart-large 10 microsoft/mpnet-base 8 microsoft/deberta-base 9
    microsoft/deberta-base-mnli 9 microsoft/deberta-large 16 microsoft/deberta-large-mnli 18
    microsoft/deberta-xlarge 18 microsoft/deberta-xlarge-mnli 40 microsoft/deberta-v2-xlarge-mnli 17
    microsoft/deberta-v2-xxlarge-mnli 22 microsoft/deberta-v3-base 9 microsoft/deberta-v3-large 12
"""
_WORDS = _LAYERS.split()
LAYERS = dict(zip(_WORDS[0::2], map(int, _WORDS[1::2]), strict=True))
RESCALED_LEAST = -200.0  # no published baseline is above .99


def bert_score(hypothesis: Encoded, reference: Encoded) -> tuple[float, float, float]:
    """Return precision, recall and F1, without idf weights and without rescaling.

    The special pieces at both ends can be matched to, but their own match does not count in the
    mean.
    """
    cosine = hypothesis.vectors @ reference.vectors.T
    precision = float(cosine.max(axis=1)[~hypothesis.special].mean())
    recall = float(cosine.max(axis=0)[~reference.special].mean())
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total > 0 else 0.0


def published_layer(model: str) -> int:
    """Return the layer that bert-score uses of a model, or -1, the last, if it is not in the table.

    Examples
    --------
    >>> published_layer("roberta-large"), published_layer("deberta-xlarge-mnli"), published_layer("x")
    (17, 40, -1)
    """
    by_folder = {name.rpartition("/")[2]: layer for name, layer in LAYERS.items()}
    return LAYERS.get(model, by_folder.get(model, -1))


def baseline(model: str, layer: int) -> tuple[float, ...]:
    """Return precision, recall and F1 of unrelated texts, from the files of the package bert-score.

    Raises
    ------
    MetricUnavailable
        The package is not installed, or it has no baseline of the model's layer for English.
    """
    package = find_spec("bert_score")
    folders = package.submodule_search_locations if package else None
    if not folders:
        raise MetricUnavailable("the baselines need the package bert-score")
    files = Path(folders[0], "rescale_baseline", "en")
    for file in (files / f"{model}.tsv", *sorted(files.glob(f"*/{model}.tsv"))):
        if file.is_file():
            with file.open(encoding="utf-8", newline="") as rows:
                for row in csv.DictReader(rows):
                    if int(row["LAYER"]) == layer:
                        return float(row["P"]), float(row["R"]), float(row["F"])
    raise MetricUnavailable(f"bert-score has no English baseline of layer {layer} of {model}")


class BERTScore(EncodedPairs):
    """BERTScore of one question, best of several references.

    Parameters
    ----------
    model : str, or mapping of str to TransformerModel, optional
        A folder or an id on the Hugging Face hub; or several models by name.
    revision : str, optional
        Commit or tag on the hub.
    layer : int, optional
        Hidden layer whose vectors are compared, -1 is the last; by default, the one that
        bert-score publishes for the model, else the last.
    device : str
        Where the model runs, as torch names it.
    batch_size : int
        Number of texts that are encoded at once.
    **settings
        `part`: `f1` (default), `precision` or `recall`. `rescale`: whether English baselines of
        the package bert-score are subtracted, as its `rescale_with_baseline` does.

    References
    ----------
    Zhang, Kishore, Wu, Weinberger and Artzi 2020, BERTScore: Evaluating text generation with BERT.

    Examples
    --------
    >>> BERTScore("roberta-large").hash(transformers="5.0.0")
    'roberta-large_L17_no-idf_version=quaestor-metrics 0.1.0(hug_trans=5.0.0)'
    """

    def __init__(self, model: Any = None, *, layer: int | None = None, **options: Any) -> None:
        chosen: dict[str, Any] = {} if layer is None else {"layer": layer}
        super().__init__(model, **chosen, **options)

    def described(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="bertscore",
            name="BERTScore",
            version="1",
            unit=ScoredUnit.PAIR,
            range=(RESCALED_LEAST, 1.0),
            parameters=(
                self.model_parameter(),
                Parameter(
                    "part", "f1", "which of the three", choices=("f1", "precision", "recall")
                ),
                Parameter(
                    "layer",
                    PUBLISHED,
                    "hidden layer whose vectors are compared; -1 is the last, 0 the one that "
                    "bert-score publishes for the model",
                    least=-200,
                    most=200,
                ),
                Parameter(
                    "rescale",
                    False,
                    "subtract bert-score's English baseline",
                    choices=(False, True),
                ),
            ),
            library=libraries(),
            tokenises=True,
        )

    def description(self, name: str) -> dict[str, Any]:
        model = super().description(name)
        return model | {"published_layer": published_layer(model["name"])}

    def layer(self, params: Mapping[str, Any]) -> int:
        return int(params["layer"]) or published_layer(self.chosen(params).name)

    def hash(self, transformers: str = "") -> str:
        """Return the hash that bert-score prints beside its scores, with this package's version.

        Parameters
        ----------
        transformers : str
            Version of transformers; by default, the installed one.

        Returns
        -------
        str
            Model, layer, idf, versions and rescaling.
        """
        params = {one.name: one.default for one in self.spec.parameters}
        used = (
            f"quaestor-metrics {__version__}(hug_trans={transformers or version('transformers')})"
        )
        rescaled = "-rescaled" if params["rescale"] else ""
        name = self.chosen(params).name
        return f"{name}_L{self.layer(params)}_no-idf_version={used}{rescaled}"

    def compared(
        self, hypothesis: Encoded, reference: Encoded, params: Mapping[str, Any]
    ) -> tuple[float, dict[str, Any]]:
        three = bert_score(hypothesis, reference)
        if params["rescale"]:
            base = baseline(self.chosen(params).name, self.layer(params))
            three_rescaled = [(x - b) / (1 - b) for x, b in zip(three, base, strict=True)]
            three = (three_rescaled[0], three_rescaled[1], three_rescaled[2])
        detail = dict(zip(PARTS, three, strict=True))
        return detail[params["part"]], detail
