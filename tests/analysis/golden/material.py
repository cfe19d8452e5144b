"""Small studies, one for each shipped protocol, written so that a reader can check them.

A line is one slot: source | system | position | question, empty where none was returned | the
ratings, a group of digits for each criterion in the protocol's order and a digit for each
annotator, `.` where one gave none, `?` where one could not say | scores. A line whose position is 0
rates the set as a whole.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.utils import timezone

from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.formats.mapping import Column, Mapping
from judging.imports.actions import adding
from judging.jobs import storage
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import CriterionPoint
from tests import factories

CANNOT_SAY = 9
ROLES = ("passage", "system", "position", "question", "rater", "target_type", "reference")
MARKED = ("mark", "mark_start", "mark_end")
OTHER_ROLES = {"source": "source_id", "topic": "metadata", "submitted": "submitted_answer"}


@dataclass(frozen=True)
class Slot:
    """One line of a study."""

    source: str
    system: str
    position: int
    text: str | None
    ratings: dict[str, dict[str, int | None]]  # by criterion and annotator; None: cannot say
    scores: dict[str, float]
    set_as_whole: bool = False

    def given(self, criterion: str) -> list[int]:
        """Return the ratings on a criterion that say something."""
        return [value for value in self.ratings[criterion].values() if value is not None]


@dataclass(frozen=True)
class Golden:
    """A study before it is imported."""

    name: str
    protocol: str
    criteria: tuple[str, ...]
    annotators: tuple[str, ...]
    lines: str
    expected: int = 1
    metrics: tuple[tuple[str, str], ...] = ()  # name and direction
    human_means: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    cannot_say: str = ""  # criterion that gets such a point
    target_types: bool = False
    marks: str = ""
    references: str = ""
    reading: str = "as_released"
    crossed: bool = True  # whether every system was given every source

    def __str__(self) -> str:
        return self.name

    def slots(self, *, everybody: bool = False) -> list[Slot]:
        """Return the slots, without the annotators left out unless everybody is asked for."""
        out = () if everybody else self.excluded
        return [self._slot(line, out) for line in self.lines.strip().splitlines()]

    def _slot(self, line: str, out: tuple[str, ...]) -> Slot:
        source, system, position, text, ratings, scores = (part.strip() for part in line.split("|"))
        groups = ratings.split() or ["." * len(self.annotators)] * len(self.criteria)
        assert len(groups) == len(self.criteria), line
        read = {
            criterion: {
                annotator: None if digit == "?" else int(digit)
                for annotator, digit in zip(self.annotators, group, strict=True)
                if digit != "." and annotator not in out
            }
            for criterion, group in zip(self.criteria, groups, strict=True)
        }
        names = [name for name, _ in self.metrics] + list(self.human_means)
        values = {
            name: float(v)
            for name, v in zip(names, scores.split(), strict=bool(scores))
            if v != "-"
        }
        return Slot(source, system, int(position), text or None, read, values, position == "0")

    def content(self) -> bytes:
        """Return the study as a file: a line for each annotator and question."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, self.header())
        writer.writeheader()
        for slot in self.slots(everybody=True):
            for row in self._rows(slot):
                writer.writerow(row)
        return buffer.getvalue().encode()

    def header(self) -> list[str]:
        more = ["target_type"] if self.target_types else []
        more += ["mark", "mark_start", "mark_end", "submitted"] if self.marks else []
        more += ["reference"] if self.references else []
        names = [name for name, _ in self.metrics] + list(self.human_means)
        return [
            "source",
            "passage",
            "system",
            "position",
            "question",
            "rater",
            *self.criteria,
            *names,
            "topic",
            *more,
        ]

    def _rows(self, slot: Slot) -> Iterator[dict[str, object]]:
        """Yield a line for each annotator who said something, or one for a slot that nobody
        judged."""
        passage, topic = passage_of(slot.source), topic_of(slot.source)
        head = {
            "source": slot.source,
            "passage": passage,
            "system": slot.system,
            "topic": topic,
            "position": slot.position or "",
            "question": slot.text or "",
            **slot.scores,
        }
        if self.target_types:
            head["target_type"] = type_of(slot.source)
        if self.references:
            head["reference"] = self.references
        who = [
            name
            for name in self.annotators
            if any(name in given for given in slot.ratings.values())
        ]
        for name in who or [""]:
            said = {key: given[name] for key, given in slot.ratings.items() if name in given}
            values = {key: CANNOT_SAY if value is None else value for key, value in said.items()}
            yield {**head, "rater": name, **values, **self._mark(slot, name)}

    def marked(self) -> dict[tuple[str, str, int, str], str]:
        """Return the marks by source, system, position and annotator; the submitted answer by
        "submitted"."""
        found = {}
        for line in self.marks.strip().splitlines():
            source, system, position, who, text = (part.strip() for part in line.split("|"))
            found[source, system, int(position), who] = text
        return found

    def _mark(self, slot: Slot, name: str) -> dict[str, object]:
        if not self.marks:
            return {}
        marks, where = self.marked(), (slot.source, slot.system, slot.position)
        found: dict[str, object] = {"submitted": marks.get((*where, "submitted"), "")}
        if (text := marks.get((*where, name))) == "none":
            found["mark"] = "none"
        elif text:
            start = passage_of(slot.source).index(text)
            found |= {"mark": "span", "mark_start": start, "mark_end": start + len(text)}
        return found

    def mapping(self) -> Mapping:
        """Return how the file is read."""
        roles = {name: name for name in self.header() if name in (*ROLES, *MARKED)} | OTHER_ROLES
        columns = {name: Column(role=roles[name]) for name in self.header() if name in roles}
        columns |= {key: Column(role="ratings", name=key) for key in self.criteria}
        for name, direction in self.metrics:
            columns[name] = Column(role="metric", name=name, direction=direction)
        for name in self.human_means:
            columns[name] = Column(role="human_mean", name=name, direction="higher")
        return Mapping(
            recipe="table", columns=columns, expected=self.expected, crossed=self.crossed
        )


