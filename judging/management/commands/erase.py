"""manage.py erase: erase everything that one person did in a campaign, at their request."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.campaigns.models.members import Enrollment, Membership
from judging.overview.actions import erasures


class Command(BaseCommand):
    """Remove judgments, drafts, notes and the account; only their number is kept."""

    help = "Erase what one annotator did in a campaign, on their demand. This cannot be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", type=UUID, help="the campaign's id, as in its address")
        parser.add_argument("label", help="the annotator's label there, such as A01")
        parser.add_argument("--by", required=True, help="the user name of the manager who does it")
        parser.add_argument("--yes", action="store_true", help="really do it")

    def handle(self, *, campaign: UUID, label: str, by: str, yes: bool, **options: Any) -> None:
        person = Enrollment.objects.filter(campaign__uuid=campaign, label=label).first()
        if person is None:
            raise CommandError(f"There is no annotator {label} in a campaign {campaign}.")
        managers = Membership.objects.filter(campaign=person.campaign, role=Membership.Role.MANAGER)
        manager = managers.filter(user__username=by).select_related("user").first()
        if manager is None:
            raise CommandError(f"{by} does not manage that campaign.")
        if not yes:
            raise CommandError(
                f"Everything that {label} did would be gone for good. Say --yes to do it."
            )
        erasure = erasures.erase_annotator(enrollment=person, by=manager.user, now=timezone.now())
        counts = ", ".join(f"{count} {name}" for name, count in erasure.counts.items())
        self.stdout.write(f"{label} is erased: {counts}.")
