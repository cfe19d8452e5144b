"""Fill the site that DATABASE_URL names with the demo's study, a locked campaign and an API token;
print its logins, token, job and campaigns as JSON."""

import json
import sys

import django
from django.utils import timezone


def main() -> None:
    """Store the site's content, as `demo` and the pages do."""
    django.setup()
    from config.demo import logins, study
    from judging.campaigns.actions import campaigns
    from judging.enrolments.actions import enrollments
    from judging.people.actions import accounts, tokens
    from judging.people.models.user import User
    from judging.protocols.models.protocol import Protocol
    from judging.work.actions import assignments

    researcher, annotator = logins.ensure_logins()
    now = timezone.now()
    made = study.ensure_demo_study(researcher=researcher.user, annotator=annotator.user, now=now)
    judging = made.to_rate.enrollments.get(user=annotator.user)
    enrollments.store_consent(enrollment=judging, now=now)
    assignments.claim_assignment(enrollment=judging, round=made.to_rate.rounds.get())
    locked = campaigns.create_campaign(
        by=researcher.user,
        dataset=made.judged.dataset,
        protocol=Protocol.objects.filter(key="qgeval", owner=None).latest("id"),
        plan={"title": "Locked campaign", "annotators_per_task": 2},
    )
    campaigns.lock_plan(campaign=locked, now=now)
    administrator = User.objects.create_superuser("administrator", password=researcher.password)
    accounts.register_administrator(user=administrator)
    said = {
        "passwords": {
            "administrator": researcher.password,
            researcher.user.username: researcher.password,
            annotator.user.username: annotator.password,
        },
        "token": tokens.make_token(user=researcher.user, now=now),
        "job": str(made.run.job_id),
        "campaigns": [str(campaign.uuid) for campaign in (made.judged, made.to_rate, locked)],
    }
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
