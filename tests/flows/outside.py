"""Makes a study in whichever database the environment names, for tests of a site that runs in
processes of its own.

Prints one JSON object: the personal links of the annotators, and the job of a large import that a
worker is to do.
"""

import json
import os
import sys

ANNOTATORS = 4
TASKS = 400  # more than anybody gets through while the test lasts
ROWS = 15_000


def study(
    *, tasks: int = TASKS, annotators: int = ANNOTATORS, rows: int = ROWS
) -> dict[str, object]:
    """Make an open campaign of one question to a task, its annotators, and the job of an import."""
    from judging.enrolments.actions import enrollments
    from tests import factories
    from tests.judging.imports.studies import adding_job

    owner = factories.researcher()
    material = factories.dataset(sources=tasks, systems=("Alba",), owner=owner)
    campaign = factories.opened(dataset=material, manager=owner, annotators_per_task=3)
    people = [factories.enrollment(campaign).user for _ in range(annotators)]
    for person in people:
        person.set_unusable_password()
        person.save()
    job = adding_job(owner, large(rows))
    return {"links": [enrollments.personal_link(person) for person in people], "job": str(job.pk)}


def large(rows: int, number: int = 0) -> bytes:
    """Return a file of questions; another number makes another file."""
    lines = (
        f"{row // 4},Lock {row // 4} was built {number}.,S{row % 4},Who built lock {row}?,0.5\n"
        for row in range(rows)
    )
    return ("source_id,passage,system,question,Bleu_4\n" + "".join(lines)).encode()


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    sys.stdout.write(json.dumps(study()))
