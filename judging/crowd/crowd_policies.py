"""Rules of crowd platforms for studies, as data, and a check of a study against them.

The numbers are the platforms' own, with their source; if a platform changes one, only its line here
changes. Plain Python over facts of a campaign, without a database. Facts that Quaestor cannot see
(such as the setting of a code on the platform) are listed for the manager to check, and never pass
as met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from judging.campaigns.quality_plan import QualityPlan
from judging.crowd import crowd_kinds
from judging.quality.pay import HOUR, Rate

PolicyState = Literal["fails", "look", "met"]
ORDER: Sequence[PolicyState] = ("fails", "look", "met")
SHORTER = Decimal("0.8")  # of the time that tasks take: a plan that states less misleads annotators
THREAT = re.compile(
    r"\b(reject\w*|unpaid|not (?:be |get )?paid|no pay(?:ment)?|without pay(?:ment)?|abgelehnt|"
    r"ablehn\w*|unbezahlt|nicht bezahlt|keine (?:Bezahlung|Vergütung))\b",
    re.IGNORECASE,
)
IDENTITY = re.compile(
    r"\b(e-?mail\w*|prolific|connect id|worker ?id|participant ?id|(?:your|full|first|last) name|"
    r"phone|telephone|postal address|Telefon\w*|Handynummer|Ihr Name|Vorname|Nachname|Anschrift)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdPolicy:
    """The rules of one platform: the minimum pay an hour by currency, the failed checks that are
    required before they have a consequence in a study of at least so many minutes, and how often a
    test of understanding may be tried."""

    hourly: Mapping[str, Decimal] = field(default_factory=dict)
    pays: bool = True  # in money, not in credits
    host: str = ""  # to which annotators return
    failed_checks: int = 2
    from_minutes: int = 5
    tries: int = 2
    source: str = ""


POLICIES: Mapping[str, CrowdPolicy] = {
    "prolific": CrowdPolicy(
        hourly={"GBP": Decimal("6.00"), "USD": Decimal("8.00")},
        host="app.prolific.com",
        source="Prolific's researcher help: deciding on a reward; attention and comprehension checks",
    ),
    "connect": CrowdPolicy(
        hourly={"USD": Decimal("7.50")},
        source="Connect's researcher help: project cost",
    ),
    "sona": CrowdPolicy(pays=False, source="credits of a school: its own rules hold besides"),
    "generic": CrowdPolicy(source="no platform is known: what all of them ask for"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformStudy:
    """The facts that are checked: a campaign's plan, its texts, and its platform's settings.

    page_seconds: the protocol's estimate for a task. pilot_seconds: the median of tasks submitted
    before the main round. codes: by the end they are for; needed: the ends that are possible.
    """

    kind: str
    rate: Rate | None
    page_seconds: int
    pilot_seconds: float | None
    tasks: int | None
    minutes: int
    texts: Mapping[str, str]
    asked: Sequence[str]
    consent: bool
    contact: bool
    pay: bool
    qualifies: bool
    tries: int
    plan: QualityPlan
    codes: Mapping[str, str]
    needed: Mapping[str, str]
    return_template: str
    signed: bool
    hears: bool


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """The result of one rule: its state, a sentence about it, and the remedy if the rule is not
    met."""

    rule: str
    state: PolicyState
    sentence: str
    remedy: str = ""


def checks(study: PlatformStudy) -> list[PolicyCheck]:
    """Return the checks of a study against every rule of its platform, unmet ones first."""
    policy = POLICIES[study.kind]
    found = [
        *_pay(study, policy),
        *_promised(study, policy),
        *_work(study, policy),
        *_fairness(study, policy),
        *_people(study),
        *_ways(study, policy),
    ]
    return sorted(found, key=lambda each: ORDER.index(each.state))


def _pay(study: PlatformStudy, policy: CrowdPolicy) -> Iterator[PolicyCheck]:
    if not policy.pays:
        yield PolicyCheck("pay", "look", "Annotators get credits, by the rules of their school.")
        return
    rate = study.rate
    if rate is None:
        sentence = "No rate of pay is planned, so the pay an hour is unknown."
        yield PolicyCheck("pay", "fails", sentence, "Plan: Rate of pay.")
        return
    yield _hourly_pay(study, rate, policy.hourly)


def _hourly_pay(study: PlatformStudy, rate: Rate, minimums: Mapping[str, Decimal]) -> PolicyCheck:
    """Compare the pay an hour with the platform's minimum in the same currency."""
    seconds = Decimal(str(study.pilot_seconds or rate.minutes * 60))
    hourly = (rate.amount * HOUR / seconds).quantize(Decimal("0.01"))
    basis = "by the pilot's median time" if study.pilot_seconds else "as planned"
    pay = f"An hour pays {hourly} {rate.currency} {basis}"
    least = minimums.get(rate.currency.upper())
    if least is None and minimums:
        named = " or ".join(f"{amount} {currency}" for currency, amount in minimums.items())
        return PolicyCheck(
            "pay",
            "look",
            f"{pay}; the platform's least is {named}.",
            "Compare the two at today's rate of exchange.",
        )
    if least is None:
        return PolicyCheck("pay", "met", f"{pay}.")
    if hourly < least:
        amount = (least * seconds / HOUR).quantize(Decimal("0.01"), rounding="ROUND_CEILING")
        remedy = f"Plan: Rate of pay, at least {amount} {rate.currency} a task."
        return PolicyCheck("pay", "fails", f"{pay}, less than the platform's {least}.", remedy)
    return PolicyCheck("pay", "met", f"{pay}, the platform's least is {least}.")