def passage_of(source: str) -> str:
    return f"The lock {source} was built by Ada Lind of old oak near Malt Quay."


def topic_of(source: str) -> str:
    """Return the attribute by which the study is sliced: of every second source another."""
    return "locks" if ord(source[0]) % 2 else "weirs"


def type_of(source: str) -> str:
    return "who" if ord(source[0]) % 2 else "what"


def imported(golden: Golden) -> Campaign:
    """Return the campaign that the importer makes of a study, with its annotators left out."""
    document = documents.shipped(golden.protocol)
    if golden.cannot_say:
        criteria = tuple(
            replace(
                each, points=(*each.points, CriterionPoint(CANNOT_SAY, "Cannot say", missing=True))
            )
            if each.key == golden.cannot_say
            else each
            for each in document.criteria
        )
        document = replace(document, criteria=criteria)
    made = adding.import_file(
        file=storage.store_bytes(golden.content()),
        file_name=f"{golden.name}.csv",
        name=golden.name,
        by=factories.researcher(f"of {golden.name}"),
        now=timezone.now(),
        mapping=golden.mapping(),
        protocols=Protocol.objects.none(),
        protocol=protocols.install(document=document),
        again=True,
        accept_surprises=True,
    )
    assert made.quarantined == 0
    assert made.campaign is not None
    for label in golden.excluded:
        Exclusion.objects.create(
            enrollment=Enrollment.objects.get(campaign=made.campaign, label=label),
            reason="gave one value only",
            excluded_by=made.campaign.created_by,
            excluded_at=timezone.now(),
        )
    return made.campaign


