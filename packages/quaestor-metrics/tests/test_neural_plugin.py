"""The example plug-in of neural metrics: it registers, and where torch is installed each value is
computed a second time on very small random models."""

import tomllib
from importlib.metadata import EntryPoint
from math import exp
from pathlib import Path

import numpy as np
import pytest
import tiny_models
from metric_models import require
from quaestor_neural_metrics import (
    BARTSCORE,
    METRICS,
    QRELSCORE,
    RQUGE,
    gained,
    sentences,
    zero_shot,
)

from quaestor_metrics import list_metrics, normalize_answer
from quaestor_metrics._contract import MetricUnavailable, ScoredQuestion, Status
from quaestor_metrics._q_metric import can_mix
from quaestor_metrics._registry import GROUP
from quaestor_metrics._registry import loaded as loaded_entry
from quaestor_metrics._scoring import score_items
from quaestor_metrics._set_metrics import can_compose

PACKAGE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "neural_metrics"
BY_ID = {metric.spec.id: metric for metric in METRICS}
QUESTION = ScoredQuestion(
    "who built the old bridge ?",
    ("who was it ?", "when was the lock built ?"),
    "Ann Lind built the old bridge in 1790 . It stands by the iron gates of the lock .",
    "Ann Lind",
)
OTHER = ScoredQuestion(
    "where is it ?", ("who was it ?",), "The lock was built by Ann .", "the lock"
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    require("torch", "transformers")
    kinds = ("seq2seq", "masked", "causal", "classifier")
    made = {kind: tiny_models.make(tmp_path_factory.mktemp(kind), kind) for kind in kinds}
    made["encoder"] = made["masked"]
    with pytest.MonkeyPatch.context() as patch:
        for metric in METRICS:
            for variable, kind in metric.models:
                patch.setenv(variable, str(made[kind]))
        yield made


def loaded(folder, name):
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tokenizer, getattr(transformers, name).from_pretrained(folder).eval()


def value(id, question=QUESTION, **params):
    (found,) = score_items(BY_ID[id], [question], params=params)
    assert found.value is not None, found.reason
    return found.value


def test_entry_points_of_the_package_load_every_metric():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    points = [
        EntryPoint(name, value, GROUP) for name, value in project["entry-points"][GROUP].items()
    ]

    entries = [loaded_entry(point, taken=()) for point in points]

    assert {entry.id: entry.metric for entry in entries} == BY_ID
    assert {entry.reason for entry in entries} == {""}
    built_in = {entry.id for entry in list_metrics() if entry.origin == "built in"}
    assert not BY_ID.keys() & built_in


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.id)
def test_without_a_model_the_reason_is_said(metric, monkeypatch, tmp_path):
    for variable, _ in metric.models:
        monkeypatch.delenv(variable, raising=False)
    usable, reason = metric.available()
    assert not usable
    assert "not installed" in reason or metric.models[0][0] in reason
    with pytest.raises(MetricUnavailable, match=metric.id):
        score_items(metric, [QUESTION])


def test_arithmetic_by_hand() -> None:
    assert gained(0.25, 0.5) == 1.0
    assert gained(0.5, 0.25) == 0.0
    # the best entailment and the worst contradiction may be of two sentences
    assert zero_shot(np.array([0.5, 0.25]), np.array([0.0, 0.75])) == -0.25
    assert sentences("It is. Ann built the bridge! Who else?") == ["Ann built the bridge!"]
    assert sentences("Ann.") == ["Ann."]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.id)
def test_no_metric_is_derived_from_one_without_a_zero_or_that_reads_the_passage(metric):
    assert not can_compose(metric.spec)
    assert not can_mix(metric.spec)


def test_bartscore_is_minus_the_models_own_loss(folders):
    tokenizer, model = loaded(folders["seq2seq"], "AutoModelForSeq2SeqLM")

    def loss(source, target):
        labels = tokenizer(target, return_tensors="pt")["input_ids"]
        return -model(**tokenizer(source, return_tensors="pt"), labels=labels).loss.item()

    asked, references = QUESTION.hypothesis, QUESTION.references
    precision = max(loss(one, asked) for one in references)
    recall = max(loss(asked, one) for one in references)
    both = max((loss(one, asked) + loss(asked, one)) / 2 for one in references)
    assert value("bartscore", part="precision") == pytest.approx(precision, abs=1e-4)
    assert value("bartscore", part="recall") == pytest.approx(recall, abs=1e-4)
    assert value("bartscore") == pytest.approx(both, abs=1e-4)
    source = loss(QUESTION.context, asked)
    assert value("bartscore_source") == pytest.approx(source, abs=1e-4)
    (empty,) = score_items(BARTSCORE, [ScoredQuestion("", ("who ?",))])
    assert (empty.status, empty.reason) == (Status.UNDEFINED, "the question is empty")


def test_unieval_weighs_the_first_word_that_would_be_written(folders):
    import torch

    tokenizer, model = loaded(folders["seq2seq"], "AutoModelForSeq2SeqLM")
    text = f"question: Is this a fluent paragraph? </s> paragraph: {QUESTION.hypothesis}"
    labels = torch.tensor([[tokenizer.convert_tokens_to_ids("No")]])  # any: only its place counts
    logits = model(**tokenizer(text, return_tensors="pt"), labels=labels).logits[0, 0]
    yes, no = (logits[tokenizer.convert_tokens_to_ids(word)].item() for word in ("Yes", "No"))
    assert value("unieval") == pytest.approx(exp(yes) / (exp(yes) + exp(no)), abs=1e-6)
    assert value("unieval", dimension="consistency") != value("unieval")


