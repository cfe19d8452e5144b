"""The check of the study: what is asked about, or corrected, before a file is added.

A finding is a sentence. One that `needs_yes` is accepted by a person before anything is stored, if it
is `of_first_file` only in a dataset without sources: a later file may refer to what the dataset has.
`fix` holds changes of the mapping that the page offers instead, under `label`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from judging.base.texts import as_number, count_with_noun, is_number, plain_name
from judging.formats.facts import Facts
from judging.formats.frames import Study, Unreadable, shorten_line
from judging.formats.mapping import RATED, SCORED, Mapping
from judging.formats.study import commonest_spellings
from judging.formats.vocabulary import (
    is_criterion,
    order_scale_words,
    statistic,
    vocabulary,
    words_of,
)

Topic = Literal["unit", "sources", "fate", "counts"]
_SHOWN = 4  # names in a sentence
_BECOMES = {
    "metadata": "metadata of the question",
    "source_metadata": "metadata of the source",
    "rating_metadata": "metadata of the rating",
    "metric": "the score of a metric",
    "human_mean": "a mean human score",
    "": "excluded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about the study that a person should know, or must accept."""

    topic: Topic
    sentence: str
    needs_yes: bool = True
    of_first_file: bool = False
    fix: dict[str, Any] = field(default_factory=dict)
    label: str = ""


def count_study(study: Study, mapping: Mapping) -> dict[str, Any]:
    """Return the counts of a study, and the sentence to agree with."""
    is_judge = study.ratings["is_judge"].astype(bool)
    people = study.ratings[~is_judge]
    returned = study.questions["text"].notna()
    systems = list(dict.fromkeys(system for _, system in study.expected))
    counts = {
        "sources": len(study.sources),
        "systems": systems,
        "questions": int(returned.sum()),
        "missing": sum(study.expected.values()) - int(returned.sum()),
        "annotators": _distinct(people["rater"]),
        "llm_judges": _distinct(study.ratings.loc[is_judge, "rater"]),
        "ratings": len(people),
        "criteria_rated": _distinct(people["criterion"]),
        "scores": _distinct(study.scores["name"]),
        "names_systems": mapping.names_systems,
    }
    return {**counts, "sentence": _sentence(counts)}


def _distinct(values: "pd.Series[str]") -> list[str]:
    return [str(fromkey) for fromkey in dict.fromkeys(values)]


def _sentence(counts: dict[str, Any]) -> str:
    """Return, for example, "24 questions by 3 systems on 8 sources, 3 annotators, 144 ratings on 2
    criteria".
    """
    systems = (
        count_with_noun(len(counts["systems"]), "system")
        if counts["names_systems"]
        else "no named system"
    )
    parts = [
        f"{count_with_noun(counts['questions'], 'question')} by {systems} on "
        f"{count_with_noun(counts['sources'], 'source')}"
    ]
    if counts["missing"]:
        parts.append(f"{count_with_noun(counts['missing'], 'missing output')}")
    if counts["ratings"]:
        criteria = count_with_noun(len(counts["criteria_rated"]), "criterion", "criteria")
        parts.append(count_with_noun(len(counts["annotators"]), "annotator"))
        parts.append(f"{count_with_noun(counts['ratings'], 'rating')} on {criteria}")
    if counts["llm_judges"]:
        parts.append(count_with_noun(len(counts["llm_judges"]), "LLM judge"))
    if counts["scores"]:
        parts.append(
            count_with_noun(len(counts["scores"]), "column of scores", "columns of scores")
        )
    return ", ".join(parts)


def findings(frame: pd.DataFrame, mapping: Mapping, study: Study) -> list[Finding]:
    """Return the findings about a study, those of each topic together."""
    return [
        *_about_unit(frame, mapping, study),
        *_about_sources(mapping, study),
        *_about_fate(frame, mapping),
        *_about_directions(mapping),
        *_about_names(mapping),
        *_about_families(mapping),
        *_about_values(study),
        *_about_numbers(frame, mapping),
        *_about_marked_rows(frame, mapping),
        *_about_counts(mapping, study),
    ]


def refuse_other_designs(frame: pd.DataFrame) -> None:
    """Refuse files whose rows are no questions or ratings of them.

    Raises
    ------
    Unreadable
        If each row compares two outputs, or holds one person's answers to a whole survey.
    """
    _refuse_surveys(frame)
    _refuse_comparisons(frame)