# Six systems' design in small: three systems on each source, five annotators of whom E is left out,
# a rating missing on b Corvo, a question that nobody judged (d Corvo), ties of systems, a metric
# where low is better, one on half of the questions, an imported column of human means. Forced by
# the protocol: understandability 1 gives correctness 1; D broke it on a Corvo and C on c Corvo.
QGBENCH = Golden(
    name="qgbench",
    protocol="qgbench",
    criteria=("grammaticality", "understandability", "correctness"),
    annotators=("A", "B", "C", "D", "E"),
    metrics=(("METEOR", "higher"), ("TER", "lower"), ("BERTScore", "higher")),
    human_means=("fluency",),
    excluded=("E",),
    lines="""
a|Alba |1|Who built the lock a?      |33331 33231 33321|.91 .10 .95 2.75
a|Brisa|1|What was built near a?     |32331 23331 22131|.55 .30 .90 2.50
a|Corvo|1|Was of a the who lock?     |12211 12111 11121|.20 .95 .50 1.25
b|Alba |1|Who made the lock b?       |33331 32331 33331|.80 .15 -   3.00
b|Brisa|1|Where is the lock b?       |33231 33331 12221|.60 .35 -   2.25
b|Corvo|1|How many oak b?            |21.21 22121 21211|.35 .80 -   1.50
c|Alba |1|When was the lock c built? |32331 33331 12211|.50 .40 -   2.00
c|Brisa|1|Whose is the lock c?       |33331 23331 33331|.70 .20 -   2.75
c|Corvo|1|Which lock c of oak?       |22321 22121 22221|.40 .70 -   1.75
d|Alba |1|Who built d of old oak?    |33331 33331 33331|.85 .12 .93 3.00
d|Brisa|1|What is d made of?         |33331 33321 32331|.75 .25 .85 2.50
d|Corvo|1|Lock d why?                |               |.15 1.1 .40 1.00
""",
)

# Two annotators only, a question that was not returned, and a rule that an annotator broke (B on c
# Brisa).
STAGED = Golden(
    name="qgbench-staged",
    protocol="qgbench-staged",
    criteria=("grammaticality", "understandability", "correctness"),
    annotators=("A", "B"),
    metrics=(("METEOR", "higher"),),
    lines="""
a|Alba |1|Who built the lock a?|33 32 33|.9
a|Brisa|1|Who built a lock a?  |32 22 23|.5
b|Alba |1|Who built the lock b?|33 33 21|.7
b|Brisa|1|                     |        |
c|Alba |1|Who built the lock c?|23 23 22|.6
c|Brisa|1|Who built a lock c?  |11 11 12|.1
""",
)

# Seven criteria, three annotators who do not judge everything, a question that was not returned,
# and "cannot say".
QGEVAL = Golden(
    name="qgeval",
    protocol="qgeval",
    criteria=(
        "fluency",
        "clarity",
        "conciseness",
        "relevance",
        "consistency",
        "answerability",
        "answer_consistency",
    ),
    annotators=("Ann", "Bo", "Cy"),
    metrics=(("BLEU", "higher"), ("METEOR", "higher")),
    cannot_say="answerability",
    lines="""
a|m1|1|Who built lock a?     |333 332 333 333 333 33? 323|.9 .7
a|m2|1|Who built the a lock? |332 323 313 333 322 2?3 221|.6 .8
a|m3|1|What a?               |211 212 332 231 123 1?1 112|.2 .1
b|m1|1|Who built lock b?     |33. 33. 23. 33. 33. 33. 33.|.8 .9
b|m2|1|Where is lock b near? |.32 .22 .31 .33 .23 .32 .12|.5 .4
b|m3|1|Of b what?            |112 121 131 212 233 ??? 111|.1 .3
c|m1|1|When was c built?     |323 333 322 323 333 132 213|.4 .5
c|m2|1|Why was lock c built? |333 223 333 333 233 313 313|.7 .6
c|m3|1|                      |                           |
""",
)