def test_qascore_is_the_likelihood_of_each_masked_piece_of_the_answer(folders):
    import torch

    tokenizer, model = loaded(folders["masked"], "AutoModelForMaskedLM")
    ids = [
        tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text))
        for text in (QUESTION.context, QUESTION.hypothesis, QUESTION.answer)
    ]
    end = tokenizer.sep_token_id
    whole = [*ids[0], end, *ids[1], end, *ids[2]]
    own, script = [], []
    for at in range(len(whole) - len(ids[2]), len(whole)):
        masked = torch.tensor([[*whole[:at], tokenizer.mask_token_id, *whole[at + 1 :]]])
        told = model(input_ids=masked, labels=torch.tensor([whole]))
        script.append(-told.loss.item())
        own.append(torch.log_softmax(told.logits[0, at], dim=-1)[whole[at]].item())
    assert len(own) == 2
    assert value("qascore") == pytest.approx(np.mean(own), abs=1e-4)
    assert value("qascore", formula="script") == pytest.approx(np.mean(script), abs=1e-4)


def test_qrelscore_joins_attended_likeness_with_what_the_passage_gains(folders):
    import torch

    tokenizer, model = loaded(folders["causal"], "AutoModelForCausalLM")

    def likelihood(text):
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        table = torch.softmax(model(input_ids=ids).logits[0], dim=-1)
        return np.mean([table[at, ids[0, at + 1]].item() for at in range(ids.shape[1] - 1)])

    alone = likelihood(QUESTION.context)
    after = likelihood(f"{QUESTION.hypothesis} {QUESTION.context}")
    whole = max(0.0, (after - alone) / alone)
    tokenizer, model = loaded(folders["masked"], "AutoModel")
    model.set_attn_implementation("eager")
    given = tokenizer(QUESTION.hypothesis, QUESTION.context, return_tensors="pt")
    found = model(**given, output_hidden_states=True, output_attentions=True)
    size, end = len(tokenizer.tokenize(QUESTION.hypothesis)), given["input_ids"].shape[1] - 2
    likeness = []
    for layer, attention in enumerate(found.attentions):
        for at in range(1, size):
            heads = attention[0, :, at, size + 2 : end].max(dim=0).values
            to = size + 2 + int(heads.argmax())
            pair = found.hidden_states[layer + 1][0, [at, to]]
            likeness.append(torch.cosine_similarity(pair[0], pair[1], dim=0).item())
    (result,) = score_items(QRELSCORE, [QUESTION])
    local = np.mean(likeness)
    assert result.detail["local"] == pytest.approx(local, abs=1e-5)
    assert result.detail["global"] == pytest.approx(whole, abs=1e-5)
    expected = 2 * local * whole / (local + whole + 1e-8) if local + whole > 0 else 0.0
    assert result.value == pytest.approx(expected, abs=1e-5)


def test_rquge_rates_what_its_reader_answers(folders):
    tokenizer, model = loaded(folders["seq2seq"], "AutoModelForSeq2SeqLM")
    given = tokenizer(rf"{QUESTION.hypothesis} \n {QUESTION.context}", return_tensors="pt")
    ids = model.generate(**given, max_new_tokens=30, do_sample=False, num_beams=1)
    answer = tokenizer.decode(ids[0], skip_special_tokens=True)
    (result,) = score_items(RQUGE, [QUESTION])
    assert result.detail["answer"] == answer
    passage = "ann lind built old bridge in 1790 it stands by iron gates of lock"
    assert normalize_answer(QUESTION.context) == passage
    text = f"who built old bridge <q> ann lind <r> {normalize_answer(answer)} <c> {passage}"
    tokenizer, model = loaded(folders["classifier"], "AutoModelForSequenceClassification")
    logits = model(**tokenizer(text, return_tensors="pt", truncation=True)).logits
    assert result.value == pytest.approx(logits[0, 0].item(), abs=1e-5)


def test_summac_takes_the_best_sentence(folders):
    import torch

    tokenizer, model = loaded(folders["classifier"], "AutoModelForSequenceClassification")
    parts = ["Ann Lind built the old bridge in 1790 .", "It stands by the iron gates of the lock ."]
    assert sentences(QUESTION.context) == parts
    rows = [
        torch.softmax(
            model(**tokenizer(one, QUESTION.hypothesis, return_tensors="pt")).logits[0], dim=-1
        ).tolist()
        for one in parts
    ]
    expected = max(row[2] for row in rows) - max(row[0] for row in rows)
    assert value("summac_zs") == pytest.approx(expected, abs=1e-5)


def test_each_runs_in_a_batch_as_alone_and_on_odd_texts(folders):
    long = ScoredQuestion("who " * 300, ("who ?",), "Ann built it . " * 300, "Ann")
    for metric in METRICS:
        together = score_items(metric, [QUESTION, OTHER, long])
        alone = [score_items(metric, [one])[0] for one in (QUESTION, OTHER, long)]
        assert together == alone
        assert all(one.value is not None or one.reason for one in together)