def _refuse_surveys(frame: pd.DataFrame) -> None:
    remedy = (
        "a row for each person and a column for each question of the survey. Make a table with a row "
        "for each rating: the question, the system, the person, the criterion and the value."
    )
    head = frame.head(3)
    if any(head[name].str.contains('"ImportId"', regex=False).any() for name in frame.columns):
        raise Unreadable(f"This is an export of Qualtrics, with {remedy}")
    in_brackets = [name for name in frame.columns if name.rstrip().endswith("?]")]
    if len(in_brackets) > 2:
        raise Unreadable(f"This looks like the responses of a form, with {remedy}")


def _refuse_comparisons(frame: pd.DataFrame) -> None:
    plain = {plain_name(name): name for name in frame.columns}
    winner = next((name for name in vocabulary()["winners"] if name in plain), "")
    if not winner:
        return
    pairs = [
        (stem, one, two)
        for stem in ("model", "system", "question", "output", "response", "answer")
        for one, two in (("a", "b"), ("1", "2"))
        if f"{stem}_{one}" in plain and f"{stem}_{two}" in plain
    ]
    if pairs:
        stem, one, two = pairs[0]
        raise Unreadable(
            f"Each row compares two outputs (“{plain[f'{stem}_{one}']}” and “{plain[f'{stem}_{two}']}”) and "
            f"“{plain[winner]}” names the better one. Comparisons cannot be judged or imported yet; "
            "ratings of single questions can."
        )


def _about_unit(frame: pd.DataFrame, mapping: Mapping, study: Study) -> Iterator[Finding]:
    """Say who rated each question, and ask about spellings, sheets and repeated rows."""
    yield from _about_spellings(frame, mapping)
    rater = mapping.column("rater")
    people = study.ratings[~study.ratings["is_judge"].astype(bool)]
    if rater and len(people["question"].dropna()):
        often = people.groupby("question")["rater"].nunique()
        few, many = int(often.min()), int(often.max())
        times = f"{few}" if few == many else f"{few} to {many}"
        yield Finding(
            topic="unit",
            sentence=f"Each rated question has {times} annotators, whom “{rater}” names.",
            needs_yes=False,
        )
    if rater.startswith("sheet"):
        named = _quoted(_distinct(study.ratings["rater"]))
        yield Finding(topic="unit", sentence=f"The sheets {named} become annotators.")
    yield from _about_repeats(study)


def _about_repeats(study: Study) -> Iterator[Finding]:
    """Ask whether repeated rows and ratings are mistakes."""
    for problem in study.problems:
        if problem.kind == "repeat":
            yield Finding(
                topic="unit",
                sentence=f"Row {problem.row:,}: {problem.reason}",
                fix={"repeats": "mistakes"},
                label="They are mistakes",
            )


def _about_spellings(frame: pd.DataFrame, mapping: Mapping) -> Iterator[Finding]:
    """Say which spellings of people and systems are taken for one."""
    for role, what in (("rater", "annotator"), ("system", "system")):
        name = mapping.column(role)
        spellings = commonest_spellings(frame[name]) if name else {}
        if not spellings:
            continue
        usual = dict.fromkeys(spellings.values())
        said = "; ".join(
            ", ".join(f"“{each}”" for each in (*(s for s, u in spellings.items() if u == one), one))
            for one in list(usual)[:_SHOWN]
        )
        become, label = f"several {what}s", "Take them for one"
        if mapping.one_spelling:
            become, label = f"taken for one {what}", "Keep them apart"
        yield Finding(
            topic="unit",
            sentence=f"Names that differ only in case and blanks are {become}: {said}.",
            fix={"one_spelling": not mapping.one_spelling},
            label=label,
        )


def _about_sources(mapping: Mapping, study: Study) -> Iterator[Finding]:
    """Ask about passages under several ids, systems that never share a source, and no passage."""
    sources = study.sources
    texts = sources[["passage", "answer", "target_type"]].astype(str)
    if mapping.column("source_id") and (sources["passage"] != "").any():
        same = texts[sources["passage"] != ""].duplicated(keep=False)
        if same.any():
            keys = sources.loc[same[same].index, "key"]
            yield Finding(
                topic="sources",
                sentence=f"{count_with_noun(int(same.sum()), 'source')} have a passage and answer that another id also "
                f"has: {_quoted(list(keys))}. They stay different sources.",
            )
    if len(sources) and not ((sources["passage"] != "") | (sources["sentence"] != "")).any():
        yield Finding(
            topic="sources",
            sentence="The file gives no passage: annotators would see questions without a text.",
            of_first_file=True,
        )
    yield from _about_crossing(mapping, study)


