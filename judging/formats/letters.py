"""The system behind each letter of a crowd batch, decided by votes of equal questions. No
database."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pandas import DataFrame

from judging.formats.frames import Study
from judging.formats.tiers import (
    FoundUnits,
    Held,
    Sides,
    by_keys,
    by_passage,
    by_question,
    first_of,
    iterate_cells,
    lookup,
    prepare_questions,
    prepare_sides,
)

LETTER = re.compile(
    r"((system|model|output|candidate|option)[ _-]?)?([a-z]|[0-9]{1,2})", re.IGNORECASE
)
MIN_SHARE_OF_LETTER = 0.5  # of a letter's questions in matched sources, to be the system's
MIN_SHARE_OF_NAME = 0.9  # of the questions of any other name, which may be a new system
MIN_AGREEMENT = 0.75  # of all votes, with one system a letter; below, letters are shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """The systems behind the letters of a file; if `by_row`, a letter's system varies by row.

    `votes` counts the systems of each letter's questions, `decided` names the system of a letter
    or is "" for it. `found` are the dataset's questions with the same text, of any system.
    """

    votes: Mapping[str, Mapping[str, int]]
    decided: Mapping[str, str]
    by_row: bool
    found: FoundUnits
    sides: Sides
    system_of: Mapping[int, str]

    @property
    def names(self) -> dict[str, str]:
        """Return the system of each letter that is decided for the whole file."""
        return {letter: system for letter, system in self.decided.items() if system}


def systems_in_file(study: Study) -> list[str]:
    """Return the systems of a file, in its order."""
    return list(dict.fromkeys(system for _, system in study.expected))


def find_letters(study: Study, held: Held, by_hand: Mapping[str, str]) -> Letters | None:
    """Find the systems behind names that the dataset does not have; None if no text matches.

    A question votes for a system if no other system gave its text in that passage. `by_hand` gives
    the systems of names that a person decided.
    """
    systems = systems_in_file(study)
    names = [name for name in systems if name not in held.systems]
    free = held.slots[held.slots["system"].isin(held.systems - set(systems))]
    asked = study.questions[study.questions["system"].isin(names)]
    if free.empty or asked.empty:
        return None
    sides = prepare_sides(study.sources, replace(held, slots=free), any_system=True)
    left = prepare_questions(asked, any_system=True)
    found = first_of([way(left, sides, "loose") for way in (by_passage, by_question)])
    if found.labels.empty:
        return None
    votes, shares = _votes(asked, found, free, names)
    decided, is_shuffled = _elected(votes, shares, by_hand)
    return Letters(
        votes=votes,
        decided=decided,
        by_row=is_shuffled,
        found=found,
        sides=sides,
        system_of=lookup(free["system"]),
    )


def _elected(
    votes: Mapping[str, Counter[str]],
    shares: Mapping[str, Mapping[str, float]],
    by_hand: Mapping[str, str],
) -> tuple[dict[str, str], bool]:
    """Return the system of each name that is decided, and whether letters vary by row: the votes
    disagree, but enough questions of every name are found."""
    names = [name for name in votes if name not in by_hand]
    chosen = _one_to_one(votes, shares, names, set(by_hand.values()))
    agreed = sum(votes[name][system] for name, system in chosen.items())
    cast = sum(votes[name].total() for name in names)
    are_found = all(shares[name].get("", 0) >= _min_share(name) for name in names)
    is_shuffled = bool(names) and are_found and (agreed < MIN_AGREEMENT * cast or not cast)
    decided = {**({} if is_shuffled else chosen), **by_hand}
    return {name: decided.get(name, "") for name in votes}, is_shuffled


def _votes(
    asked: DataFrame, found: FoundUnits, slots: DataFrame, names: Sequence[str]
) -> tuple[dict[str, Counter[str]], dict[str, dict[str, float]]]:
    """Return the votes of each letter's questions, and the shares of them that may be a system's."""
    systems = found.members.assign(system=found.members["unit"].map(slots["system"]))
    systems = systems.drop_duplicates(["group", "system"])
    is_vote = ~systems["group"].duplicated(keep=False)
    letters = DataFrame({"letter": asked["system"], "group": found.labels}).dropna()
    ballots = letters.merge(systems.assign(is_vote=is_vote), on="group")
    votes = _counts(ballots[ballots["is_vote"]], names)
    return votes, _shares(_counts(ballots, names), asked, found)


def _counts(ballots: DataFrame, names: Sequence[str]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for _, letter, system in iterate_cells(ballots, "letter", "system"):
        counts[letter][system] += 1
    return counts


def _shares(
    counts: Mapping[str, Counter[str]], questions: DataFrame, found: FoundUnits
) -> dict[str, dict[str, float]]:
    """Return the share of each letter's questions that may be a system's, or any system's ("").

    Questions about sources of which no question is found are not counted against a letter.
    """
    source = questions["source"]
    located = source.isin(source.reindex(found.labels.index))
    texts = questions[questions["text"].notna()]
    found_of = questions["system"].reindex(found.labels.index).value_counts()
    shares = {}
    for letter, systems in counts.items():
        mine = texts[texts["system"] == letter]
        asked = int(located[mine.index].sum()) if LETTER.fullmatch(letter) else len(mine)
        found_here = {**systems, "": int(found_of.get(letter, 0))}
        shares[letter] = {name: count / asked for name, count in found_here.items() if asked}
    return shares


def _one_to_one(
    votes: Mapping[str, Counter[str]],
    shares: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    given: Collection[str],
) -> dict[str, str]:
    """Return a system for each name that has a clear majority for one that is not given."""
    chosen: dict[str, str] = {}
    ballots = [
        (-count, name, system)
        for name in names
        for system, count in votes[name].items()
        if system not in given
    ]
    for count, name, system in sorted(ballots):
        is_clear = 2 * -count > votes[name].total()
        is_enough = shares[name].get(system, 0) >= _min_share(name)
        if is_clear and is_enough and system not in chosen.values():
            chosen[name] = system
    return chosen


def _min_share(name: str) -> float:
    return MIN_SHARE_OF_LETTER if LETTER.fullmatch(name) else MIN_SHARE_OF_NAME


def of_several_systems(study: Study, letters: Letters) -> FoundUnits:
    """Return the slots of its system for each question whose text several systems gave, in a study
    in which the letters are already replaced by systems."""
    members = letters.found.members
    members = members.assign(system=members["unit"].map(letters.system_of))
    several = members.groupby("group")["system"].nunique() > 1
    labels = letters.found.labels[letters.found.labels.map(several)]
    asked = DataFrame({"group": labels, "system": study.questions["system"].reindex(labels.index)})
    return by_keys(asked, members, ["group", "system"])


def renamed(study: Study, systems: Mapping[str, str]) -> Study:
    """Return a study with its systems renamed; if two get one name, their questions form one
    set."""
    name = {each: systems.get(each) or each for each in systems_in_file(study)}
    if all(old == new for old, new in name.items()):
        return study
    questions, ratings, notes = (
        frame.assign(system=frame["system"].map(name))
        for frame in (study.questions, study.ratings, study.notes)
    )
    expected: dict[tuple[int, str], int] = {}
    for (source, system), count in study.expected.items():
        pair = source, name[system]
        expected[pair] = max(count, expected.get(pair, 0))
    moved = replace(study, questions=questions, ratings=ratings, notes=notes, expected=expected)
    return _renumbered(moved) if len(set(name.values())) < len(name) else moved


def _renumbered(study: Study) -> Study:
    """Return a study with positions by the order of the questions in their sets."""
    sets = study.questions.groupby(["source", "system"])
    sizes = {pair: max(size, study.expected[pair]) for pair, size in lookup(sets.size()).items()}
    questions = study.questions.assign(position=sets.cumcount() + 1)
    return replace(study, questions=questions, expected={**study.expected, **sizes})
