"""Every address x every role x every verb: who is let in is written here, and everybody else is
refused.

The addresses come from the resolver: a new one fails the test until somebody says here who may call
it. Each request is undone, so that none changes what the next one meets.
"""

import os
import uuid
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from config import urls
from judging.campaigns.actions import campaigns, webhooks
from judging.crowd.actions import crowd_platforms
from judging.datasets.models.dataset import Dataset, Unit
from judging.enrolments.actions import enrollments
from judging.jobs.actions import jobs
from judging.people.models.user import User
from judging.protocols.models.protocol import ProtocolDraft
from tests import factories, openapi
from tests.annotation import studies

pytestmark = pytest.mark.django_db
ROLES = (
    "stranger",
    "annotator",
    "other annotator",
    "analyst",
    "manager",
    "ex-analyst",
    "other researcher",
    "administrator",
)
LONG = bool(os.environ.get("QUAESTOR_LONG"))
EVERYBODY = frozenset(ROLES)
KNOWN = EVERYBODY - {"stranger"}
CREATORS = frozenset({"analyst", "manager", "ex-analyst", "other researcher", "administrator"})
STAFF, MANAGER = frozenset({"analyst", "manager"}), frozenset({"manager"})
ANNOTATOR, ADMINISTRATOR = frozenset({"annotator"}), frozenset({"administrator"})
REFUSED = {401, 403, 404}
VERBS = ("get", "post", "head", "options")

