"""Deleting annotators who take no place, or are erased."""

from judging.campaigns.models.members import Enrollment, Exclusion, Membership
from judging.crowd.models.crowd import Participation
from judging.people.actions import visits


def remove_newcomer(*, enrollment: Enrollment) -> None:
    """Delete an annotator who has just joined and for whom there is no place after all."""
    remove_person(enrollment)


def remove_person(enrollment: Enrollment) -> None:
    """Delete the enrollment, and the account too if it has no password and no other use."""
    user = enrollment.user
    Exclusion.objects.filter(enrollment=enrollment).delete()
    for own in Participation.objects.filter(enrollment=enrollment):
        # their submissions that found everything taken go too: they would identify the person
        Participation.objects.filter(platform=own.platform_id, person=own.person).delete()
    enrollment.delete()
    if user is None:
        return
    Membership.objects.filter(
        user=user, campaign=enrollment.campaign, role=Membership.Role.ANNOTATOR
    ).delete()
    if not (user.has_usable_password() or user.enrollments.exists() or user.memberships.exists()):
        visits.end_all(user=user)
        user.delete()
