"""The bundle of a run, imported, is the same study."""

from typing import Any

import pytest
from django.utils import timezone

from analysis.models import Run
from analysis.runs.actions import bundles, exports, runs
from judging.campaigns.models.campaign import Campaign
from judging.formats.mapping import Mapping
from judging.imports.actions import adding
from judging.imports.actions.exports import export_campaign
from judging.jobs import storage
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions.protocols import install
from judging.protocols.models.protocol import Protocol
from tests import factories
from tests.analysis import studies
from tests.judging.imports.actions.test_exports import contents, judged, rich, said

pytestmark = pytest.mark.django_db
# a question is rated twice by A1; A3 is to be excluded
REPEATED = "passage,answer,system,question,annotator,grammaticality\n" + "".join(
    f"Lock {number} was built by Ada.,Ada,{system},Who built {number} {system}?,{annotator},"
    f"{1 + (number + len(system) + place) % 3}\n"
    for number in range(6)
    for system in ("Alba", "Brisa")
    for place, annotator in enumerate(("A1", "A2", "A1", "A3"))
)


def imported_again(run: Run, owner: User | None = None) -> adding.Imported:
    """Return what a bundle becomes if every proposal is accepted."""
    return adding.import_file(
        file=storage.store_bytes(exports.archive(run)),
        file_name="bundle.zip",
        name="Again",
        by=owner or factories.researcher(),
        now=timezone.now(),
        mapping=Mapping(),
        protocols=Protocol.objects.none(),
        accept_surprises=True,
    )


def tables_of(run: Run) -> dict[str, Any]:
    stored = runs.StoredTables(run)
    return {name: stored.get(name) for name in bundles.RECOMPUTED}


def test_bundle_imported_again_has_the_same_tables() -> None:
    run = studies.analysed(studies.imported(sources=8), further=[])
    made = imported_again(run)
    assert made.campaign is not None
    assert made.campaign.protocol == run.campaign.protocol
    assert made.quarantined == 0
    assert tables_of(studies.analysed(made.campaign, further=[])) == tables_of(run)


def test_bundle_imported_again_brings_its_protocol_repeats_and_exclusions() -> None:
    campaign = studies.campaign_of(REPEATED.encode(), repeats="ratings")
    studies.exclude(campaign.enrollments.get(label="A3"), by=campaign.created_by)
    document = campaign.protocol.document | {"key": "own", "title": "Own"}
    own = install(document=documents.protocol_from_document(document), owner=campaign.created_by)
    run = studies.analysed(campaign, further=[])
    Campaign.objects.filter(pk=campaign.pk).update(protocol=own)
    owner = factories.researcher()
    made = imported_again(Run.objects.get(pk=run.pk), owner)
    assert made.campaign is not None
    protocol = made.campaign.protocol
    assert (protocol.digest, protocol.owner) == (own.digest, owner)
    assert made.dataset.sources.filter(repeat_of__isnull=False).count() == 6
    assert tables_of(studies.analysed(made.campaign, further=[])) == tables_of(run)


def test_study_with_marks_and_notes_is_imported_again_whole() -> None:
    campaign = judged()
    made = imported_again(studies.analysed(campaign, further=[], metrics=[]))
    assert made.campaign is not None
    assert made.quarantined == 0
    assert said(made.campaign) == said(campaign)


def test_study_with_metrics_means_and_missing_questions_is_imported_again_whole() -> None:
    campaign = rich()
    made = imported_again(studies.analysed(campaign, further=[], metrics=[]))
    assert made.campaign is not None
    assert made.quarantined == 0
    after, before = (contents(export_campaign(campaign=each)) for each in (made.campaign, campaign))
    for part in ("sources", "ratings", "expected", "scores"):
        assert after[part] == before[part], part
