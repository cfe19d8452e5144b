"""Studies on a crowd platform, and people who walk through them without a browser's help."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from judging.base.actions import seals
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.crowd import crowd_kinds
from judging.crowd.actions import crowd_platforms, participations
from judging.crowd.models.crowd import CrowdPlatform, Participation
from tests.annotation import studies
from tests.annotation.fakecrowd import SECRET, FakeCrowd, Message, new_id, way_of

CODES = {end: f"CODE-{end.upper()}" for end in Participation.End.values}
TASK = re.compile(r"^/tasks/([0-9a-f-]{36})/$")
CODE = re.compile(r'<code id="code"[^>]*>([^<]+)</code>')


def study(*, tasks: int = 2, places: int = 1, each: int | None = 1, **fields: Any) -> CrowdPlatform:
    """Return the platform of an open campaign of one question to a task."""
    campaign = studies.opened(
        sources=tasks,
        systems=("Alba",),
        annotators_per_task=places,
        tasks_per_annotator=each,
        **({"consent": "I agree."} | fields),
    )
    return platform_of(campaign)


class PreparedStudies:
    """Studies that a module's tests share, each by its number of tasks and the tasks of a person."""

    def __init__(self, *sizes: tuple[int, int]) -> None:
        self._of = {size: study(tasks=size[0], each=size[1]).pk for size in sizes}

    def of_a_test(self) -> Callable[..., CrowdPlatform]:
        """Return what gives a test each of them once, and otherwise makes a study."""
        left = dict(self._of)

        def given(*, tasks: int = 2, each: int = 1, **fields: Any) -> CrowdPlatform:
            if fields or (tasks, each) not in left:
                return study(tasks=tasks, each=each, **fields)
            pk = left.pop((tasks, each))
            return CrowdPlatform.objects.select_related("campaign__created_by").get(pk=pk)

        return given


def platform_of(campaign: Campaign) -> CrowdPlatform:
    made = crowd_platforms.add_crowd_platform(
        campaign=campaign, kind="prolific", by=campaign.created_by
    )
    CrowdPlatform.objects.filter(pk=made.pk).update(
        codes=CODES, webhook_secret=seals.seal_secret(SECRET)
    )
    made.refresh_from_db()
    made.campaign = campaign
    return made


def fake(platform: CrowdPlatform, host: str = "http://testserver", **fields: Any) -> FakeCrowd:
    """Return the platform's other side, which sends its messages by a test client."""
    names = (platform.person_param, platform.study_param, platform.session_param)
    entry = host + reverse("annotation:crowd", args=[platform.key])
    link = crowd_kinds.study_address(crowd_kinds.PROLIFIC, entry, names)
    return FakeCrowd(link, **({"deliver": lambda message: told(platform, message)} | fields))


def told(platform: CrowdPlatform, message: Message) -> int:
    """Deliver a message; return the status of the answer."""
    headers = {
        f"HTTP_{name.upper().replace('-', '_')}": value for name, value in message.headers.items()
    }
    path = reverse("annotation:crowd_events", args=[platform.key])
    return Client().post(path, message.body, content_type="application/json", **headers).status_code


@dataclass
class Person:
    """Somebody on the platform, with a browser; their codes go back to the platform by
    themselves."""

    crowd: FakeCrowd
    pid: str = field(default_factory=new_id)
    client: Client = field(default_factory=Client)
    page: Any = None

    def opens(self, link: str = "", **how: Any) -> "Person":
        """Follow the link of the platform to wherever it leads."""
        self.page = self.client.get(
            way_of(link or self.crowd.start(self.pid, **({"signed": False} | how))), follow=True
        )
        return self

    def agrees(self) -> "Person":
        """Press the button of the page at the door."""
        self.page = self.client.post(self.here(), {"agree": "on"}, follow=True)
        return self

    def declines(self) -> "Person":
        self.page = self.client.post(self.here(), {"act": "decline"}, follow=True)
        return self

    def joins(self) -> "Person":
        return self.opens().agrees().looks()

    def looks(self) -> "Person":
        """Go to wherever the work is now."""
        self.page = self.client.get(
            f"/work/{self.own().platform.campaign.uuid}/?begin", follow=True
        )
        return self

    def here(self) -> str:
        return (
            str(self.page.redirect_chain[-1][0])
            if self.page.redirect_chain
            else str(self.page.request["PATH_INFO"])
        )

    def own(self) -> Participation:
        return self.rows().get()

    def rows(self) -> QuerySet[Participation]:
        """Return all that is kept of this person, of each submission that was turned away too."""
        platform = self.platform()
        return platform.participations.filter(
            person=participations.hash_external_id(platform, "person", self.pid)
        )

    def platform(self) -> CrowdPlatform:
        key = re.search(r"/join/crowd/(\w+)/", self.crowd.study_url)[1]
        return CrowdPlatform.objects.select_related("campaign").get(key=key)

    def task(self) -> Assignment | None:
        found = TASK.match(self.here())
        return Assignment.objects.get(pk=found[1]) if found else None

    def hands_in(self) -> "Person":
        """Submit the task that is shown."""
        task = self.task()
        assert task is not None, self.here()
        own = Assignment.objects.select_related(
            "task", "enrollment", "round__campaign__protocol"
        ).get(pk=task.pk)
        self.page = self.client.post(
            f"/tasks/{own.pk}/submit/?step=0", studies.filled(own), follow=True
        )
        return self

    def finishes(self) -> "Person":
        while (task := self.task()) is not None:
            assert self.hands_in().task() != task, self.page.text
        return self

    def end(self) -> str:
        """Return how the study ended for this person, by the page."""
        return str(self.page.context["end"])

    def code(self) -> str:
        """Return the code on the page; "" where there is none."""
        found = CODE.search(self.page.text)
        return found[1] if found else ""

    def goes_back(self) -> "Person":
        """Bring the code back to the platform."""
        self.crowd.complete(self.pid, self.code())
        return self
