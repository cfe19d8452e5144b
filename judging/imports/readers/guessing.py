"""A first proposal of what each column holds, from its name and its first cells; the researcher has
the last word."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judging.imports.readers.api_judgments import api_columns, is_api_export
from judging.imports.readers.cells import CellCounts, ColumnCounts, counted, few_words, nearly_all
from judging.imports.readers.columns import (
    ONE_COLUMN,
    ColumnRoles,
    NamedRater,
    QuestionColumn,
    RatingColumn,
)
from judging.imports.readers.derived import (
    Derivation,
    DerivedColumns,
    DerivedRaters,
    Family,
    named,
)
from judging.imports.readers.likely_columns import (
    answers,
    by_shape,
    question_columns,
    source_ids,
)
from judging.imports.readers.rater_columns import (
    alone,
    families,
    is_confirmed_by_name,
    one_scale,
    repeated,
)
from judging.imports.readers.rater_names import (
    is_counted,
    named_as,
    named_statistic,
    of_no_annotator,
)
from judging.imports.readers.records import (
    Direction,
    ScoreColumn,
    WrittenScale,
    exported_score,
)

# For each role the names of its columns, the surest first. A column takes the first role that
# claims it.
_NAMES = {
    "question": (
        "generated_question generated_questions prediction predictions predicted_question "
        "predicted_questions modified_question noised_question noisy_question hypothesis "
        "hypotheses system_question system_output output outputs generations generated pred hyp "
        "question question_text"
    ),
    "passage": "passage paragraph_raw paragraph context passage_text document article text",
    "answer": "answer answer_raw answer_text target_answer gold_answer",
    "answer_start": "answer_start answer_offset",
    "sentence": "sentence sentence_raw",
    "target_type": "target_type target_question_type targetquestiontype requested_type",
    "modality": "modality",
    "language": "language lang locale language_code lang_code",
    "source_id": "source_id instance_id item_id example_id custom_id",
    "system": "system model system_id system_name model_name submission",
    "position": "position slot rank",
    "key": "question_id qid id",
    "question_type": "question_type declared_type qtype",
    "submitted_answer": "submitted_answer system_answer predicted_answer",
    "rater": "rater annotator judge worker evaluator rater_id annotator_id judge_id worker_id workerid evaluator_id",
    "criterion": "criterion dimension aspect",
    "value": "value rating judgment judgement score",
    "note": "note comment remark notes comments remarks",
    "mark": "mark",
    "mark_start": "mark_start",
    "mark_end": "mark_end",
    "mark_text": "mark_text",
}
_TEXTS = ("question", "passage", "answer", "sentence", "submitted_answer", "note", "mark_text")
_KNOWN = {name for names in _NAMES.values() for name in names.split()} - {"text"}
# Names of id columns besides `…_id`; such a column holds source ids if its values suggest it.
_ID_NAMES = {
    "id",
    "item",
    "nr",
    "no",
    "num",
    "number",
    "index",
    "idx",
    "doc",
    "document",
    "instance",
    "example",
    "sample",
    "case",
    "qid",
    "uid",
    "uuid",
    "guid",
    "pid",
    "sid",
    "docid",
    "itemid",
    "source",
    "src",
    "input",
}
_ID_ENDS = ("_id", "_uid", "_uuid", "_no", "_nr", "_num", "_number", "_idx", "_index")
_SAMPLE = 50  # first rows from which columns are proposed before all rows are read
_UNIT = (
    "key",
    "source_id",
    "passage",
    "sentence",
    "answer",
    "question",
    "system",
    "position",
    "criterion",
)
_OF_SOURCES = (
    "passage",
    "answer",
    "answer_start",
    "sentence",
    "target_type",
    "modality",
    "language",
    "source_id",
)
_SLOT = {"source_id", "system", "position", "question"}
_PREFIXES = ("score:", "attribute:", "source:", "judgment:")
_REFERENCE = re.compile(
    r"(refs?|references?|gold|target|ground_truth|original)(_(raw|norm|text|questions?|\d+))?|ref\d+"
)
_GOLD = {"gold", "target", "ground_truth"}  # names of right questions, and of right answers
# Questions that were degraded on purpose; `modified` alone is rather a date.
_NOISED = re.compile(
    r"(?:noised|noisy|degraded|corrupted|perturbed)(?:_(?:questions?|text|version))?|modified_(?:questions?|version)"
)
_BOUNDED = re.compile(
    r"(sacre)?bleu|q_?bleu|rouge|meteor|bert_?(?:score|f1)|mover_?score|chrf|exact_match|f1|em$|token_f1"
)
_HIGHER = re.compile(
    r"bleurt|cider|comet|nist|bart_?score|gpt_?score|qa_?score|rquge|uni_?eval|spice|align_?score|similarity"
)
_LOWER = re.compile(r"ter$|wer$|perplexity|ppl$|edit_distance|loss$")
# Words that decide only the direction of a metric: a column of such a name may also hold ratings by
# annotators.
_LOWER_WORD = re.compile(
    r"(?:^|_)(?:h?ter|[cmw]er|ppl|perplexity|nll|loss|error|error_rate|distance|levenshtein|self_?bleu\d*)(?:_|$)"
)
_HIGHER_WORD = re.compile(
    r"(?:^|_)(?:bleu\d*|rouge\w*|meteor|accuracy|precision|recall|f1|f_?score|f_?measure|exact_match"
    r"|cosine|similarity|jaccard|quest_?eval|q_?rel_?score)(?:_|$)"
)
_HIGHER_CRITERIA = {
    "grammaticality",
    "understandability",
    "answerability",
    "fluency",
    "clarity",
    "naturalness",
}
_CRITERIA = _HIGHER_CRITERIA | {
    "adequacy",
    "ambiguity",
    "answer_consistency",
    "conciseness",
    "consistency",
    "correctness",
    "difficulty",
    "diversity",
    "qtype_correct",
    "questiontype",
    "relevance",
    "relevancy",
    "semantics",
    "specificity",
    "syntax",
    "usefulness",
    "variety",
}
# Names of columns that tools write beside a rating about how it was made.
_ABOUT_RATING = re.compile(
    r"(?:(?:work|lead|accept|submit|start|end|reaction|response)_?)?time(?:_?stamp|_in_seconds|_seconds|_ms|_s)?"
    r"|annotation_id|(?:duration|seconds|confidence)(?:_.*)?|(?:started|finished|submitted|created|updated|rated|judged)_(?:at|on)"
)
# A scale in brackets after a name: its first point, then another point or what the first means.
_SCALE = re.compile(r"\s*[+-]?[0-9]+\s*(?:[-–—/=:,…]|to\b|\.\.)[^()\[\]]*[)\]]\s*$")
_CRITERION = "|".join(sorted(_CRITERIA, key=len, reverse=True))
_MEAN = re.compile(
    rf"(?:(?:mean|avg|average|human)_)*(?P<criterion>{_CRITERION})(?:_(?:mean|avg|average))*"
)
_RATER_WORD = re.compile(r"[ _](?:user|rater|annotator|judge|worker)", re.I)
_SCORE_WORD = re.compile(r"[ _]?(?:score|rating)$", re.I)
_RATER = r"(?:[a-z]{1,10}_?)?[0-9]{1,4}"
_NUMBERED = re.compile(
    rf"(?P<criterion>{_CRITERION})(?:_score|_rating)?[ _](?P<rater>{_RATER})"
    rf"|(?P<first>{_RATER})[ _](?P<then>{_CRITERION})",
    re.I,
)


def is_known_name(text: str) -> bool:
    """Return whether a cell is a common name of a column."""
    return len(text) < 50 and _plain(text) in _KNOWN


def is_text(text: str) -> bool:
    """Return whether columns of this name hold written texts: passages, questions, answers,
    notes."""
    plain = _plain(text) if len(text) < 50 else ""
    return any(plain in _NAMES[role].split() for role in _TEXTS) or bool(
        _REFERENCE.fullmatch(plain)
    )


def is_own_name(text: str) -> bool:
    """Return whether a column's name has a prefix that our own exports write."""
    return text.startswith(_PREFIXES)


