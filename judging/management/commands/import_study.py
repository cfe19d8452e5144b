"""manage.py import_study: import a file into a collection from the shell, in one transaction.

The exit status is 0 if everything was stored, 3 if something is in quarantine, 4 if the same file
was imported before, and 1 if nothing could be imported; wrong arguments give 2, as in every
command.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging import storage
from judging.imports.actions import adding, datasets, reading_plans, refusals
from judging.imports.actions.datasets import Imported
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.columns import ONE_COLUMN, ColumnRoles, columns_from
from judging.imports.readers.overview import per_system
from judging.imports.readers.records import Problem, ScoreKind, StudyRecords, WrittenScale
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.text import Unreadable
from judging.models import Rubric, User

QUARANTINED, BEFORE = 3, 4
SHOWN = 20
PARTS = ("by_system", "scores", "ratings")
LISTS = ("references", "metadata", "source_metadata", "rating_metadata")


class Command(BaseCommand):
    """Import a file with questions, scores and ratings."""

    help = "Import a file of questions. The roles of its columns are guessed; --map, --metric and --ratings set them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", required=True, help="what the dataset is called")
        parser.add_argument("--owner", required=True, help="the user name of its owner")
        parser.add_argument(
            "--format", default="", choices=["", *FORMAT], help="detected unless given"
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="of the format, such as encoding=cp1252, header=false, delimiter=;",
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help=f"one of {', '.join(ONE_COLUMN)}, references; FIELD= excludes a field",
        )
        parser.add_argument(
            "--metric",
            action="append",
            default=[],
            metavar="COLUMN:higher|lower[:fraction|percent|none]",
        )
        parser.add_argument(
            "--human-mean", action="append", default=[], metavar="COLUMN:higher|lower[:SCALE]"
        )
        parser.add_argument("--metadata", action="append", default=[], metavar="COLUMN")
        parser.add_argument("--rating-metadata", action="append", default=[], metavar="COLUMN")
        parser.add_argument(
            "--ratings", action="append", default=[], metavar="COLUMN=CRITERION[@RATER]"
        )
        parser.add_argument(
            "--rater",
            action="append",
            default=[],
            metavar="NAME=KIND",
            help="of a rater column: annotator, llm_judge or exclude",
        )
        parser.add_argument(
            "--point",
            action="append",
            default=[],
            metavar="CRITERION:WORD=POINT",
            help="the point that a word of the ratings means; none to exclude it",
        )
        parser.add_argument("--exclude", action="append", default=[], metavar="COLUMN")
        parser.add_argument(
            "--questions",
            action="append",
            default=[],
            metavar="COLUMN=SYSTEM",
            help="if each system has a column of questions: the system of this one",
        )
        parser.add_argument(
            "--rubric", default="", metavar="KEY", help="the protocol of the ratings"
        )
        parser.add_argument(
            "--ratings-title", default="", help="what the campaign of the ratings is called"
        )
        parser.add_argument(
            "--system", default="", help="the system of the questions, if no column names it"
        )
        parser.add_argument(
            "--expected",
            type=int,
            help="how many questions each system should return for each source",
        )
        parser.add_argument(
            "--first",
            action="store_true",
            help="mark an answer that occurs several times at its first place",
        )
        parser.add_argument("--licence", default="")
        parser.add_argument("--language", default="en")
        parser.add_argument(
            "--accept",
            action="store_true",
            help="import although a column that looks like ratings becomes something else, or more than "
            "1%% of the ratings go to quarantine",
        )
        parser.add_argument("--again", action="store_true", help="import the same file again")

    def handle(self, *, file: Path, **said: Any) -> None:
        owner = _owner(said["owner"])
        try:
            data = file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        plan = _plan(file, data, said)
        study = reading_plans.read_study(name=file.name, data=data, plan=plan)
        for sentence in _excluded(plan):
            self.stdout.write(sentence)
        self._tell(study)
        try:
            made = datasets.import_study(
                study=study,
                name=said["name"],
                by=owner,
                now=timezone.now(),
                licence=said["licence"],
                language=said["language"],
                file=storage.keep(data),
                file_name=file.name,
                mapping=plan.as_dict(),
                rubric=_rubric(said["rubric"], owner),
                ratings_title=said["ratings_title"],
                again=said["again"],
                accept_surprises=said["accept"],
            )
        except datasets.AlreadyImported as before:
            message = f"{before} It is dataset {before.collection.pk}; --again imports it again."
            raise CommandError(message, returncode=BEFORE) from None
        except adding.Surprising as refused:
            remedy = (
                "If this is right, say --accept; otherwise say with --map, --ratings or --exclude "
                "what the columns hold, or with --rubric by which protocol they were rated."
            )
            raise CommandError("\n".join([*refused.surprises, remedy])) from None
        except refusals.CannotImport as refused:
            raise CommandError("\n".join(refused.reasons)) from None
        self._tell_made(made)

    def _tell(self, study: StudyRecords) -> None:
        """Print the contents of the file and the problems in it."""
        refused = study.rows_read - study.rows_kept
        self.stdout.write(
            f"{study.rows_read:,} rows read, {study.rows_kept:,} kept, {refused:,} refused."
        )
        for system in per_system(study):
            self.stdout.write(
                f"  {system.name}: {system.returned:,} questions, {system.missing:,} missing, "
                f"{system.duplicates:,} repeated in their set"
            )
        self._tell_problems(study.problems)

    def _tell_problems(self, problems: Sequence[Problem]) -> None:
        for problem in problems[:SHOWN]:
            where = ", ".join(
                filter(None, [f"row {problem.row:,}" if problem.row else "", problem.column])
            )
            self.stderr.write(f"{where}: {problem.reason} {problem.value}".strip(": "))
        if len(problems) > SHOWN:
            self.stderr.write(f"… and {len(problems) - SHOWN:,} more.")

    def _tell_made(self, made: Imported) -> None:
        self.stdout.write(f"Dataset {made.collection.pk}: {made.collection.name}.")
        if made.campaign:
            raters = made.campaign.enrollments.count()
            self.stdout.write(f"Campaign {made.campaign.uuid}: ratings by {raters:,} annotators.")
        if made.quarantined:
            self.stdout.write(f"{made.quarantined:,} rows or values are in quarantine:")
            rows = made.collection.quarantine.all()[:SHOWN]
            self._tell_problems(
                [Problem(row=r.row, column=r.column, value=r.value, reason=r.reason) for r in rows]
            )
            sys.exit(QUARANTINED)


def _excluded(plan: Plan) -> list[str]:
    """Return sentences on columns and raters whose values show that they are no annotators'."""
    if plan.columns is None:
        return []
    named = set(plan.columns.named())
    columns = [why for column, why in plan.columns.evidence.items() if column not in named]
    return [*columns, *(each.evidence for each in plan.columns.raters if each.evidence)]