# Single questions from 1 to 5 without shared sources: every question is a source of its own. E gave
# one value only.
NEMA_KHAPRA = Golden(
    name="nema-khapra",
    protocol="nema-khapra",
    criteria=("answerability",),
    crossed=False,
    annotators=("A", "B", "E"),
    metrics=(("Q-BLEU", "higher"),),
    lines="""
a|noisy|1|Who built lock?        |433|.6
b|noisy|1|Built lock a?          |123|.2
c|noisy|1|Was what?              |113|.1
d|noisy|1|Who lock of oak built? |323|.4
e|whole|1|Who built lock e?      |553|.9
f|whole|1|What is f made of?     |453|.7
g|whole|1|Where is lock g?       |543|.8
h|whole|1|Why was h built?       |3.3|.5
""",
)

# Pairs. One is the best value. Brisa returned one question only on a and repeats itself on b; Corvo
# returned nothing on c. Ratings against the rules: A and B gave the lone question of a Brisa
# variety 2 and 1 instead of 3, and A gave the first of the identical pair variety 1 (its second
# counts as missing, so it has a lone question's 3 as well). Fatal: B found a Corvo 2 unrelated
# (relevance 4); both found c Alba 2 of another type.
QGSTEC_B = Golden(
    name="qgstec2010-b",
    protocol="qgstec2010-b",
    criteria=("relevance", "questionType", "correctness", "ambiguity", "variety"),
    annotators=("A", "B"),
    expected=2,
    metrics=(("BLEU", "higher"),),
    target_types=True,
    lines="""
a|Alba |1|Who built a?          |11 11 12 11 12|.9
a|Alba |2|Who made the lock a?  |12 11 11 21 12|.8
a|Brisa|1|Who was it?           |22 11 11 33 21|.5
a|Brisa|2|                      |              |
a|Corvo|1|Who is Ada?           |11 11 22 12 11|.4
a|Corvo|2|Who is near the Quay? |34 11 21 22 11|.3
b|Alba |1|What was built?       |21 11 12 11 22|.7
b|Alba |2|What is of oak?       |11 12 11 12 22|.6
b|Brisa|1|What is b?            |12 11 31 22 13|.45
b|Brisa|2|What  is b?           |12 11 31 22 13|.45
b|Corvo|1|What is old?          |22 11 43 33 21|.2
b|Corvo|2|What is Ada?          |32 21 33 23 21|.1
c|Alba |1|Who built c?          |11 11 11 11 13|.95
c|Alba |2|What did she build?   |12 22 12 11 13|.55
c|Brisa|1|Who is Lind?          |23 11 21 12 22|.35
c|Brisa|2|Who is of oak?        |33 11 32 23 22|.25
c|Corvo|1|                      |              |
c|Corvo|2|                      |              |
""",
)

# The same criteria with three annotators, one of whom did not judge a Brisa.
QGSTEC_PLUS = Golden(
    name="qgstec-plus",
    protocol="qgstec-plus",
    criteria=("relevance", "questionType", "correctness", "ambiguity", "variety"),
    annotators=("A", "B", "C"),
    expected=2,
    target_types=True,
    reading="by_protocol",
    lines="""
a|Alba |1|Who built a?          |112 111 121 111 121|
a|Alba |2|Who made the lock a?  |121 111 112 212 121|
a|Brisa|1|Who was it?           |22. 11. 12. 33. 21.|
a|Brisa|2|Who was the lock?     |34. 12. 23. 32. 21.|
b|Alba |1|What was built?       |211 112 121 111 222|
b|Alba |2|What is of oak?       |112 121 111 122 222|
b|Brisa|1|What is b?            |123 111 313 222 132|
b|Brisa|2|What is b?            |123 111 313 222 132|
c|Alba |1|Who built c?          |111 111 112 111 331|
c|Alba |2|                      |                   |
c|Brisa|1|Who is Lind?          |233 111 214 122 223|
c|Brisa|2|Who is of oak?        |334 112 322 231 223|
""",
)