# Who is let in by which address. Each other role must be refused by every verb.
MAY = {
    EVERYBODY: """login login_code logout password_reset password_reset_confirm password_reset_complete set_language
        annotation:join annotation:go annotation:crowd annotation:crowd_events
        annotation:offline annotation:service_worker""",
    KNOWN: """password_change password_change_done annotation:home judging:home judging:tokens
        judging:two_factor judging:confirm
        judging:sessions judging:end_sessions judging:datasets judging:protocols judging:campaigns
        annotation:account analysis:help annotation:here judging:header_jobs""",
    CREATORS: "judging:protocol_new judging:campaign_new judging:protocol_copy "
    "judging:dataset_new analysis:reproduce judging:protocol judging:protocol_file",
    ADMINISTRATOR: """judging:accounts judging:account_new judging:account judging:let_try judging:password_link
        judging:site_history judging:site_history_table judging:two_factor_remove
        judging:account_hand_over""",
    ANNOTATOR: """annotation:work annotation:start annotation:consent annotation:pause annotation:done
        annotation:new_link annotation:task annotation:draft annotation:submit annotation:hand_in_again
        annotation:withdraw annotation:decline annotation:exit_form annotation:training annotation:qualification""",
    ANNOTATOR | STAFF: "annotation:guideline",
    STAFF: """judging:rounds analysis:calibration judging:history judging:history_table
        judging:preregistration judging:preregistration_json
        judging:campaign judging:draws judging:tasks judging:codebook judging:label_studio judging:export
        judging:annotators judging:dataset judging:quarantine analysis:report analysis:start analysis:planning
        analysis:planning_start analysis:planning_figure analysis:planning_table analysis:tuning analysis:tuning_start
        analysis:metrics analysis:metrics_start analysis:metrics_compare analysis:matching analysis:matching_start
        analysis:matching_document analysis:matching_figure analysis:run analysis:figure analysis:table
        analysis:everything analysis:bundle judging:job judging:job_cancel
        judging:files judging:file judging:file_rows judging:file_examples analysis:side_by_side analysis:published
        analysis:items analysis:item analysis:keep_example analysis:table_text judging:llm_judges
        analysis:reproduction analysis:reproduction_start analysis:reproduction_table
        judging:adjudication analysis:heds analysis:heds_text
        analysis:dry_run judging:annotator judging:now analysis:pdf analysis:printed_figure analysis:dataset_items
        analysis:dataset_item analysis:section analysis:dry_run_table""",
    MANAGER: """judging:own_systems judging:exit_form judging:exit_question_add judging:exit_question_remove
        judging:exit_answers
        analysis:dry_run_start analysis:dry_run_remove
        judging:gold judging:gold_correct judging:check_retire analysis:degraded_checks
        judging:exclusion_rules judging:reopen_places judging:pay judging:top_ups
        judging:round_begin judging:round_end judging:round_notes judging:decide
        judging:exercises judging:exercise_add judging:exercise_remove judging:exercise_key judging:exercise_rules
        annotation:preview judging:plan judging:declarations judging:quality judging:selection judging:amend
        judging:duplicate
        judging:clone judging:adjudicator judging:settle
        judging:discard judging:lock judging:launch judging:plan_part judging:open judging:pause
        judging:close judging:crowd
        judging:archive judging:reveal_draws judging:exclude judging:erase judging:invite
        judging:revoke judging:undo_joins
        judging:add_member judging:remove_member judging:dataset_delete judging:dataset_share
        judging:dataset_end_use judging:dataset_hand_over
        judging:protocol_draft
        judging:protocol_draft_yaml judging:protocol_draft_file judging:protocol_draft_discard
        annotation:protocol_preview
        annotation:protocol_pane annotation:protocol_guideline analysis:degrade analysis:metrics_systems
        judging:end_session judging:token_revoke judging:systems judging:systems_undo judging:scores_remove
        judging:files_upload judging:files_add judging:files_preview judging:file_starts judging:file_mapping
        judging:file_choices judging:file_take_back judging:file_discard judging:file_ids analysis:dataset_report
        analysis:ended_use_discard
        judging:judge_ask judging:llm_judge_add judging:llm_judge_items judging:llm_judge_remove
        judging:webhooks judging:webhook_add judging:webhook_ping judging:webhook_switch
        judging:webhook_secret judging:webhook_delete judging:webhook_send_again""",
}
ALLOWED = {name: roles for roles, names in MAY.items() for name in names.split()}
# Their owner may find nothing there in this study: runs, drawings and results are made by other
# tests.
NOT_MADE = {
    "judging:gold_correct",
    "judging:check_retire",
    "analysis:planning_figure",
    "analysis:planning_table",
    "analysis:matching_document",
    "analysis:matching_figure",
    "analysis:run",
    "analysis:figure",
    "analysis:table",
    "analysis:everything",
    "analysis:bundle",
    "judging:draws",
    "judging:end_session",
    "judging:token_revoke",
    "judging:dataset_end_use",
    "judging:systems_undo",
    "judging:scores_remove",
    "judging:file",
    "judging:file_examples",
    "judging:file_rows",
    "judging:file_mapping",
    "judging:file_starts",
    "judging:file_choices",
    "judging:file_take_back",
    "judging:file_discard",
    "judging:file_ids",
    "judging:round_end",
    "judging:round_notes",
    "judging:decide",
    "analysis:calibration",
    "judging:exercise_remove",
    "judging:exercise_key",
    "analysis:side_by_side",
    "analysis:published",
    "judging:settle",
    "analysis:reproduction",
    "analysis:reproduction_start",
    "analysis:reproduction_table",
    "analysis:keep_example",
    "annotation:withdraw",
    "judging:confirm",
    "analysis:table_text",
    "analysis:pdf",
    "analysis:printed_figure",
    "judging:llm_judge_remove",
    "analysis:section",
    "analysis:dry_run_remove",
    "analysis:dry_run_table",
    "judging:exit_question_remove",
    "judging:webhook_ping",
    "judging:webhook_switch",
    "judging:webhook_secret",
    "judging:webhook_delete",
    "judging:webhook_send_again",
    "annotation:exit_form",
}

