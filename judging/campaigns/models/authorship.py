"""Authors of the judged systems: an annotator who made a system gets no task with one of its
questions."""

from django.db import models


class SystemAuthor(models.Model):
    """The fact that an annotator made a system."""

    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="authorships", db_index=False
    )
    system = models.ForeignKey("judging.System", on_delete=models.CASCADE, related_name="authors")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "system"], name="system_author_once")
        ]

    def __str__(self) -> str:
        return f"{self.enrollment} made {self.system}"


class BarredTask(models.Model):
    """A task that an annotator never gets; computed from the authors of systems, so that a claim of
    a task looks up one row."""

    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="barred_tasks", db_index=False
    )
    task = models.ForeignKey("judging.Task", on_delete=models.CASCADE, related_name="barred_for")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "task"], name="barred_task_once")
        ]

    def __str__(self) -> str:
        return f"{self.task} not for {self.enrollment}"