def _owner(name: str) -> User:
    owner = User.objects.filter(username=name, is_active=True).first()
    if owner is None:
        raise CommandError(
            f"There is no account called {name}. “python3 run.py manage createsuperuser” makes one.",
            returncode=2,
        )
    return owner


def _rubric(key: str, owner: User) -> Rubric | None:
    if not key:
        return None
    found = Rubric.objects.filter(key=key, owner=owner) | Rubric.objects.filter(
        key=key, owner__isnull=True
    )
    rubric = found.order_by("-id").first()
    if rubric is None:
        known = ", ".join(
            sorted(set(Rubric.objects.filter(owner__isnull=True).values_list("key", flat=True)))
        )
        hint = (
            f"There are {known}."
            if known
            else "None is installed yet: run manage.py install_rubrics."
        )
        raise CommandError(f"There is no protocol {key}. {hint}", returncode=2)
    return rubric


def _plan(file: Path, data: bytes, said: dict[str, Any]) -> Plan:
    plan = Plan(format=said["format"], options=dict(_option(each) for each in said["option"]))
    if said["expected"] is not None:
        plan = replace(plan, options={**plan.options, "expected": said["expected"]})
    try:
        head = reading_plans.read_head(name=file.name, data=data, plan=plan)
    except Unreadable as error:
        how = " Here: --option encoding=cp1252, for instance." if "encoding" in error.reason else ""
        raise CommandError(error.reason + how) from None
    if head.proposed is None:
        return replace(plan, format=head.format)
    return replace(plan, format=head.format, columns=_columns(head.proposed, said))