# Who is let in by which address of the REST API with which method. Each other role, and each other
# method, is refused.
API_MAY = {
    ("get", EVERYBODY): "join schema docs",
    ("post", EVERYBODY): "join",
    (
        "get",
        KNOWN,
    ): "resources me token-list job-list dataset-list protocol-list campaign-list annotator-campaign-list",
    ("post", CREATORS): "dataset-list protocol-list protocol-validate campaign-list "
    "published-study-reproduce",
    ("post", KNOWN): "token-list",
    ("get", CREATORS): "protocol-detail protocol-yaml published-study-list",
    ("get", ANNOTATOR): """annotator-campaign-detail annotator-campaign-tasks annotator-task-detail
        annotator-campaign-training annotator-campaign-qualification
        annotator-campaign-exit-form""",
    ("post", ANNOTATOR): """annotator-campaign-consent annotator-campaign-claim
        annotator-campaign-training annotator-campaign-qualification
        annotator-task-leave-stage annotator-task-submit""",
    ("put", ANNOTATOR): "annotator-task-draft annotator-campaign-exit-form",
    ("get", STAFF): """job-detail
        dataset-detail dataset-systems dataset-export file-list file-detail file-choices file-preview
        item-list item-detail reference-list metric-list score-list quarantine-list
        campaign-detail campaign-draws draw-check-list round-list round-detail event-list
        invitation-list invitation-detail enrolment-list enrolment-detail member-list
        task-list task-detail judgment-list judgment-export llm-judge-list llm-judge-detail
        overview run-list run-detail run-tables run-table run-table-file run-report run-figure
        scoring-list scoring-metrics scoring-estimate
        power-analysis-list power-analysis-detail power-analysis-variances
        adjudication tuning-list tuning-detail tuning-choices reproduction-list reproduction-table
        dry-run-list dry-run-detail dry-run-pairs reproduced-list
        rated-items example-list document-document enrolment-own-systems round-notes decisions""",
    ("post", STAFF): "job-cancel run-list run-cancel scoring-list scoring-estimate "
    "power-analysis-list tuning-list reproduction-list example-list",
    ("delete", STAFF): "example-detail",
    ("get", MANAGER): """share-list file-roles deviation-list llm-judge-items campaign-selection
        webhook-list webhook-detail webhook-delivery-list webhook-delivery-detail
        system-change-list system-change-detail degraded-copy-list degraded-copy-detail quality exclusion-rules-list
        exercise-list exercise-detail qualification-rules difference-list
        exit-question-list exit-question-detail exit-question-answers crowd-platform
        check-item-list pay preview""",
    (
        "post",
        MANAGER,
    ): """check-item-list check-item-correct-gold degraded-checks
        exclusion-rules-apply exclusion-rules-reopen-assignments
        system-change-list system-change-undo degraded-copy-list
        exercise-list exercise-repeat exercise-correct-key exit-question-list crowd-platform
        dataset-hand-over share-list
        file-list file-preview file-add file-take-back file-preview-all file-add-all
        campaign-clone campaign-reproduce campaign-lock campaign-open campaign-pause campaign-close
        campaign-archive campaign-reopen campaign-unarchive
        campaign-reveal-draws draw-check-list round-list round-end deviation-list
        invitation-list invitation-revoke invitation-undo-joins
        enrolment-exclude enrolment-reinclude member-list
        llm-judge-list llm-judge-ask llm-judge-estimate dry-run-list
        webhook-list webhook-ping webhook-replace-secret webhook-delivery-send-again""",
    ("put", MANAGER): "file-roles file-choices file-reading campaign-selection quality "
    "qualification-rules adjudication difference-detail pay round-notes decisions "
    "enrolment-own-systems",
    ("patch", MANAGER): "dataset-detail campaign-detail webhook-detail crowd-platform",
    (
        "delete",
        MANAGER,
    ): """token-detail dataset-detail share-detail file-detail metric-detail campaign-detail
        member-detail llm-judge-detail dry-run-detail webhook-detail exercise-detail
        exit-question-detail check-item-detail""",
    ("get", ADMINISTRATOR): "account-list account-detail site-event-list",
    ("post", ADMINISTRATOR): "account-list",
    ("patch", ADMINISTRATOR): "account-detail",
}
API_ALLOWED = {
    (f"api:{name}", method): roles
    for (method, roles), names in API_MAY.items()
    for name in names.split()
}
API_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
# Their owner finds nothing there in this study.
API_NOT_MADE = {
    "api:round-notes",
    "api:decisions",
    "api:annotator-campaign-exit-form",
    "api:example-detail",
    "api:check-item-detail",
    "api:check-item-correct-gold",
    "api:document-document",
    "api:join",
    "api:token-detail",
    "api:file-detail",
    "api:file-choices",
    "api:file-preview",
    "api:file-roles",
    "api:file-add",
    "api:file-take-back",
    "api:file-reading",
    "api:score-list",
    "api:metric-detail",
    "api:share-detail",
    "api:campaign-draws",
    "api:draw-check-list",
    "api:round-end",
    "api:published-study-reproduce",
    "api:llm-judge-detail",
    "api:run-detail",
    "api:run-tables",
    "api:run-table",
    "api:run-table-file",
    "api:run-report",
    "api:run-figure",
    "api:run-cancel",
    "api:scoring-estimate",
    "api:power-analysis-detail",
    "api:dry-run-detail",
    "api:dry-run-pairs",
    "api:reproduced-list",
    "api:exit-question-detail",
    "api:tuning-detail",
    "api:reproduction-list",
    "api:reproduction-table",
    "api:degraded-copy-detail",
    "api:system-change-detail",
    "api:system-change-undo",
    "api:difference-list",
    "api:difference-detail",
    "api:exercise-detail",
    "api:exercise-repeat",
    "api:exercise-correct-key",
    "api:webhook-detail",
    "api:webhook-ping",
    "api:webhook-replace-secret",
    "api:webhook-delivery-list",
    "api:webhook-delivery-detail",
    "api:webhook-delivery-send-again",
}