def _promised(study: PlatformStudy, policy: CrowdPolicy) -> Iterator[PolicyCheck]:
    """Yield checks of the time and pay that annotators are told before they begin."""
    if not policy.pays:
        return
    rate = study.rate
    takes = Decimal(str(study.pilot_seconds or study.page_seconds))
    if rate and rate.minutes * 60 < SHORTER * takes:
        whence = "took in the pilot" if study.pilot_seconds else "take as the protocol estimates"
        sentence = (
            f"The plan counts {rate.minutes} minutes for a task, but tasks {whence} "
            f"{takes / 60:.1f}: the time stated to annotators would be too short."
        )
        yield PolicyCheck("time", "fails", sentence, "Plan: Rate of pay, minutes a task.")
    if rate and study.qualifies:
        sentence = "The rate pays tasks and checks, but no minute of the qualification."
        remedy = (
            "Include its minutes in the platform's pay, also for annotators who do not qualify."
        )
        yield PolicyCheck("pay_of_test", "look", sentence, remedy)
    if not study.pay:
        sentence = "The pay is not described; annotators read it before they begin."
        yield PolicyCheck("pay_told", "fails", sentence, "Plan: Pay.")


def _work(study: PlatformStudy, policy: CrowdPolicy) -> Iterator[PolicyCheck]:
    if study.tasks is None:
        sentence = "Without a share for each annotator, every annotator is given all tasks."
        yield PolicyCheck("share", "fails", sentence, "Plan: Maximum tasks for each annotator.")
        return
    share = _share_minutes(study)
    sentence = f"A share of {study.tasks:,} tasks takes about {share:.0f} minutes, and is kept {study.minutes}."
    if share > study.minutes:
        remedy = "Give fewer tasks, or keep a share longer, here and on the platform."
        yield PolicyCheck("share", "fails", sentence, remedy)
    else:
        yield PolicyCheck("share", "met", sentence)


def _share_minutes(study: PlatformStudy) -> Decimal:
    planned = study.rate.minutes * 60 if study.rate else study.page_seconds
    return Decimal(str(study.pilot_seconds or planned)) * (study.tasks or 0) / 60