# Sets of six. Specificity has no better end and a target of 1, 2, 2, 3, 3, 3; answers are marked in
# the passage.
QGSTEC_A = Golden(
    name="qgstec2010-a",
    protocol="qgstec2010-a",
    criteria=("specificity", "syntax", "semantics", "qtype_correct", "diversity", "composite"),
    annotators=("A", "B"),
    expected=6,
    references="Who built it?",
    lines="""
a|Alba |1|What is this about?     |11 11 12 00 11 ..|
a|Alba |2|Who built the lock?     |22 12 11 00 11 ..|
a|Alba |3|Where is the lock?      |23 11 11 01 11 ..|
a|Alba |4|Who is Ada Lind?        |33 21 12 00 11 ..|
a|Alba |5|How old is the oak?     |33 11 22 10 11 ..|
a|Alba |6|Which Quay is near?     |33 12 11 00 11 ..|
a|Brisa|1|Who built the lock?     |22 22 11 00 34 ..|
a|Brisa|2|Who made the lock?      |22 32 21 00 34 ..|
a|Brisa|3|Who built the lock?     |32 22 11 00 34 ..|
a|Brisa|4|Who built the old lock? |34 43 33 01 34 ..|
a|Brisa|5|                        |                |
a|Brisa|6|                        |                |
b|Alba |1|What is this text of?   |12 12 21 00 21 12|
b|Alba |2|Who built lock b?       |22 11 11 00 21 11|
b|Alba |3|What is of oak?         |22 21 12 01 21 21|
b|Alba |4|Where is b?             |33 11 11 00 21 13|
b|Alba |5|When was b built?       |3. 1. 2. 0. 2. 1.|
b|Alba |6|                        |                |
b|Brisa|1|Who built lock b?       |12 21 11 00 32 22|
b|Brisa|2|Who is Ada?             |22 12 21 00 32 21|
b|Brisa|3|What was old?           |33 33 22 01 32 34|
b|Brisa|4|What was built?         |32 11 23 10 32 22|
b|Brisa|5|                        |                |
b|Brisa|6|                        |                |
""",
    marks="""
a|Alba |2|A|Ada Lind
a|Alba |2|B|Ada
a|Alba |2|submitted|Ada Lind
a|Alba |3|A|near Malt Quay
a|Alba |3|B|Malt Quay
a|Alba |3|submitted|Malt Quay
a|Alba |4|A|none
a|Alba |4|B|none
a|Brisa|1|A|Ada Lind
a|Brisa|1|B|by Ada Lind
a|Brisa|1|submitted|Lind
b|Alba |2|A|Ada Lind
b|Alba |2|B|old oak
b|Alba |2|submitted|Ada Lind
b|Brisa|1|A|Ada Lind
b|Brisa|1|B|Ada Lind
b|Brisa|1|submitted|Ada Lind
b|Brisa|2|A|Lind
b|Brisa|2|B|none
""",
)

# Sets as a whole, from 1 to 3, by three annotators.
SETS = Golden(
    name="schlichtkrull-cheng",
    protocol="schlichtkrull-cheng",
    criteria=("fluency", "relevancy", "diversity"),
    annotators=("A", "B", "C"),
    expected=2,
    lines="""
a|beam  |1|Who built a?     |           |
a|beam  |2|Who built lock a?|           |
a|beam  |0|                 |333 323 111|
a|sample|1|What is oak?     |           |
a|sample|2|Where is a?      |           |
a|sample|0|                 |213 232 332|
b|beam  |1|Who built b?     |           |
b|beam  |2|Who made b?      |           |
b|beam  |0|                 |323 333 21.|
b|sample|1|How old is oak?  |           |
b|sample|2|Which oak is b?  |           |
b|sample|0|                 |223 12. 333|
c|beam  |1|Who built c?     |           |
c|beam  |2|What is c?       |           |
c|beam  |0|                 |332 332 221|
c|sample|1|Why is c old?    |           |
c|sample|2|Who is near?     |           |
c|sample|0|                 |112 322 323|
""",
)

STUDIES = (QGBENCH, STAGED, QGEVAL, NEMA_KHAPRA, QGSTEC_B, QGSTEC_PLUS, QGSTEC_A, SETS)