def _columns(proposed: ColumnRoles, said: dict[str, Any]) -> ColumnRoles:
    """Return the proposed columns with the changes in the arguments."""
    scores = [_score(each, "metric") for each in said["metric"]]
    scores += [_score(each, "human_mean") for each in said["human_mean"]]
    ratings = [_rating(each) for each in said["ratings"]]
    mapped = [_pair(each, "--map") for each in said["map"]]
    asked = [
        dict(zip(("column", "system"), _pair(each, "--questions"), strict=True))
        for each in said["questions"]
    ]
    named = {each["column"] for each in (*scores, *ratings, *asked)} | {
        column for _, column in mapped
    }
    named |= {*said["metadata"], *said["rating_metadata"], *said["exclude"]}
    data = _without(proposed.as_dict(), named)
    for field, column in mapped:
        _map(data, field, column)
    data["scores"] += scores
    data["ratings"] += ratings
    kinds = dict(_pair(each, "--rater") for each in said["rater"])
    data["raters"] = [
        *(each for each in data["raters"] if each["name"] not in kinds),
        *({"name": name, "kind": kind} for name, kind in kinds.items()),
    ]
    data["points"] = [_point(each) for each in said["point"]]
    data["by_system"] += asked
    data["metadata"] += said["metadata"]
    data["rating_metadata"] += said["rating_metadata"]
    data |= {"default_system": said["system"]} if said["system"] else {}
    data |= {"expected": said["expected"]} if said["expected"] is not None else {}
    data |= {"when_ambiguous": "first"} if said["first"] else {}
    if (
        not data["system"]
        and not data["by_system"]
        and data["default_system"] == ColumnRoles().default_system
    ):
        raise CommandError(
            "No column names the system: say with --system whose questions these are, with --map system=COLUMN which "
            "column names it, or with --questions COLUMN=SYSTEM where each system has a column of its own.",
            returncode=2,
        )
    return columns_from(data)


def _without(data: dict[str, Any], named: Container[str]) -> dict[str, Any]:
    """Return the columns without the guesses about those that the arguments name."""
    single = {role: "" if data[role] in named else data[role] for role in ONE_COLUMN}
    lists = {part: [name for name in data[part] if name not in named] for part in LISTS}
    parts = {part: [each for each in data[part] if each["column"] not in named] for part in PARTS}
    return data | single | lists | parts


def _map(data: dict[str, Any], field: str, column: str) -> None:
    if field == "references":
        data["references"].append(column)
    elif field in ONE_COLUMN:
        data[field] = column
    else:
        raise CommandError(
            f"--map {field}: there is no such field; there are {', '.join(ONE_COLUMN)}.",
            returncode=2,
        )


def _score(text: str, kind: ScoreKind) -> dict[str, str]:
    """Read COLUMN:direction[:scale]; the column's own name may hold colons."""
    parts = text.split(":")
    scale = parts.pop() if len(parts) > 2 and parts[-1] in get_args(WrittenScale) else "none"
    direction = parts.pop() if len(parts) > 1 else ""
    if direction not in ("higher", "lower"):
        raise CommandError(
            f"“{text}” must say higher or lower after the column, as in Bleu_4:higher.",
            returncode=2,
        )
    column = ":".join(parts)
    return {"column": column, "name": column, "direction": direction, "scale": scale, "kind": kind}


def _point(text: str) -> dict[str, str]:
    """Read CRITERION:WORD=POINT; the word may hold colons."""
    name, point = _pair(text, "--point")
    criterion, _, word = name.partition(":")
    return {"criterion": criterion, "word": word, "point": point}


def _rating(text: str) -> dict[str, str]:
    column, rest = _pair(text, "--ratings")
    criterion, _, rater = rest.partition("@")
    return {"column": column, "criterion": criterion, "rater": rater}


def _pair(text: str, option: str) -> tuple[str, str]:
    left, sign, right = text.partition("=")
    if not sign or not left:
        raise CommandError(f"{option} {text}: write it as NAME=VALUE.", returncode=2)
    return left, right


def _option(text: str) -> tuple[str, Any]:
    name, value = _pair(text, "--option")
    return name, {"true": True, "false": False, "\\t": "\t"}.get(
        value, int(value) if value.isdecimal() else value
    )
