"""Requests that the schema of the REST API allows, and others: no server error, no status that the
schema does not name, nothing of another user's."""

import random
import time
from typing import Any
from unittest import SkipTest

import hypothesis
import pytest
import schemathesis
from django.utils import timezone
from hypothesis.errors import Unsatisfiable

from config.data_folder import ROOT
from judging.campaigns.actions import campaigns
from judging.jobs.models.job import Job
from judging.people.actions import tokens
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
SECONDS = 60
CASES_A_ROUND = 4
FOREIGN = "Not yours to read"
MODES = list(schemathesis.GenerationMode)


@pytest.fixture
def parts() -> tuple[dict[str, str], dict[str, Any]]:
    """Return tokens by scope, and what parts of addresses stand for."""
    foreign = annotated.opened(title=FOREIGN)
    foreign.dataset.name = FOREIGN
    foreign.dataset.save()
    imported = studies.imported(sources=2)
    owner = imported.created_by
    judged = factories.enrollment(annotated.opened(sources=3))
    held = annotated.held(judged)
    job = Job.objects.create(kind="analysis.run", created_by=owner, campaign=imported)
    texts = {
        scope: tokens.make_token(user=user, now=timezone.now(), scope=scope)
        for scope, user in (("manage", owner), ("annotate", judged.user))
    }
    invitation = campaigns.create_invitation(
        campaign=judged.campaign, by=judged.campaign.created_by
    )
    known = {
        "campaign": imported.uuid,
        "dataset": imported.dataset_id,
        "jobs": job.pk,
        "number": 1,
        "metric": 1,
        "annotate/campaigns": judged.campaign.uuid,
        "annotate/tasks": held.pk,
        "invitation": invitation.token,
    }
    return texts, known


def own_parts(path: str, parameters: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an address with those that are the user's own."""
    place = path.removeprefix("/api/v1/").partition("/{")[0]
    found = dict(parameters)
    for name in found:
        if name == "uuid":
            found[name] = known.get(place, known["campaign"])
        elif name == "id" and place == "datasets":
            found[name] = known["dataset"]
        elif name == "id" and place in known:
            found[name] = known[place]
        elif name in known:
            found[name] = known[name]
    return {name: str(value) for name, value in found.items()}


def test_requests_within_and_beyond_the_schema_find_no_undocumented_answer(
    live_server: Any, parts: Any
) -> None:
    texts, known = parts
    schema = schemathesis.openapi.from_path(ROOT / "docs" / "openapi.yaml")
    operations = [found.ok() for found in schema.get_all_operations()]
    wrong: dict[str, str] = {}
    deadline = time.monotonic() + SECONDS
    sent = 0
    drawn = random.Random(1)

    def try_operation(operation: Any, mode: Any) -> None:
        path = operation.path
        scope = "annotate" if "/annotate/" in path else "manage"
        headers = {} if "/join/" in path else {"Authorization": f"Token {texts[scope]}"}
        documented = set(operation.definition.raw["responses"])

        @hypothesis.given(
            case=operation.as_strategy(generation_mode=mode), own=hypothesis.strategies.booleans()
        )
        @hypothesis.settings(
            max_examples=CASES_A_ROUND,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.seed(drawn.randrange(10**9))
        def once(case: Any, own: bool) -> None:
            nonlocal sent
            if time.monotonic() > deadline:
                return
            if own and case.path_parameters:
                case.path_parameters = own_parts(path, case.path_parameters, known)
            response = case.call(base_url=live_server.url, headers=headers)
            sent += 1
            said = f"{response.status_code} {case.as_curl_command()[:600]} {response.text[:300]}"
            if response.status_code >= 500 or str(response.status_code) not in documented:
                wrong.setdefault(f"{operation.method} {path} {response.status_code}", said)
            if FOREIGN in response.text:
                wrong.setdefault(f"{operation.method} {path} foreign", said)

        once()

    while time.monotonic() < deadline:
        drawn.shuffle(operations)
        for operation in operations:
            for mode in MODES:
                if time.monotonic() < deadline:
                    try:
                        try_operation(operation, mode)
                    except (Unsatisfiable, SkipTest):  # nothing of this kind to be sent there
                        continue
    assert not wrong, "\n".join(wrong.values())
    assert sent > len(operations)
