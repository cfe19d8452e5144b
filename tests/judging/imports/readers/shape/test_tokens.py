"""Special tokens of language models."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, read, remarks, texts

HEADER = ("passage", "system", "question", "reference")
ROWS = [
    ("Owls <hl> hunt <hl>.", "A", "<pad> Who hunts?</s>", "Who <unk> hunts?"),
    ("Mice sleep.", "A", "<pad>Who sleeps?</s><pad>", "[CLS] Who sleeps? [SEP]"),
]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("is_removing", [False, True])
def test_special_tokens_are_counted_and_removed_on_demand(form: str, is_removing: bool) -> None:
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS)
    data = lines if form == "jsonl" else as_csv(HEADER, ROWS)
    found, study = read(data, f"a.{form}", {"special_tokens": is_removing})
    offers = [each.reason for each in found.problems if each.kind == "offer"]

    assert study.sources[0].passage == "Owls <hl> hunt <hl>."
    counted = "<pad> (3), </s> (2), <unk> (1), [CLS] (1), [SEP] (1)."
    if is_removing:
        assert texts(study) == ["Who hunts?", "Who sleeps?"]
        assert study.sources[1].references == ("Who sleeps?",)
        assert (len(offers), remarks(found)[0].endswith(counted)) == (0, True)
    else:
        assert texts(study) == [row[2] for row in ROWS]
        assert (remarks(found), [offer.endswith(counted) for offer in offers]) == ([], [True])


def test_questions_without_special_tokens_are_not_remarked_on() -> None:
    found, _ = read(as_csv(HEADER, [("A <b> c.", "A", "Is 3 < 4 and 5 > 4?", "What [is] it?")]))

    assert not found.problems