def _about_crossing(mapping: Mapping, study: Study) -> Iterator[Finding]:
    """Say which systems lack outputs, and ask about systems that never share a source."""
    returned = study.questions[study.questions["text"].notna()]
    pairs = returned[["source", "system"]].drop_duplicates()
    groups = groups_of(pairs)
    said = _lacking_outputs(pairs)
    if len(groups) > 1:
        named = "; ".join(_quoted(group) for group in groups[:_SHOWN])
        said = f"These systems share no source with the others: {named}."
    if said and mapping.crossed:
        yield Finding(
            topic="sources",
            sentence=f"{said} Outputs that the file lacks count as missing.",
            needs_yes=len(groups) > 1,
            fix={"crossed": False},
            label="Nothing is missing",
        )
    elif said:
        yield Finding(
            topic="sources",
            sentence=f"{said} Outputs that the file lacks do not count as missing.",
            needs_yes=len(groups) > 1,
            fix={"crossed": True},
            label="Every system was given every source",
        )


def _lacking_outputs(pairs: pd.DataFrame) -> str:
    """Return a sentence that names the systems without an output on some sources, else ""."""
    total = pairs["source"].nunique()
    counts = pairs.groupby("system")["source"].nunique()
    lacking = [
        f"“{name}” on {total - n:,} of {total:,} sources" for name, n in counts.items() if n < total
    ]
    shown = "; ".join(lacking[:_SHOWN]) + (" and others" if len(lacking) > _SHOWN else "")
    return f"No output: {shown}." if lacking else ""


def _different(names: "pd.Series[str]") -> Any:
    return tuple(dict.fromkeys(names))


def groups_of(pairs: pd.DataFrame) -> list[list[str]]:
    """Return systems in groups of which no two share a source."""
    of_source = pairs.groupby("source")["system"].agg(_different)
    groups: list[set[str]] = []
    for systems in dict.fromkeys(of_source):
        touched = [group for group in groups if group.intersection(systems)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(systems).union(*touched))
    order = list(dict.fromkeys(pairs["system"]))
    return [sorted(group, key=order.index) for group in groups]


def _about_fate(frame: pd.DataFrame, mapping: Mapping) -> Iterator[Finding]:
    """Say what every column of numbers becomes; ask if it looks like ratings and becomes something
    else."""
    fates: dict[str, list[str]] = {}
    for name, column in mapping.columns.items():
        is_named_statistic = statistic(name) not in ("", "mean")
        if column.role not in _BECOMES or (
            column.why and not column.role and not is_named_statistic
        ):
            continue  # the reason stands above the column; a name alone is no reason
        facts = Facts(name, frame[name])
        if not facts.is_numeric:
            yield from _about_words(facts, column.role)
        elif _looks_rated(facts, column.role):
            kind = "whole" if facts.is_whole else "half"
            yield Finding(
                topic="fate",
                sentence=f"“{shorten_line(name)}” holds {kind} numbers from {min(facts.numbers):g} to "
                f"{max(facts.numbers):g}, as ratings do, and becomes {_BECOMES[column.role]}.",
            )
        else:
            fates.setdefault(_BECOMES[column.role], []).append(name)
    for becomes, names in fates.items():
        verb = "becomes" if len(names) == 1 else "become"
        yield Finding(topic="fate", sentence=f"{_quoted(names)} {verb} {becomes}.", needs_yes=False)


def _about_families(mapping: Mapping) -> Iterator[Finding]:
    """Ask which part of the names of columns is the criterion, if no word of them shows it."""
    named = [column for column in mapping.of_role("ratings").values() if column.rater]
    criteria = list(dict.fromkeys(column.name for column in named))
    raters = list(dict.fromkeys(column.rater for column in named))
    people = set(vocabulary()["people"]) - {"ann"}  # which is a name too
    is_shown = any(map(is_criterion, criteria)) or any(
        len(rater) < 3 or any(map(str.isdecimal, rater)) or people.intersection(words_of(rater))
        for rater in raters
    )
    if len(criteria) > 1 and len(raters) > 1 and not is_shown:
        yield Finding(
            topic="fate",
            sentence=f"The names of columns are read as the criteria {_quoted(criteria)} and the "
            f"annotators {_quoted(raters)}. They may be the other way round.",
        )


