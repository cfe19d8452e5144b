"""Answers for monitoring: is this process alive, can it serve, and what is the state of jobs and
tasks.

They come before all other code: without a session, and for any host name, because probes ask by
address.
"""

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from judging.jobs.actions import jobs

MEASURES = {
    "quaestor_jobs_waiting": (
        "Jobs that no worker has begun.",
        "SELECT count(*) FROM judging_job WHERE state = 'queued'",
    ),
    "quaestor_jobs_running": (
        "Jobs that a worker does.",
        "SELECT count(*) FROM judging_job WHERE state = 'running'",
    ),
    "quaestor_jobs_longest_wait_seconds": (
        "For how long the oldest waiting job has waited.",
        "SELECT greatest(extract(epoch FROM clock_timestamp() - min(created_at)), 0) FROM judging_job "
        "WHERE state = 'queued'",
    ),
    "quaestor_jobs_failed_last_hour": (
        "Jobs that failed in the last hour.",
        "SELECT count(*) FROM judging_job WHERE state = 'failed' AND finished_at > now() - interval '1 hour'",
    ),
    "quaestor_tasks_held": (
        "Assignments that annotators hold now.",
        "SELECT count(*) FROM judging_assignment WHERE state = 'held'",
    ),
    "quaestor_database_bytes": (
        "The size of the database.",
        "SELECT pg_database_size(current_database())",
    ),
    "quaestor_database_connections": (
        "Connections to the database.",
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
    ),
}


def live(request: HttpRequest) -> HttpResponse:
    """Answer that this process is alive."""
    return HttpResponse("ok", content_type="text/plain")


def ready(request: HttpRequest) -> HttpResponse:
    """Answer whether pages can be served, and separately whether jobs are run: without jobs, pages
    still work."""
    try:
        found = {
            "database": "ok",
            "jobs": "ok" if jobs.worker_lives() else "no worker runs",
            "sweeps": "ok" if jobs.sweeps_run() else "no beat or no worker of sweeps runs",
        }
        return JsonResponse(found)
    except (DatabaseError, InterfaceError):
        connection.close()
        return JsonResponse(
            {"database": "does not answer"}, status=503, headers={"Retry-After": "2"}
        )


def show_measures(request: HttpRequest) -> HttpResponse:
    """Return the measures in Prometheus format, if the token is right; without a configured token
    the address does not exist."""
    known, given = settings.METRICS_TOKEN, request.headers.get("Authorization", "")
    if not known or not hmac.compare_digest(given.encode(), f"Bearer {known}".encode()):
        return HttpResponse(status=404)
    try:
        return HttpResponse(
            "\n".join(_lines()) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8"
        )
    except (DatabaseError, InterfaceError):
        connection.close()
        return HttpResponse(status=503)


def _lines() -> Iterator[str]:
    with connection.cursor() as cursor:
        for name, (meaning, statement) in MEASURES.items():
            cursor.execute(statement)
            yield f"# HELP {name} {meaning}"
            yield f"# TYPE {name} gauge"
            yield f"{name} {cursor.fetchone()[0]}"
    yield "# HELP quaestor_worker_up Whether a worker gave a sign of life lately."
    yield "# TYPE quaestor_worker_up gauge"
    yield f"quaestor_worker_up {int(jobs.worker_lives())}"
    yield "# HELP quaestor_sweeps_up Whether a sweep ran lately."
    yield "# TYPE quaestor_sweeps_up gauge"
    yield f"quaestor_sweeps_up {int(jobs.sweeps_run())}"


PROBES = {"/health/live/": live, "/health/ready/": ready, "/metrics/": show_measures}