def is_note(text: str) -> bool:
    """Return whether a text is a common name of a column of notes."""
    return len(text) < 50 and _plain(text) in _NAMES["note"].split()


def is_criterion(text: str) -> bool:
    """Return whether a text is the name of a common criterion."""
    return len(text) < 50 and _plain(text) in _CRITERIA


def is_criterion_column(text: str) -> bool:
    """Return whether a text is a common name of a column that names criteria."""
    return len(text) < 50 and _plain(text) in _NAMES["criterion"].split()


def is_metric(text: str) -> bool:
    """Return whether a column is named like an automatic metric."""
    return len(text) < 100 and _is_metric(_measure(text))


def is_about_rating(text: str) -> bool:
    """Return whether a column is named like the columns of tools about how a rating was made."""
    return len(text) < 100 and bool(_ABOUT_RATING.fullmatch(_plain(text)))


class Evidence:
    """Statistics of the cells of all rows, taken row by row: the number of each value, and which
    columns are statistics of ratings."""

    def __init__(self, header: Sequence[str], sample: Sequence[Sequence[str]]) -> None:
        """Expect rows of this header; `sample` holds the first of them."""
        self._counts, sampled = ColumnCounts(header), counted(header, sample)
        first = _propose(header, sample, sampled, {})
        families = _families(first.ratings)
        known = {getattr(first, role) for role in ONE_COLUMN}
        known.update(*families)
        candidates = {
            name: [row[place].strip() for row in sample]
            for place, name in enumerate(header)
            if name not in known and 2 * sampled[name].uncounted <= sampled[name].total
        }
        self._columns = DerivedColumns(header, families, candidates)
        self._raters: DerivedRaters | None = None
        values = [*filter(None, [first.value]), *(each.column for each in first.ratings)]
        if first.rater and values:
            unit = [name for role in _UNIT if (name := getattr(first, role))]
            self._raters = DerivedRaters(header, rater=first.rater, unit=unit, values=values)

    @classmethod
    def of(cls, header: Sequence[str], rows: Sequence[Sequence[str]]) -> "Evidence":
        """Return the evidence of these rows."""
        evidence = cls(header, rows[:_SAMPLE])
        for row in rows:
            evidence.take(row)
        return evidence

    def take(self, cells: Sequence[str]) -> None:
        """Count the cells of one more row."""
        self._counts.take(cells)
        self._columns.take(cells)
        if self._raters:
            self._raters.take(cells)

    @property
    def counts(self) -> dict[str, CellCounts]:
        """The values of each column with their numbers."""
        return self._counts.of_columns()

    @property
    def words(self) -> dict[str, dict[str, int]]:
        """The words of each column that holds only a few different ones, with their numbers."""
        counts = self.counts
        return {
            name: words
            for name, each in counts.items()
            if not each.uncounted and (words := few_words(each.values))
        }

    @property
    def missing(self) -> dict[str, dict[str, int]]:
        """The words for "missing" in each column, with their numbers."""
        return self._counts.missing()

    def derived(self, ratings: Sequence[RatingColumn]) -> dict[str, Derivation]:
        """Return the columns that are statistics of these ratings."""
        return self._columns.found(_families(ratings))

    def raters(self) -> tuple[NamedRater, ...]:
        """Return the raters of a rater column who may be no annotators."""
        if self._raters is None:
            return ()
        raters, derived = self._raters.found()
        return tuple(
            _named_rater(name, derived) for name in raters if named_as(name) != "annotator"
        )