def _about_values(study: Study) -> Iterator[Finding]:
    """Ask about ratings below zero, and annotators whose ratings have no range in common."""
    people = study.ratings[~study.ratings["is_judge"].astype(bool)]
    numbers = pd.to_numeric(people["value"], errors="coerce")
    for criterion, values in numbers.groupby(people["criterion"], sort=False):
        if values.min() < 0:
            yield Finding(
                topic="fate",
                sentence=f"“{shorten_line(str(criterion))}” has ratings below zero, such as {values.min():g}. "
                "A number for a missing rating is no rating: leave such cells blank.",
            )
        ranges = values.groupby(people["rater"]).agg(["min", "max"]).dropna()
        if len(ranges) and ranges["min"].max() > ranges["max"].min():
            high, low = ranges["min"].idxmax(), ranges["max"].idxmin()
            yield Finding(
                topic="fate",
                sentence=f"On “{shorten_line(str(criterion))}” the ratings of {_quoted([str(high)])} begin at "
                f"{ranges['min'].max():g}, and those of {_quoted([str(low)])} end at "
                f"{ranges['max'].min():g}. They may be on different scales.",
            )


def _about_numbers(frame: pd.DataFrame, mapping: Mapping) -> Iterator[Finding]:
    """Ask whether a separator of thousands is one, and about columns that are written otherwise."""
    for name in mapping.of_role(*RATED, *SCORED, "value"):
        facts = Facts(name, frame[name])
        changed = (
            (cell, number)
            for cell in facts.counts
            if (number := as_number(cell, mapping.numbers)) != as_number(cell, facts.written)
            and is_number(number)
        )
        if example := next(changed, None):
            yield Finding(
                topic="fate",
                sentence=f"“{shorten_line(name)}” is read as other columns are written: "
                f"{example[0]} becomes {example[1]}.",
            )
    if mapping.numbers.endswith("thousands"):
        how = "1,203.5" if mapping.numbers.startswith("point") else "1.203,5"
        yield Finding(
            topic="fate",
            sentence=f"Numbers such as {how} are read as one thousand two hundred and three and a half.",
            fix={"numbers": "comma" if how == "1,203.5" else "point"},
            label="Read the separator as a decimal sign",
        )


def _about_words(facts: Facts, role: str) -> Iterator[Finding]:
    """Ask about metadata that may be questions, or ratings in words."""
    words = sorted(facts.counts, key=len)[:2]
    is_of_source = role in ("", "source_metadata")
    if facts.asks and role:
        said = "questions"
    elif len(facts.counts) > 1 and not is_of_source and order_scale_words(set(facts.counts)):
        said = f"{_quoted(words)}, as ratings may,"
    else:
        return
    sentence = f"“{shorten_line(facts.name)}” holds {said} and becomes {_BECOMES[role]}."
    yield Finding(topic="fate", sentence=sentence)


def _looks_rated(facts: Facts, role: str) -> bool:
    """Return whether the numbers of a column may be ratings, rather than count or number things."""
    is_rated = facts.is_whole or (facts.is_on_scale and role not in SCORED)
    if not is_rated or facts.has_thirds or not 1 < len(set(facts.numbers)) <= 11:
        return False
    names = vocabulary()
    is_id = facts.plain in names["ids"] or facts.plain.endswith(tuple(names["id_ends"]))
    is_counter = is_id or len(facts.counts) == facts.total
    return is_criterion(facts.name) or role in SCORED or not is_counter


def _about_directions(mapping: Mapping) -> Iterator[Finding]:
    """Ask whether higher is better in scores whose direction no name shows."""
    scores = mapping.of_role(*SCORED)
    doubtful = [name for name, column in scores.items() if column.is_direction_guessed]
    if doubtful:
        yield Finding(
            topic="fate", sentence=f"In {_quoted(doubtful)} higher is better; no name shows this."
        )