LEAD_TO_LOG_IN = {"login_code", "logout", "judging:end_sessions"}


def addresses() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each address the site answers to, by name, with the names of its parts."""

    def walk(patterns: list[Any], space: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        for each in patterns:
            if isinstance(each, URLResolver):
                yield from walk(
                    each.url_patterns, f"{each.namespace}:" if each.namespace else space
                )
            elif isinstance(each, URLPattern):
                yield f"{space}{each.name}", tuple(each.pattern.regex.groupindex)

    yield from walk(get_resolver().url_patterns, "")


def test_every_address_says_here_who_may_call_it() -> None:
    names = [name for name, _parts in addresses()]
    assert sorted(set(names)) == sorted(names)
    known = ALLOWED.keys() | {name for name, _method in API_ALLOWED}
    assert set(names) - known == set()
    assert known - set(names) == set()


@pytest.fixture
def plain_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer refusals, thousands of them here, by a status alone: what their pages say is tested
    elsewhere."""
    for status in (403, 404):
        answer = partial(_said_plainly, status)
        monkeypatch.setattr(urls, f"handler{status}", answer, raising=False)


def _said_plainly(status: int, request: object, exception: Exception) -> HttpResponse:
    return HttpResponse(status=status)


@pytest.fixture
def world() -> tuple[dict[str, Client], dict[str, dict[str, Any]]]:
    """Return a browser of each role, and what the parts of each address stand for."""
    campaign = studies.opened(consent="")
    manager, analyst, former = campaign.created_by, factories.researcher(), factories.researcher()
    webhook, _secret = webhooks.create_webhook(
        campaign=campaign, url="https://lab.example/", events=["run.finished"], by=manager
    )
    delivery = webhooks.queue_test_message(webhook=webhook)
    for each in (analyst, former):
        campaigns.add_member(campaign=campaign, user=each, role="analyst")
    campaigns.remove_member(campaign=campaign, user=former, role="analyst")
    Dataset.objects.filter(pk=campaign.dataset_id).update(owner=manager)
    theirs = studies.opened()
    own, other = factories.enrollment(campaign), factories.enrollment(theirs)
    for each in (own, other):
        User.objects.filter(pk=each.user_id).update(password="!")
    people = {
        "annotator": User.objects.get(pk=own.user_id),
        "other annotator": User.objects.get(pk=other.user_id),
        "analyst": analyst,
        "manager": manager,
        "ex-analyst": former,
        "other researcher": theirs.created_by,
        "administrator": factories.user(is_superuser=True),
    }
    browsers = {"stranger": Client(raise_request_exception=False)}
    for role, user in people.items():
        browsers[role] = Client(raise_request_exception=False)
        browsers[role].force_login(user)
        browsers[role].get("/work/")
    link = campaigns.create_invitation(campaign=campaign, by=manager, places=9)
    platform = {
        "key": crowd_platforms.add_crowd_platform(
            campaign=campaign, kind="prolific", by=manager
        ).key
    }
    job = jobs.enqueue(kind="judging.launch", parameters={}, by=manager, campaign=campaign)
    draft = ProtocolDraft.objects.create(
        owner=manager, text=factories.SMALL, updated_at=timezone.now()
    )
    task = {"uuid": studies.held(own).pk}
    dataset, protocol = {"pk": campaign.dataset_id}, {"pk": campaign.protocol_id}
    parts = {
        "annotation:join": {"token": link.token},
        "annotation:crowd": platform,
        "annotation:crowd_events": platform,
        "annotation:go": {"signed": enrollments.personal_link(people["annotator"])},
        "password_reset_confirm": {"uidb64": "MQ", "token": "x-y"},
        **{f"annotation:{name}": task for name in ("task", "draft", "submit")},
        **{f"judging:{name}": {"pk": job.pk} for name in ("job", "job_cancel")},
        **{
            f"judging:{name}": {"pk": manager.pk}
            for name in (
                "account",
                "let_try",
                "password_link",
                "two_factor_remove",
                "account_hand_over",
            )
        },
        **{f"judging:{name}": {"pk": own.pk} for name in ("erase", "annotator", "own_systems")},
        "judging:end_session": {"pk": manager.visits.get().pk},
        "judging:dataset_end_use": {**dataset, "user": analyst.pk},
        "analysis:ended_use_discard": {**dataset, "user": manager.pk},
        "judging:remove_member": {"pk": campaign.memberships.get(user=analyst).pk},
        **{f"judging:{name}": {"pk": link.pk} for name in ("revoke", "undo_joins")},
        **{
            f"judging:webhook_{name}": {"pk": webhook.pk}
            for name in ("ping", "switch", "secret", "delete")
        },
        "judging:webhook_send_again": {"pk": delivery.pk},
    }
    missing = {
        "change": 1,
        "round": 1,
        "ending": "pdf",
        "piece": "agreement",
        "source": campaign.dataset.sources.first().pk,
        "metric": 1,
        "webhook": webhook.pk,
        "number": 1,
        "name": "correlations",
        "kind": "training",
        "part": "consent",
        "key": "csv",
        "job": uuid.uuid4(),
    }
    found: dict[str, dict[str, Any]] = {}
    own_round = studies.main_round(campaign).pk
    numbers = {
        "item": Unit.objects.filter(
            question_set__source__dataset=campaign.dataset, position__isnull=False
        )[0].pk,
        "round": own_round,
        "invitation": link.pk,
        "enrolment": own.pk,
        "account": analyst.pk,
        "member": campaign.memberships.get(user=analyst).pk,
        "job": job.pk,
        "protocol": campaign.protocol_id,
        "share": analyst.pk,
        "metric": 1,
        "webhook": webhook.pk,
        "task": studies.held(own).task_id,
        "annotator": task["uuid"],
        "power": uuid.uuid4(),
        "tuning": uuid.uuid4(),
        "degraded": uuid.uuid4(),
    }
    about = {"dataset": campaign.dataset_id, "campaign": campaign.uuid}
    for name, asked in addresses():
        kind = name.partition(":")[2]
        if name.startswith("api:"):
            pk = numbers.get(kind.partition("-")[0], campaign.dataset_id)
            if kind.startswith("webhook-delivery"):
                pk = delivery.pk
            known = missing | about | {"uuid": campaign.uuid, "pk": pk}
            known |= {"kind": "csv", "copy": uuid.uuid4(), "token": "a" * 24}
            found[name] = {part: known[part] for part in asked}
            continue
        known = missing | {"uuid": campaign.uuid}
        if kind.startswith("protocol_draft") or kind in (
            "protocol_preview",
            "protocol_pane",
            "protocol_guideline",
        ):
            known |= {"pk": draft.pk}
        elif kind.startswith("protocol"):
            known |= protocol
        else:
            known |= dataset
        known |= parts.get(name, {})
        found[name] = {part: known[part] for part in asked}
    return browsers, found