def _named_rater(name: str, derived: Mapping[str, Derivation]) -> NamedRater:
    said = named_as(name)
    if said == "llm_judge":
        return NamedRater(name=name, kind="llm_judge", evidence=_model_sentence(name))
    if said == "statistic" and name in derived:
        return NamedRater(name=name, kind="exclude", evidence=derived[name].of_rater(name))
    return NamedRater(name=name, kind="ask", evidence=_doubt(name, derived.get(name)))


def _model_sentence(name: str) -> str:
    return f"“{name}” is named like a language model: an LLM judge is not one of the annotators."


def _doubt(name: str, derivation: Derivation | None = None) -> str:
    """Return why a user must decide what a rater or a column of ratings is."""
    equal = ""
    if derivation:
        equal = " Its values are " + derivation.of_rater(name).partition(" is ")[2].replace(
            ": excluded", ""
        )
    if named_as(name) == "statistic":
        return f"“{name}” is named like a statistic, but its values are none of the ratings in this file."
    return f"“{name}” may be an adjudicated rating: choose whether it is an annotator.{equal}"


def guess(
    header: Sequence[str],
    rows: Sequence[Sequence[str]] = (),
    evidence: Evidence | None = None,
) -> ColumnRoles:
    """Return the columns that the header and the cells suggest.

    `rows` are the first few, `evidence` is that of all rows; without it, these rows are all rows.
    """
    if is_api_export(header):
        return api_columns(header)
    evidence = evidence or Evidence.of(header, rows)
    counts = evidence.counts
    first = _propose(header, rows, counts, {})
    found = _propose(header, rows, counts, evidence.derived(_annotated(first.ratings)))
    if any(map(is_own_name, header)):
        # raters in our exports were annotators, and every expected slot has a row
        is_complete = set(header) >= _SLOT
        return replace(found, crossed=False) if is_complete else found
    return replace(found, raters=evidence.raters()) if found.rater else found


