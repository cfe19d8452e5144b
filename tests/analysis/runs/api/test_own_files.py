"""Files that we write are read right: a study is exported, imported again, and counted."""

import io
import json
import zipfile

import pandas as pd
import pytest
from django.utils import timezone

from judging.campaigns.models.campaign import Campaign
from judging.formats.mapping import Mapping
from judging.formats.recipes import writers
from judging.imports.actions import adding, exports
from judging.imports.actions import files as dataset_files
from judging.jobs import storage
from judging.protocols.models.protocol import Protocol
from judging.work.models.judgment import Judgment
from tests.analysis import studies
from tests.judging.programs import API, program

pytestmark = pytest.mark.django_db
NAMES = (
    "long form.csv",
    "guarded long form.csv",
    "long form.jsonl",
    "streamed judgments.csv",
    "streamed judgments.jsonl",
    "listed judgments.csv",
    "listed judgments.json",
    "judgments and items.csv",
    "bundle.zip",
)


def study() -> Campaign:
    """Return a campaign of 12 sources, 3 systems, 3 annotators and 2 criteria. Passages hold two
    sources, and two systems ask the same question."""
    rows = ["source_id,passage,answer,system,question,meteor,annotator,grammaticality,correctness"]
    for source in range(12):
        year = 1700 + source // 2
        passage = f"Lock {source // 2} was built by Ada Lind in {year}."
        for place, system in enumerate(("Alba", "Brisa", "Corvo")):
            question = "Who built it?" if place < 2 else f"When was lock {source} built?"
            rows += [
                f"{source},{passage},Ada Lind,{system},{question},.{source}{place},{annotator},"
                f"{3 - (source + place) % 2},{1 + (source + place + number) % 3}"
                for number, annotator in enumerate(("A1", "A2", "A3"))
            ]
    return studies.campaign_of("\n".join(rows).encode())


@pytest.fixture(scope="module")
def campaign(lasting: None) -> Campaign:
    return study()


@pytest.fixture(scope="module")
def files(campaign: Campaign) -> dict[str, bytes]:
    """Return the study in every format that we write."""
    records = exports.export_campaign(campaign=campaign)
    api, path = program(campaign.created_by, "read"), f"{API}/campaigns/{campaign.uuid}"
    streams = [api.get(f"{path}/judgments/export/{kind}/").getvalue() for kind in ("csv", "jsonl")]
    judgments = api.get(f"{path}/judgments/", {"limit": 1000}).json()["results"]
    items = api.get(f"{API}/datasets/{campaign.dataset_id}/items/").json()["results"]
    joined = pd.DataFrame(judgments).merge(pd.DataFrame(items))
    run = studies.analysed(campaign, further=[])
    report = api.get(f"{path}/runs/{run.number}/report/zip/").content
    contents = (
        "".join(writers.study_pieces(records)).encode(),
        "".join(writers.study_pieces(records, guarded=True)).encode(),
        "".join(writers.jsonl_pieces([records])).encode(),
        *streams,
        pd.DataFrame(judgments).to_csv(index=False).encode(),
        json.dumps(judgments).encode(),
        joined.to_csv(index=False).encode(),
        report,
    )
    return dict(zip(NAMES, contents, strict=True))


@pytest.mark.parametrize(
    ("name", "recipe"), [*((name, "") for name in NAMES), *((name, "table") for name in NAMES[:-1])]
)
def test_file_of_ours_read_again_has_the_same_counts(
    files: dict[str, bytes], name: str, recipe: str
) -> None:
    again = adding.study_in(name=name, data=files[name], mapping=Mapping(recipe=recipe))
    counts = (len(again.sources), again.questions["text"].count(), len(again.ratings))
    assert counts == (12, 36, 216)
    assert not again.problems


def test_judgments_joined_with_items_imported_again_are_the_same_study(
    campaign: Campaign, files: dict[str, bytes]
) -> None:
    data = files["judgments and items.csv"]
    copy = studies.campaign_of(data, protocol=campaign.protocol, name="joined.csv")
    texts = ("passage__text", "answer", "question_sets__units__question__text")
    assert set(copy.dataset.sources.values_list(*texts)) == set(
        campaign.dataset.sources.values_list(*texts)
    )
    judgments = Judgment.objects.filter(assignment__round__campaign=copy)
    assert judgments.count() == 216


def test_scores_and_judgments_name_items_alike(campaign: Campaign) -> None:
    api, path = program(campaign.created_by, "read"), f"{API}/datasets/{campaign.dataset_id}"
    items = pd.DataFrame(api.get(f"{path}/items/").json()["results"])
    [metric] = api.get(f"{path}/metrics/").json()
    scores = api.get(f"{path}/metrics/{metric['id']}/scores/").json()["results"]
    joined = pd.DataFrame(scores).merge(items)
    assert len(joined) == len(items) == 36
    assert joined["value"].tolist()[:2] == [0, 0.01]


def test_tables_of_a_bundle_added_one_after_the_other_are_the_same_study(
    campaign: Campaign, files: dict[str, bytes]
) -> None:
    dataset = dataset_files.create_dataset(name="Tables", by=campaign.created_by)
    with zipfile.ZipFile(io.BytesIO(files["bundle.zip"])) as archive:
        contents = [archive.read(f"data/{name}.csv") for name in ("items", "judgments")]
    for content, protocol in zip(contents, (None, campaign.protocol), strict=True):
        added = dataset_files.upload_file(
            dataset=dataset, name="table.csv", file=storage.store_bytes(content), by=dataset.owner
        )
        none = Protocol.objects.none()
        dataset_files.read_file(added=added, mapping=Mapping(), protocols=none, protocol=protocol)
        adding.add_file(added=added, by=dataset.owner, now=timezone.now(), accept_surprises=True)
    judgments = Judgment.objects.filter(unit__question__isnull=False)
    assert judgments.filter(unit__question_set__source__dataset=dataset).count() == 216
    assert (dataset.sources.count(), dataset.quarantine.count()) == (12, 0)
