"""Access control of an annotator's assignments."""

from judging.base.guards import guard_by
from judging.campaigns.guards import use_fixed_language
from judging.work.models.at_work import assignment_at_work

assignment_for_annotator = guard_by(
    lambda request, uuid: assignment_at_work(pk=uuid, user_pk=request.user.pk),
    key="uuid",
    prepare=use_fixed_language,
)