def _annotated(ratings: Sequence[RatingColumn]) -> list[RatingColumn]:
    """Return the columns that match the naming pattern of their criterion: among names with numbers
    and letters no other word, and never the name of a statistic, an adjudication or a model."""
    plain = [each for each in ratings if each.rater and named_as(each.rater) == "annotator"]
    counted_criteria = [each.criterion for each in plain if is_counted(each.rater)]
    return [
        each
        for each in plain
        if is_counted(each.rater) or counted_criteria.count(each.criterion) < 2
    ]


def _families(ratings: Sequence[RatingColumn]) -> list[Family]:
    """Return the columns of each criterion, those of each rater, and all of them."""
    annotated = _annotated(ratings)
    groups = [
        *(
            [each.column for each in annotated if each.criterion == criterion]
            for criterion in dict.fromkeys(each.criterion for each in annotated)
        ),
        *(
            [each.column for each in annotated if each.rater == rater]
            for rater in dict.fromkeys(each.rater for each in annotated)
        ),
        [each.column for each in annotated],
    ]
    return list(dict.fromkeys(tuple(group) for group in groups if len(group) > 1))


def _propose(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    counts: Mapping[str, CellCounts],
    derived: Mapping[str, Derivation],
) -> ColumnRoles:
    """Return proposals from the columns' names, the first rows and the counted values of all rows;
    columns that are derived from ratings are excluded."""
    names = {column: _plain(column) for column in header}
    roles = _roles(names)
    cells = {column: [row[place].strip() for row in rows] for place, column in enumerate(header)}
    noised = [
        column
        for column in header
        if _NOISED.fullmatch(names[column]) and _are_words(cells[column])
    ]
    if "question" not in roles and len(noised) == 1:
        roles["question"] = noised[0]
    left = [
        column
        for column in header
        if column not in roles.values() and not column.startswith(_PREFIXES)
    ]
    references = tuple(
        name for name in _references(left, names, roles) if not counts[name].has_numbers
    )
    free = [column for column in left if column not in references]
    roles |= by_shape({name: cells[name] for name in free}, cells, roles)
    if gold := _gold_answer(references, names, cells, roles):
        roles["answer"] = gold
        references = tuple(column for column in references if column != gold)
    _take_source_ids(roles, names, free, cells)
    is_open = not roles.keys() & {"question", "system", "rater"}
    if is_open and (systems := question_columns(free, cells)):
        return _one_column_a_system(header, roles, references, systems)
    left = [column for column in free if column not in roles.values() and column not in derived]
    found = _one_question_a_row(header, roles, references, left, names, counts)
    evidence = {name: each.of_column(name) for name, each in derived.items()}
    return replace(found, evidence=evidence | _rating_evidence(found.ratings, counts))