def asked(client: Client, verb: str, path: str) -> Any:
    """Send a request, and undo what it did."""
    with transaction.atomic():
        answer = getattr(client, verb)(path)
        getattr(answer, "streaming", False) or answer.content
        transaction.set_rollback(True)
    return answer


def is_refused(answer: Any) -> bool:
    return answer.status_code in REFUSED or (
        answer.status_code == 302 and answer.headers["Location"].startswith(reverse("login"))
    )


def _as_said(answer: Any, name: str, *, may: bool) -> bool:
    if not may:
        return is_refused(answer) or answer.status_code == 405
    nothing_there = answer.status_code == 404 and name in NOT_MADE
    return nothing_there or name in LEAD_TO_LOG_IN or not is_refused(answer)


def test_every_role_is_let_in_where_it_may_and_refused_elsewhere_by_every_verb(
    world, plain_errors
) -> None:
    browsers, parts = world
    wrong = []
    for name, kwargs in parts.items():
        if name.startswith("api:"):
            continue
        path = reverse(name, kwargs=kwargs)
        for role, client in browsers.items():
            may = role in ALLOWED[name]
            all_verbs = LONG or role == "stranger"
            for verb in VERBS if all_verbs and not may else VERBS[:2]:
                cookies = client.cookies.copy()
                answer = asked(client, verb, path)
                client.cookies = cookies
                if answer.status_code >= 500 or not _as_said(answer, name, may=may):
                    wrong.append((name, role, verb, answer.status_code))
    assert not wrong, "\n".join(map(str, wrong))