def _fairness(study: PlatformStudy, policy: CrowdPolicy) -> Iterator[PolicyCheck]:
    yield PolicyCheck(
        "rejection",
        "met",
        "Nothing here rejects a submission: annotators who fail a check are excluded from the analysis, and paid.",
    )
    for name, text in study.texts.items():
        if found := THREAT.search(text):
            sentence = f"The {name} speaks of “{found[0]}”."
            remedy = "No text may say that a failed check costs pay. A text that says it does not may stay."
            yield PolicyCheck("threat", "look", sentence, remedy)
    plan = study.plan
    if plan.has_checks:
        sentence = (
            "Gold questions, repeats and degraded copies are no attention checks in the platform's "
            "sense, so they are never a reason to reject."
        )
        remedy = "On the platform, set the code for failed checks to approval or manual review."
        yield PolicyCheck("form_of_checks", "look" if plan.has_rules else "met", sentence, remedy)
    is_long = study.tasks is None or _share_minutes(study) >= policy.from_minutes
    if is_long and plan.exclude_gold is not None and plan.exclude_gold + 1 < policy.failed_checks:
        sentence = (
            f"A rule excludes annotators after one failed gold question; in studies of "
            f"{policy.from_minutes} minutes or more at least {policy.failed_checks} must fail."
        )
        remedy = f"Plan: Checks, more than {policy.failed_checks - 1} failed gold questions."
        yield PolicyCheck("number_of_checks", "fails", sentence, remedy)
    if study.qualifies and study.tries < policy.tries:
        sentence = f"The qualification can be tried {study.tries} time; a test of understanding takes {policy.tries}."
        yield PolicyCheck("tries", "fails", sentence, "Plan: Training and qualification, tries.")
    elif study.qualifies:
        sentence = f"The qualification comes first and can be tried {study.tries} times."
        yield PolicyCheck("tries", "met", sentence)


def _people(study: PlatformStudy) -> Iterator[PolicyCheck]:
    if study.consent:
        yield PolicyCheck("consent", "met", "Annotators agree before their first task, or decline.")
    else:
        sentence = "There is no consent text, so annotators cannot decline."
        yield PolicyCheck("consent", "fails", sentence, "Plan: Consent.")
    if not study.contact:
        yield PolicyCheck(
            "contact", "fails", "No contact for questions is named.", "Plan: Contact."
        )
    asking = next((each for each in study.asked if IDENTITY.search(each)), "")
    if asking:
        sentence = f"The exit form asks for identifying information: “{asking}”."
        yield PolicyCheck("identity", "fails", sentence, "Plan: Exit form. Remove the question.")
    else:
        sentence = "The platform's ids are replaced by keyed pseudonyms on arrival; no page or export has them."
        yield PolicyCheck("identity", "met", sentence)


def _ways(study: PlatformStudy, policy: CrowdPolicy) -> Iterator[PolicyCheck]:
    if study.return_template == crowd_kinds.SONA.return_template:
        sentence = "The return address is still the example."
        remedy = "Put your school, the experiment's number and the credit token into it."
        yield PolicyCheck("way_back", "fails", sentence, remedy)
    elif policy.host and f"//{policy.host}/" not in study.return_template:
        sentence = "The return address is not the platform's."
        remedy = f"Settings: an address at https://{policy.host}/ with {{code}}; else annotators copy their code."
        yield PolicyCheck("way_back", "look", sentence, remedy)
    if not crowd_kinds.gives_credit(study.return_template):  # otherwise codes are not used
        lacking = [words for end, words in study.needed.items() if not study.codes.get(end)]
        if lacking:
            sentence = f"There is no code for: {', '.join(lacking)}."
            yield PolicyCheck(
                "codes", "fails", sentence, "Settings: Codes, here and on the platform."
            )
        else:
            sentence = "Every end has a code of its own."
            yield PolicyCheck("codes", "met", sentence)
    if not study.signed:
        sentence = (
            "Links are not signed: anyone who knows an id of the platform can enter as that person."
        )
        remedy = "Turn on the platform's secure URL, and tick “signed” in the settings."
        yield PolicyCheck("signed", "look", sentence, remedy)
    if study.kind == "prolific" and not study.hears:
        sentence = (
            "No secret for the platform's messages: assignments of people who return their submission "
            "are released only when their time has run out."
        )
        yield PolicyCheck("messages", "look", sentence, "Settings: Webhook secret.")