def _about_names(mapping: Mapping) -> Iterator[Finding]:
    """Ask about ratings on a criterion without a name, and ranks."""
    rated = mapping.of_role("ratings")
    nameless = [name for name, column in rated.items() if column.name == "rating"]
    if nameless:
        yield Finding(
            topic="fate",
            sentence=f"The file does not name the criterion of {_quoted(nameless)}: it is called “rating”.",
        )
    ranks = [name for name, column in rated.items() if column.name == "rank"]
    if ranks:
        yield Finding(
            topic="fate",
            sentence=f"{_quoted(ranks)} {'holds' if len(ranks) == 1 else 'hold'} ranks: ratings on the "
            "criterion “rank”, of which 1 is best.",
        )
    for name, kind in mapping.raters.items():
        if kind == "exclude":
            yield Finding(
                topic="fate",
                sentence=f"“{name}” is named like a statistic of the annotators: its ratings are excluded.",
            )


def marked_rows(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return, by column, the values that mark rows as excluded, rejected, a test or an attention
    check; none if all rows are so marked."""
    found: dict[str, tuple[str, ...]] = {}
    for name in frame.columns:
        values = list(dict.fromkeys(cell.strip() for cell in frame[name] if cell.strip()))
        if len(values) > 20:
            continue
        marking = _words_that_mark(plain_name(name), is_scale=bool(order_scale_words(set(values))))
        marked = tuple(value for value in values if value.casefold().replace("_", " ") in marking)
        if marked and len(marked) < len(values):
            found[name] = marked
    return found


def _words_that_mark(name: str, *, is_scale: bool) -> set[str]:
    """Return the words by which a column of this name marks rows."""
    known = vocabulary()["status"]
    words = set() if is_scale else set(known["values_anywhere"])
    words |= set(known["values"]) if name in known["columns"] else set()
    words |= {"1", "true", "yes", "1.0"} if name in known["marked_if_true"] else set()
    words |= {"0", "false", "no", "0.0"} if name in known["marked_if_false"] else set()
    return words


def _about_marked_rows(frame: pd.DataFrame, mapping: Mapping) -> Iterator[Finding]:
    for name, values in marked_rows(frame).items():
        count = int(frame[name].str.strip().isin(values).sum())
        excluded: dict[str, Sequence[str]] = {
            each: marks for each, marks in mapping.exclude_rows.items() if each != name
        }
        become, label = "excluded", "Keep these rows"
        if name not in mapping.exclude_rows:
            excluded[name] = list(values)
            become, label = "kept", "Exclude these rows"
        yield Finding(
            topic="fate",
            sentence=f"{count_with_noun(count, 'row')} with {_quoted(list(values))} in “{name}” "
            f"{'is' if count == 1 else 'are'} {become}.",
            fix={"exclude_rows": excluded},
            label=label,
        )


def _about_counts(mapping: Mapping, study: Study) -> Iterator[Finding]:
    """Ask about a study without questions, and about ratings of questions that nobody can see."""
    if not len(study.sources):
        return
    texts = study.questions["text"].dropna()
    several = texts.map(lambda text: text.count("?") > 1 and ("\n" in text or "|" in text))
    if len(texts) and several.mean() > 0.5:
        yield Finding(
            topic="counts",
            sentence=f"{count_with_noun(int(several.sum()), 'cell')} of questions hold several questions. "
            "Annotators would judge them as one: give each question a row of its own.",
        )
    if texts.empty:
        has_column = bool(mapping.of_role("question", "question_of"))
        why = "every cell is blank" if has_column else "no column is one of questions"
        yield Finding(
            topic="counts",
            sentence=f"The file holds no question: {why}.",
            of_first_file=not has_column,
        )
    rated = study.ratings["question"].dropna()
    blank = study.questions.index[study.questions["text"].isna()]
    of_nothing = int(rated.isin(blank).sum())
    if of_nothing and mapping.column("question"):
        yield Finding(
            topic="counts",
            sentence=f"{count_with_noun(of_nothing, 'rating')} {'is' if of_nothing == 1 else 'are'} about questions "
            "that are missing.",
        )


def _quoted(names: Sequence[str]) -> str:
    shown = [f"“{shorten_line(name, 60)}”" for name in names]
    if len(shown) > _SHOWN + 1:
        shown = [*shown[:_SHOWN], f"{len(shown) - _SHOWN:,} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1] if shown else ""]))