def api_status(client: Client, method: str, path: str) -> int:
    """Return the status of a request with an empty JSON object, and undo what it did."""
    with transaction.atomic():
        content = {} if method == "get" else {"data": {}, "content_type": "application/json"}
        answer = getattr(client, method)(path, **content)
        getattr(answer, "streaming", False) or answer.content
        transaction.set_rollback(True)
    if method in openapi.METHODS and answer.status_code != 405:
        found = "\n".join(openapi.faults(method, path, answer))
        assert not found, found
        openapi.record(method, path, None, answer)
    return answer.status_code


def _api_as_said(status: int, name: str, role: str, *, may: bool) -> bool:
    """Return whether the REST API answered a role as it should: a foreign object is a 404."""
    if may:
        return status not in REFUSED or (status == 404 and name in API_NOT_MADE)
    if status == 405:
        return True
    if role == "stranger":
        return status == 401
    is_foreign = role in ("other researcher", "ex-analyst", "administrator", "annotator")
    has_object = name not in OBJECTLESS
    return status == 404 if is_foreign and has_object else status in REFUSED


OBJECTLESS = {  # addresses of the REST API that name no object
    f"api:{name}"
    for name in [
        "me",
        "account-list",
        "account-detail",
        "site-event-list",
        "token-list",
        "job-list",
        "dataset-list",
        "protocol-list",
        "protocol-validate",
        "campaign-list",
        "published-study-list",
        "published-study-reproduce",
    ]
}


def test_every_role_uses_the_rest_api_where_it_may_and_is_refused_elsewhere(
    world, plain_errors
) -> None:
    browsers, parts = world
    wrong = []
    for name, kwargs in parts.items():
        if not name.startswith("api:"):
            continue
        path = reverse(name, kwargs=kwargs)
        known = [method for method in API_METHODS if (name, method) in API_ALLOWED]
        for role, client in browsers.items():
            for method in API_METHODS if LONG or role == "stranger" else known:
                reading = "get" if method == "head" else method
                may = role in API_ALLOWED.get((name, reading), ())
                status = api_status(client, method, path)
                if status >= 500 or not _api_as_said(status, name, role, may=may):
                    wrong.append((name, role, method, status))
    assert not wrong, "\n".join(map(str, wrong))


def test_every_method_of_the_rest_api_says_here_who_may_call_it() -> None:
    found = set()
    for pattern in get_resolver("config.api").url_patterns:
        view = pattern.callback
        actions = getattr(view, "actions", None)
        methods = actions or [
            each for each in API_METHODS[:5] if hasattr(getattr(view, "view_class", view), each)
        ]
        found |= {(f"api:{pattern.name}", method) for method in methods if method != "head"}
    assert found - API_ALLOWED.keys() - {("api:docs", "get")} == set()
    assert API_ALLOWED.keys() - found - {("api:docs", "get")} == set()