def _rating_evidence(
    ratings: Sequence[RatingColumn], counts: Mapping[str, CellCounts]
) -> dict[str, str]:
    """Return a sentence for each column of ratings: its family, or the doubt about its rater."""
    annotated = _annotated(ratings)
    found = {}
    for each in ratings:
        family = [other.column for other in annotated if other.criterion == each.criterion]
        if each.kind == "llm_judge":
            found[each.column] = _model_sentence(each.rater)
        elif each.kind == "ask":
            found[each.column] = _doubt(each.rater)
        elif each in annotated and len(family) > 1:
            found[each.column] = (
                f"{named(family)} hold “{each.criterion}” by {len(family):,} annotators"
                f"{_range(family, counts)}."
            )
            if not is_confirmed_by_name(each, _CRITERIA):
                found[each.column] += (
                    f" Only the values suggest that “{each.rater}” is an annotator: please confirm."
                )
    return found


def _range(family: Sequence[str], counts: Mapping[str, CellCounts]) -> str:
    """Return the range of a family's numbers, and in how many of its cells they are."""
    numbers = [counts[name].numbers for name in family]
    values = sorted(value for each in numbers for value in each)
    total = sum(counts[name].total for name in family)
    if not values or not all(counts[name].has_numbers for name in family):
        return ""
    given = sum(each.total() for each in numbers)
    return f", with numbers from {values[0]:g} to {values[-1]:g} in {given:,} of {total:,} cells"


def _one_question_a_row(
    header: Sequence[str],
    roles: Mapping[str, str],
    references: tuple[str, ...],
    left: list[str],
    names: Mapping[str, str],
    cells: Mapping[str, CellCounts],
) -> ColumnRoles:
    """Return the columns of a table of questions: out of the remaining ones, ratings, scores and
    metadata."""
    options: dict[str, Any] = {**roles}
    if _decimal_commas(cells):
        cells = {column: found.with_points() for column, found in cells.items()}
        options["decimal"] = "comma"
    ratings = _ratings(left, names, cells, long="rater" in roles and "criterion" not in roles)
    left = [column for column in left if column not in {rating.column for rating in ratings}]
    if "note" in roles and "rater" not in roles and len({each.rater for each in ratings}) != 1:
        left.append(options.pop("note"))  # no annotator is named who could have written it
    about = [
        column for column in left if "rater" in roles and _ABOUT_RATING.fullmatch(names[column])
    ]
    left = [column for column in left if column not in about]
    left += [column for column in header if column.startswith(("score:", "attribute:"))]
    scores = tuple(
        _score(column, names, cells[column]) for column in left if _is_score(column, cells[column])
    )
    if _NOISED.fullmatch(names.get(roles.get("question", ""), "")):
        options["default_system"] = "noised"
    return ColumnRoles(
        references=references,
        ratings=ratings,
        scores=scores,
        metadata=tuple(
            column for column in left if column not in {score.column for score in scores}
        ),
        source_metadata=tuple(column for column in header if column.startswith("source:")),
        rating_metadata=tuple(
            column for column in header if column.startswith("judgment:") or column in about
        ),
        **options,
    )


