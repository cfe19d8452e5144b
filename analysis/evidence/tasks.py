"""Jobs that trace numbers to items."""

from judging.campaigns import guards
from judging.jobs.tasks import imported, job_task

job_task("analysis.calibration", right=guards.analyses)(
    imported("analysis.evidence.actions.calibrations.execute_calibration")
)
