"""Jobs that compute scores, and what is made from scores."""

from judging.campaigns.guards import analyses
from judging.datasets import guards
from judging.jobs.tasks import imported, job_task, right_of_parent

ACTIONS = "analysis.scoring.actions"

# each chunk of scores is stored when it is done
job_task("analysis.score", right=guards.reads, whole=False)(
    imported(f"{ACTIONS}.scoring_jobs.execute_scoring")
)
job_task("analysis.score_part", right=right_of_parent, whole=False)(
    imported(f"{ACTIONS}.scoring_parts.execute_scoring_part")
)
job_task("analysis.estimate", right=guards.reads)(
    imported(f"{ACTIONS}.scoring_jobs.estimate_scoring")
)
job_task("analysis.matching", right=guards.reads)(imported(f"{ACTIONS}.matching.execute_matching"))
job_task("analysis.degrade", right=guards.owns)(
    imported(f"{ACTIONS}.degradations.execute_degradation")
)
job_task("analysis.tuning", right=analyses)(imported(f"{ACTIONS}.tuning.execute_tuning"))