def _one_column_a_system(
    header: Sequence[str],
    roles: dict[str, str],
    references: Sequence[str],
    systems: Sequence[QuestionColumn],
) -> ColumnRoles:
    """Return the columns of a table whose rows hold the questions of all systems; its numbers may
    be about any of them."""
    asked = {each.column for each in systems}
    references = tuple(column for column in references if column not in asked)
    known = {*asked, *references, *roles.values()}
    about = tuple(
        column for column in header if column not in known and column.startswith("source:")
    )
    of_sources: dict[str, Any] = {
        role: column for role, column in roles.items() if role in _OF_SOURCES
    }
    return ColumnRoles(
        references=references, by_system=tuple(systems), source_metadata=about, **of_sources
    )


def criterion_of_mean(column: str) -> str:
    """Return the criterion of a column of means, if its name contains one.

    >>> criterion_of_mean("avg_fluency"), criterion_of_mean("Loveliness (mean)")
    ('fluency', 'Loveliness (mean)')
    """
    mean = _MEAN.fullmatch(_measure(column))
    return mean["criterion"] if mean else column


def without_scale(column: str) -> str:
    """Return the name of a column without the scale in brackets after it.

    >>> without_scale("Fluency (1-3)"), without_scale("clarity [1 = worst, 5 = best]")
    ('Fluency', 'clarity')
    """
    name, _, scale = column.rpartition("(" if column.rstrip().endswith(")") else "[")
    return name.rstrip() if name.strip() and _SCALE.match(scale) else column


def _plain(column: str) -> str:
    return re.sub(r"[\W_]+", "_", without_scale(column).casefold()).strip("_")


def _roles(names: dict[str, str]) -> dict[str, str]:
    columns = {
        other: column
        for column in reversed(names)
        if "." in column
        for other in _opened_names(column)
    }
    columns |= {name: column for column, name in reversed(names.items())}
    roles: dict[str, str] = {}
    for role, candidates in _NAMES.items():
        found = next((columns[name] for name in candidates.split() if name in columns), None)
        if found is not None and found not in roles.values():
            roles[role] = found
    if not {"rater", "criterion", "value"} <= set(roles):
        roles = {
            role: column for role, column in roles.items() if role not in ("criterion", "value")
        }
    return roles


def _take_source_ids(
    roles: dict[str, str],
    names: Mapping[str, str],
    free: Sequence[str],
    cells: Mapping[str, Sequence[str]],
) -> None:
    """Take a column of ids as source ids if the systems share its values."""
    if "source_id" in roles:
        return
    key = roles.get("key")
    named = [name for name in free if names[name] in _ID_NAMES or names[name].endswith(_ID_ENDS)]
    if found := source_ids(
        [key] if key else [name for name in named if name not in roles.values()], cells, roles
    ):
        roles["source_id"] = found
        if found == key:
            del roles["key"]


def _opened_names(column: str) -> Iterator[str]:
    """Yield the names of a column that was opened from an object, the surest last:
    `questions.text` is a text of a question; `questions.system` is also simply a system."""
    outer, _, last = column.rpartition(".")
    whose = _plain(outer.rpartition(".")[2])
    name = _plain(last)
    if name not in ("text", "id", "name", "value", "answer"):
        yield name
    for owner in (whose, whose.removesuffix("s")):
        yield f"{owner}_{name}"
        if name in ("text", "name", owner):
            yield owner


def _are_words(cells: Sequence[str]) -> bool:
    """Return whether at least half of the cells are texts of several words."""
    return bool(cells) and sum(" " in cell for cell in cells) * 2 >= len(cells)


def _decimal_commas(cells: Mapping[str, CellCounts]) -> bool:
    """Return whether a column of numbers is written with decimal commas, and none with points."""
    pointed = any(found.has_numbers and found.has_decimals for found in cells.values())
    commas = any(
        not found.has_numbers
        and (pointing := found.with_points()).has_numbers
        and pointing.has_decimals
        for found in cells.values()
    )
    return commas and not pointed


