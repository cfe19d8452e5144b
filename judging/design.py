"""Who judges what, in which order: seeded plans as plain Python."""

import random
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Place:
    """The `place`-th of a task's places; `task` counts from 0, `place` and `position` from 1."""

    task: int
    place: int
    position: int


def places(tasks: int, *, per_task: int, order: Literal["depth", "breadth"] | str, seed: int) -> list[Place]:
    """Return every place in the order of the queue, which the seed shuffles.

    Depth first finishes a task before the next begins; breadth first goes over all tasks, in a new order each time.
    """
    rng = random.Random(seed)
    passes = [rng.sample(range(tasks), tasks) for _ in range(1 if order == "depth" else per_task)]
    if order == "depth":
        queue = [(task, place) for task in passes[0] for place in range(1, per_task + 1)]
    else:
        queue = [(task, place) for place, shuffled in enumerate(passes, start=1) for task in shuffled]
    return [Place(task, place, position) for position, (task, place) in enumerate(queue, start=1)]
