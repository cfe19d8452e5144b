"""The history of a campaign and of the site: all acts with their users, with a filter, and the
whole as a table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from judging.base.views import spreadsheets
from judging.base.views.downloads import attached_in_pieces
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.overview.forms.history import HistoryFilter
from judging.people.actions import history
from judging.people.guards import administrator_required
from judging.people.models.event import Event
from judging.people.models.user import User

ON_A_PAGE = 50
ACCOUNT = re.compile(r"account (\d+)")
COLUMNS = (
    "position",
    "at",
    "who",
    "act",
    "campaign",
    "about",
    "before",
    "after",
    "previous",
    "digest",
)


@campaign_for_staff
@require_GET
def campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the events of a campaign, the latest first."""
    shown = _shown(request, Event.objects.of_campaign(campaign.uuid), seen={campaign.uuid})
    return render(
        request,
        "judging/overview/campaign_history.html",
        shown
        | {
            "campaign": campaign,
            "tab": "history",
        },
        status=shown["status"],
    )


@administrator_required
@require_GET
def site(request: HttpRequest) -> HttpResponse:
    """Show the events of the site; of campaigns in which the administrator has no role, only the
    user, the act and the time."""
    shown = _shown(request, Event.objects.all(), seen=_seen_by(request.user))
    return render(request, "judging/overview/site_history.html", shown, status=shown["status"])


@campaign_for_staff
@require_GET
def campaign_table(request: HttpRequest, campaign: Campaign) -> StreamingHttpResponse:
    """Return a campaign's history as a table."""
    lines = _table(Event.objects.of_campaign(campaign.uuid), seen={campaign.uuid})
    history.record_event(
        Event.Act.EXPORTED, by=request.user, campaign=campaign, about="history.csv"
    )
    return attached_in_pieces(lines, "text/csv", f"{slugify(campaign.title)}-history.csv")


@administrator_required
@require_GET
def site_table(request: HttpRequest) -> StreamingHttpResponse:
    """Return the site's history as a table."""
    lines = _table(Event.objects.all(), seen=_seen_by(request.user))
    history.record_event(Event.Act.EXPORTED, by=request.user, about="history.csv")
    return attached_in_pieces(lines, "text/csv", "history.csv")


def _seen_by(user: User) -> set[UUID]:
    return set(Campaign.objects.visible_to(user).values_list("uuid", flat=True))


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event as the user may read it."""

    event: Event
    who: str
    about: str
    before: str
    after: str


def _shown(request: HttpRequest, events: QuerySet[Event], *, seen: set[UUID]) -> dict[str, object]:
    form = HistoryFilter(request.GET)
    valid = form.is_valid()
    found = form.of(events).select_related("seal").order_by("-pk") if valid else events.none()
    page = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    return {
        "form": form,
        "page": page,
        "told": list(_told(page, seen)),
        "query": f"{query.urlencode()}&" if query else "",
        "last_hash": history.last_hash(),
        "status": 200 if valid else 422,
    }


def _told(events: Iterable[Event], seen: set[UUID]) -> Iterator[ToldEvent]:
    """Yield events with the current names of their accounts; a deleted account keeps its number."""
    known = list(events)
    numbers = {
        int(n)
        for each in known
        for n in ACCOUNT.findall(f"{each.about} {each.before} {each.after}")
    }
    numbers |= {each.who for each in known if each.who}
    names = dict(User.objects.filter(pk__in=numbers).values_list("pk", "username"))

    def named(text: str) -> str:
        return ACCOUNT.sub(lambda found: names.get(int(found[1]), found[0]), text)

    for each in known:
        may = each.campaign is None or each.campaign in seen
        words = [named(text) if may else "" for text in (each.about, each.before, each.after)]
        yield ToldEvent(each, named(f"account {each.who}") if each.who else "", *words)


def _table(events: QuerySet[Event], *, seen: set[UUID]) -> Iterator[str]:
    """Return the lines of a CSV of the events up to now, in the order of the chain, unchanged
    except that formulas are made inert."""
    last = events.aggregate(last=Max("pk"))["last"] or 0
    found = events.filter(pk__lte=last).sealed().iterator()
    return spreadsheets.spreadsheet_lines(COLUMNS, (_cells(each, seen) for each in found))


def _cells(event: Event, seen: set[UUID]) -> Iterator[object]:
    seal, may = getattr(event, "seal", None), event.campaign is None or event.campaign in seen
    said = (event.about, event.before, event.after) if may else ("", "", "")
    chained = (seal.previous, seal.digest) if seal else ("", "")
    cells = (
        seal.position if seal else "",
        event.at.isoformat(),
        event.who,
        event.act,
        event.campaign,
        *said,
        *chained,
    )
    return ("" if cell is None else cell for cell in cells)