def _references(
    left: Sequence[str], names: dict[str, str], roles: dict[str, str]
) -> tuple[str, ...]:
    """Return the columns of references: beside predictions, a column of questions is one.

    If a text is given both raw and normalised, take the normalised one, from which published
    scores are computed.
    """
    found = tuple(column for column in left if _REFERENCE.fullmatch(names[column]))
    twice = {
        f"{names[column].removesuffix('_norm')}_raw"
        for column in found
        if names[column].endswith("_norm")
    }
    found = tuple(column for column in found if names[column] not in twice)
    if found or names.get(roles.get("question", "")) in ("question", "question_text"):
        return found
    return tuple(column for column in left if names[column] == "question")


def _gold_answer(
    references: Sequence[str],
    names: Mapping[str, str],
    cells: Mapping[str, Sequence[str]],
    roles: Mapping[str, str],
) -> str:
    """Return the column that is named like references but holds answers: its cells occur in the
    passages."""
    passages = cells.get(roles.get("passage", "") or roles.get("sentence", ""))
    if "answer" in roles or passages is None:
        return ""
    named = [column for column in references if names[column] in _GOLD]
    return answers({column: cells[column] for column in named}, passages)


def _ratings(
    left: Sequence[str],
    names: Mapping[str, str],
    cells: Mapping[str, CellCounts],
    *,
    long: bool,
) -> tuple[RatingColumn, ...]:
    """Return columns whose names give criterion and rater and, in a table with a rater column,
    those whose names give a criterion."""
    free = [column for column in left if not _is_metric(names[column])]
    wide = {each.column: each for each in ([] if long else repeated(free, cells, _CRITERIA))}
    wide |= {
        column: RatingColumn(column=column, criterion=found["criterion"], rater=found["rater"])
        for column in left
        if column not in wide and (found := _criterion_and_rater(column))
    }
    alike = families([column for column in free if column not in wide], cells, _CRITERIA)
    wide |= {rating.column: rating for rating in alike}
    if not long:
        others = [column for column in free if column not in wide]
        wide |= {rating.column: rating for rating in alone(others, cells, _CRITERIA)}
    rated = {each.criterion for each in wide.values()}
    wide |= {rating.column: rating for rating in _of_others(free, wide, rated, cells)}
    if wide or not long:
        kinds = (_of_kind(wide[column]) for column in left if column in wide)
        return tuple(each for each in kinds if each is not None)
    last = {column: _plain(column.rpartition(".")[2]) for column in left}
    known = [column for column in left if names[column] in _CRITERIA or last[column] in _CRITERIA]
    only = [column for column in left if last[column] in ("rating", "score", "value", "judgment")]
    return tuple(RatingColumn(column=column, criterion=last[column]) for column in known or only)


def _of_others(
    free: Sequence[str],
    wide: Mapping[str, RatingColumn],
    rated: set[str],
    cells: Mapping[str, CellCounts],
) -> Iterator[RatingColumn]:
    """Yield columns that are named after a language model or an adjudication, and that fit the
    ratings of their criterion, if there are any."""
    for column in free:
        found = {} if column in wide else of_no_annotator(column, rated) or _of_model_alone(column)
        beside = [name for name, each in wide.items() if each.criterion == found.get("criterion")]
        is_model = found.get("rater") != column and named_as(column) == "llm_judge"
        if found and (
            not beside
            or (is_model and cells[column].has_numbers)
            or one_scale([*beside, column], cells, is_sure=True)
        ):
            yield RatingColumn(column=column, criterion=found["criterion"], rater=found["rater"])


def _of_model_alone(column: str) -> dict[str, str]:
    """Return the criterion and the model of a column whose criterion no annotator rated."""
    found = of_no_annotator(column, _CRITERIA)
    return found if found and named_as(found["rater"]) == "llm_judge" else {}


def _of_kind(rating: RatingColumn) -> RatingColumn | None:
    """Return a column of ratings with the kind that its rater's name suggests; None if it is a
    mean, which is a score."""
    said = named_as(rating.rater)
    if said == "statistic" and named_statistic(rating.rater) == "mean":
        return None
    if said == "annotator":
        return rating
    return replace(rating, kind="llm_judge" if said == "llm_judge" else "ask")


def _criterion_and_rater(column: str) -> dict[str, str]:
    criterion, _, rater = (part.strip() for part in column.partition("@"))
    if criterion and rater:
        return {"criterion": criterion, "rater": rater}
    if named := _NUMBERED.fullmatch(column):
        return {
            "criterion": _plain(named["criterion"] or named["then"]),
            "rater": named["rater"] or named["first"],
        }
    return _before_rater(column)


def _before_rater(column: str) -> dict[str, str]:
    """Return the text before the first rater word that, together with one more word, ends the
    name."""
    apart = (place for place, sign in enumerate(column) if not (sign.isalnum() or sign == "_"))
    other = max(apart, default=-1)
    for word in _RATER_WORD.finditer(column):
        rest = word.end() + (
            column[word.end() : word.end() + 1] in (" ", "_") and word.end() + 1 < len(column)
        )
        if word.start() and other < rest < len(column):
            criterion = column[: word.start()]
            shortened = _SCORE_WORD.sub("", criterion[-10:])
            criterion = criterion[:-10] + shortened or criterion
            return {"criterion": _plain(criterion), "rater": column[word.start() + 1 :]}
    return {}


def _measure(column: str) -> str:
    """Return the plain name of what a column measures; for one opened from an object, the last part
    may give it. A metric that scores a criterion, as in `UniEval.fluency`, is a metric."""
    outer, _, inner = column.rpartition(".")
    last = _plain(inner)
    is_mean = _MEAN.fullmatch(last) and not _is_metric(_plain(outer))
    return last if _is_metric(last) or is_mean else _plain(column)


def _is_score(column: str, cells: CellCounts) -> bool:
    """Return whether a column has the name of a metric or criterion, or numbers of which some have
    decimals: whole numbers may be anything."""
    if column.startswith(("score:", "attribute:")):
        return column.startswith("score:")
    name = _measure(column)
    if _is_metric(name):
        return True
    if not cells.total:
        return _MEAN.fullmatch(name) is not None
    return cells.has_numbers and (_MEAN.fullmatch(name) is not None or cells.has_decimals)


def _is_metric(name: str) -> bool:
    return any(pattern.match(name) for pattern in (_BOUNDED, _HIGHER, _LOWER))


def _score(column: str, names: Mapping[str, str], cells: CellCounts) -> ScoreColumn:
    if declared := exported_score(column):
        return declared
    key = column.removeprefix("score:")
    name = _measure(key)
    if mean := _MEAN.fullmatch(name):
        direction = _criterion_direction(mean["criterion"], names)
        return ScoreColumn(column=column, name=key, direction=direction, kind="human_mean")
    direction = "unknown"
    if _LOWER.match(name) or _LOWER_WORD.search(name):
        direction = "lower"
    elif _BOUNDED.match(name) or _HIGHER.match(name) or _HIGHER_WORD.search(name):
        direction = "higher"
    return ScoreColumn(column=column, name=key, direction=direction, scale=_scale(name, cells))


def _criterion_direction(name: str, names: Mapping[str, str]) -> Direction:
    """Return the direction of a criterion: for correctness, higher is better beside grammaticality
    (QG-Bench), lower is better in QG-STEC; for most others it is unknown."""
    beside = name == "correctness" and "grammaticality" in names.values()
    return "higher" if beside or name in _HIGHER_CRITERIA else "unknown"


def _scale(name: str, cells: CellCounts) -> WrittenScale:
    values = cells.numbers
    within = sum(count for value, count in values.items() if 0 <= value <= 100)
    if not _BOUNDED.match(name) or not nearly_all(within, values.total()):
        return "none"
    above = sum(count for value, count in values.items() if value > 1)
    return "fraction" if nearly_all(values.total() - above, values.total()) else "percent"
