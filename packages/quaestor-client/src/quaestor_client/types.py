"""The requests and answers of the API: written by `generate_types.py`, not by hand."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Alpha(TypedDict):
    """Krippendorff's alpha of a criterion; the value is null for the reason given."""

    # The value, at most 1; null if it cannot be computed.
    value: NotRequired[float | None]
    # The lower end of the 95% interval; null if it cannot be computed.
    low: NotRequired[float | None]
    # The upper end of the 95% interval; null if it cannot be computed.
    high: NotRequired[float | None]
    # The number of ratings that it is based on.
    n: int
    # Why there is no value; blank if there is one.
    reason: str


class AlphaMoment(TypedDict):
    """Alpha at an earlier moment."""

    # The moment.
    at: datetime
    # Alpha at that moment.
    value: float


class AmendmentRequest(TypedDict):
    """A change after the lock, with its reason, which the report lists."""

    # The part of the plan to change.
    what: AmendmentWhatEnum
    # The new value, as a text.
    value: str
    # The reason for the change, which the report lists.
    reason: str


AmendmentWhatEnum: TypeAlias = Literal['lease_minutes', 'introduction', 'consent', 'ethics', 'contact', 'pay']


class AnnotatorPair(TypedDict):
    """The share of equal ratings of two annotators on the same items, over all criteria."""

    # The label of one annotator.
    first: str
    # The label of the other annotator.
    second: str
    # The share of equal ratings, from 0 to 1.
    percent_agreement: float
    # The number of ratings of both on the same items.
    n: int


class AnnotatorSoFar(TypedDict):
    """The work of an annotator so far."""

    # The id of the enrolment, which is an annotator's part in the campaign.
    enrolment: int
    # The name by which reports and exports know the annotator.
    label: str
    # The number of submitted tasks.
    tasks: int
    # The number of values that the annotator chose.
    answers: int
    # The number of values that were chosen within 400 milliseconds.
    quick_answers: int
    # The mean time for a value, in seconds; null if no value was chosen.
    seconds_a_value: float | None
    # The signs that a manager should check.
    flags: list[Flag]


class AnswersOptions(TypedDict):
    """Answers by the names of their controls; null takes an answer back."""

    # The marked ranges by the names of their mark controls.
    marks: NotRequired[dict[str, MarkedRequest]]
    # Reported problems by the names of their report fields; a blank one takes a report back.
    reports: NotRequired[dict[str, str]]
    # A comment on the task; null or blank if there is none.
    note: NotRequired[str | None]


AsIsEnum: TypeAlias = Literal['sheets', 'lists', 'totals', 'percent', 'fill_down']


class AskRequest(TypedDict):
    """The model to ask, its address, the questions and the budget. Fields that are not sent
    have the values that the page offers."""

    # The address of the model, one of those that the operator allows.
    address: str
    # The name of the model, as its server knows it.
    model: str
    # The name of the LLM judge in reports; by default that of the model.
    name: NotRequired[str]
    # The key of the address, stored encrypted until the job ends.
    key: NotRequired[str]
    # The sampling temperature of the model, from 0 to 2; without it, 0.
    temperature: NotRequired[float]
    # The number of times that each question is asked.
    repeats: NotRequired[int]
    # The greatest number of questions; without it, all.
    first: NotRequired[int]
    # The number of questions that are asked at the same time.
    at_once: NotRequired[int]
    # The keys of the criteria that are asked about; without them, all.
    criteria: NotRequired[list[str]]
    # The price of a million tokens that are sent, in the currency.
    price_in: NotRequired[str]
    # The price of a million tokens that are answered, in the currency.
    price_out: NotRequired[str]
    # The code of the currency, such as EUR; blank if it is unknown.
    currency: NotRequired[str]
    # The cost at which asking stops, over all times that this judge is asked; without it there
    # is no limit.
    budget: NotRequired[str]
    # The names of the systems of the model's own family, which the report looks at separately.
    own_systems: NotRequired[list[str]]


class Assignment(TypedDict):
    """An annotator's work on a task, with its times."""

    # The annotator's label.
    annotator: str
    # The current state.
    state: NotRequired[AssignmentState]
    # The number of stages whose answers are final.
    stage: NotRequired[int]
    # When the annotator claimed the task; null if nobody has.
    held_at: NotRequired[datetime | None]
    # When the task is given to another annotator unless it is saved; null if nobody works on
    # it.
    lease_expires_at: NotRequired[datetime | None]
    # When the task was first submitted; null before that.
    submitted_at: NotRequired[datetime | None]
    # When the annotator lost the task; null if that did not happen.
    released_at: NotRequired[datetime | None]
    # Seconds at work until the first submission, without long breaks.
    active_seconds: NotRequired[float]


AssignmentState: TypeAlias = Literal['open', 'held', 'submitted', 'released', 'extra']


BlankEnum: TypeAlias = Literal['']


class Campaign(TypedDict):
    """A campaign, with how many assignments of its main round there are."""

    # The UUID of the campaign.
    uuid: str
    # The title of the campaign.
    title: str
    # The current state.
    state: CampaignState
    # Whether the judgments were made here, imported, or simulated.
    origin: OriginEnum
    # The id of the dataset.
    dataset: int
    # The name of the dataset.
    dataset_name: str
    # The id of the protocol version under which the dataset is judged.
    protocol: int
    # The key of the protocol.
    protocol_key: str
    # The version of the protocol.
    protocol_version: str
    # The number of annotators who judge each task.
    annotators_per_task: int
    # The greatest number of tasks that one annotator may judge; null if there is no limit.
    tasks_per_annotator: int | None
    # The order in which tasks are given to annotators.
    order: OrderEnum
    # The minutes for which a task is kept for an annotator after each save.
    lease_minutes: int
    # The language of the annotators' pages; empty if annotators choose.
    fixed_language: str
    # How tasks are laid out; blank: annotators choose.
    fixed_view: ViewOrBlank | BlankEnum
    # Whether annotators see all answers of a task before they submit it.
    review_before_submit: bool
    # Whether annotators may switch the review off after three tasks.
    review_is_optional: bool
    # Whether the words of a question are highlighted in its passage.
    highlight_keywords: bool
    # The time zone in which times are shown, such as Europe/Berlin.
    time_zone: str
    # The language in which introduction, consent and pay were first written.
    text_language: str
    # What annotators get, in words.
    pay: str
    # Whom annotators can ask about the study; blank if nobody is named.
    contact: str
    # Which body approved the study, with its number; or that none did.
    ethics: str
    # Annotators may erase what they did themselves, until the campaign is closed.
    withdrawal: bool
    # Days after closing until accounts of annotators without a password are deleted; null,
    # never.
    retention_days: int | None
    # The UUID of the campaign that this one repeats with new annotators; null if it repeats
    # none.
    reproduces: str | None
    # The SHA-256 digest of what was locked; blank in a draft.
    locked_digest: str
    # User name of the user who created it.
    created_by: str
    # When it was created.
    created_at: datetime
    # When the plan was locked; null in a draft.
    locked_at: datetime | None
    # When it was closed; null before that.
    closed_at: datetime | None
    # The number of planned assignments of the main round.
    assignments: int
    # The number of submitted assignments; null if it is hidden from you.
    submitted: int
    # The number of assignments that annotators are working on; null if it is hidden from you.
    held: int


class CampaignOptions(TypedDict):
    """A new draft: dataset, protocol and design. Without `annotators_per_task` there are as
    many as the protocol says."""

    # The number of annotators who judge each task.
    annotators_per_task: NotRequired[int]
    # The greatest number of tasks that one annotator may judge; null if there is no limit.
    tasks_per_annotator: NotRequired[int | None]
    # The order in which tasks are given to annotators.
    order: NotRequired[OrderEnum]
    # The minutes for which a task is kept for an annotator after each save.
    lease_minutes: NotRequired[int]
    # The language of the annotators' pages; empty if annotators choose.
    fixed_language: NotRequired[str]
    # How tasks are laid out; empty if annotators choose.
    fixed_view: NotRequired[View | BlankEnum]
    # Whether annotators see all answers of a task before they submit it.
    review_before_submit: NotRequired[bool]
    # Whether annotators may switch the review off after three tasks.
    review_is_optional: NotRequired[bool]
    # Whether the words of a question are highlighted in its passage.
    highlight_keywords: NotRequired[bool]
    # The time zone in which times are shown, such as Europe/Berlin.
    time_zone: NotRequired[str]
    # The language in which introduction, consent and pay were first written.
    text_language: NotRequired[str]
    # What annotators read before they begin.
    introduction: NotRequired[str]
    # What annotators get, in words.
    pay: NotRequired[str]
    # What annotators agree to; they tick it before the first task.
    consent: NotRequired[str]
    # Whom annotators can ask about the study; blank if nobody is named.
    contact: NotRequired[str]
    # Which body approved the study, with its number; or that none did.
    ethics: NotRequired[str]
    # Annotators may erase what they did themselves, until the campaign is closed.
    withdrawal: NotRequired[bool]
    # Days after closing until accounts of annotators without a password are deleted; null,
    # never.
    retention_days: NotRequired[int | None]
    # What will be compared, written before the lock.
    analysis_plan: NotRequired[str]
    # Why so many questions and annotators are planned; blank if it is not said.
    sample_reason: NotRequired[str]
    # The declared hypotheses; empty if there are none.
    hypotheses: NotRequired[HypothesesRequest]
    # Introduction, consent and pay in other languages, by language tag such as `de`.
    translated_texts: NotRequired[dict[str, TextsRequest]]


CampaignState: TypeAlias = Literal['draft', 'locked', 'open', 'paused', 'closed', 'archived']


class CampaignTask(TypedDict):
    """A task with the texts it shows, and the assignments of its annotators."""

    # The id by which other requests name the object.
    id: int
    # The kind of the round.
    round: str
    # The number of the round among those of its kind, from 1.
    round_number: int
    # The number of the task in its round, from 1.
    number: int
    # The sources that the task shows.
    sources: list[SourceText]
    # The questions and sets that the task shows.
    units: list[ShownUnit]
    # The assignments that annotators claimed.
    assignments: list[Assignment]


class CampaignTexts(TypedDict):
    """A campaign with the texts that its annotators read before they begin."""

    # The UUID of the campaign.
    uuid: str
    # The title of the campaign.
    title: str
    # The current state.
    state: NotRequired[CampaignState]
    # Your label in the campaign.
    label: str
    # Whom annotators can ask about the study; blank if nobody is named.
    contact: NotRequired[str]
    # The text that annotators read before they begin; blank if there is none.
    introduction: str
    # The text that annotators agree to; blank if there is none.
    consent: str
    # The digest of the consent text; send it back to agree to this text.
    consent_digest: str
    # Whether you have agreed to the current consent text.
    agreed: bool
    # The guideline in Markdown.
    guideline: str
    # The campaign's decisions beyond the guideline.
    decisions: str


class CampaignsEnrolmentsListQuery(TypedDict):
    """Query: List the annotators of a campaign with their progress."""

    # Whether the annotators are excluded from the analysis.
    excluded: NotRequired[bool]
    # The id of the invitation by which annotators joined.
    invitation: NotRequired[float]
    # The name by which reports and exports know the annotator.
    label: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]


class CampaignsHistoryListQuery(TypedDict):
    """Query: List what was done in a campaign."""

    # What was done.
    act: NotRequired[Literal['account.made', 'account.rights', 'adjudication.named', 'adjudication.settled', 'annotator.author', 'annotator.declined', 'annotator.erased', 'annotator.excluded', 'annotator.readmitted', 'annotator.seat', 'annotators.forgotten', 'campaign.agreement', 'campaign.archived', 'campaign.closed', 'campaign.copied', 'campaign.deviation', 'campaign.discarded', 'campaign.draws', 'campaign.locked', 'campaign.made', 'campaign.open', 'campaign.paused', 'campaign.reproduction', 'check.gold', 'check.retired', 'crowd.changed', 'crowd.left', 'dataset.degraded', 'dataset.deleted', 'dataset.ended', 'dataset.handed_over', 'dataset.scores', 'dataset.shared', 'dataset.systems', 'dry_run.made', 'dry_run.removed', 'exercise.added', 'exercise.key', 'exercise.removed', 'exit_form.changed', 'export', 'file.added', 'file.ids', 'file.taken_back', 'guideline.decided', 'key.made', 'key.revoked', 'link.made', 'link.revoked', 'link.undone', 'llm_judge.added', 'llm_judge.asked', 'llm_judge.removed', 'log_in', 'log_in.failed', 'log_out.everywhere', 'password.changed', 'password.link', 'places.reopened', 'role.given', 'role.taken', 'round.closed', 'round.opened', 'site.backup', 'site.key', 'site.restored', 'two_factor.off', 'two_factor.on', 'two_factor.recovery', 'webhook.added', 'webhook.changed', 'webhook.deleted']]
    # Number of results to return per page.
    limit: NotRequired[int]
    # Only events at this moment or later.
    since: NotRequired[datetime]
    # Only events before this moment.
    until: NotRequired[datetime]
    # User name of the user who acted; null if the account is unknown.
    who: NotRequired[str]


class CampaignsListQuery(TypedDict):
    """Query: List the campaigns that you manage or analyse."""

    # The id of the dataset.
    dataset: NotRequired[float]
    # Number of results to return per page.
    limit: NotRequired[int]
    # Whether the judgments were made here, imported, or simulated.
    origin: NotRequired[Literal['imported', 'judged', 'simulated']]
    # The key of the protocol.
    protocol: NotRequired[str]
    # The current state.
    state: NotRequired[Literal['archived', 'closed', 'draft', 'locked', 'open', 'paused']]
    # A part of the title, in any case.
    title: NotRequired[str]


class CampaignsLlmJudgesListQuery(TypedDict):
    """Query: List the LLM judges of a campaign."""

    # Number of results to return per page.
    limit: NotRequired[int]
    # The name of the model, as its server knows it.
    model: NotRequired[str]
    # The name of the LLM judge.
    name: NotRequired[str]


class CampaignsRunsListQuery(TypedDict):
    """Query: List the runs of a campaign, the newest first."""

    # Number of results to return per page.
    limit: NotRequired[int]
    # The number of the object in its campaign, dataset or round, from 1.
    number: NotRequired[int]
    # The current state.
    state: NotRequired[Literal['cancelled', 'done', 'failed', 'queued', 'running']]


class CampaignsTasksListQuery(TypedDict):
    """Query: List the tasks of a campaign with their texts and assignments."""

    # The annotator's label.
    annotator: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # The number of the object in its campaign, dataset or round, from 1.
    number: NotRequired[int]
    # The kind of the round.
    round: NotRequired[Literal['calibration', 'main', 'pilot', 'training']]
    # The current state.
    state: NotRequired[Literal['extra', 'held', 'open', 'released', 'submitted']]


class CampaignsWebhooksDeliveriesListQuery(TypedDict):
    """Query: List the deliveries of a webhook, the newest first."""

    # The kind of the event, such as `task.submitted`.
    event: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # The current state.
    state: NotRequired[Literal['delivered', 'failed', 'waiting']]


class ChangedSystemRequest(TypedDict):
    """The changes of one system: a name, a kind, or the subset that its questions come from."""

    # The id by which other requests name the object.
    id: int
    # The new name; the name of another system merges both.
    name: NotRequired[str]
    # Whether it is a model, a human, or a deliberate degradation.
    kind: NotRequired[SystemKind]
    # Becomes metadata of the questions, by which reports compare.
    subset: NotRequired[str]


class Chosen(TypedDict):
    """A selection, and how many questions and sources it contains."""

    # The names of the selected systems; without them, all.
    systems: NotRequired[list[str]]
    # The wanted values of columns of metadata.
    columns: NotRequired[dict[str, list[str]]]
    # Pairs of a source's key and a system; a blank system means all of them.
    list: NotRequired[list[list[str]]]
    # A random sample of sources; without it, all are selected.
    sample: NotRequired[Sample]
    # The number of selected questions.
    questions: int
    # The number of questions of the whole dataset.
    out_of: int
    # The number of selected sources.
    sources: int


class Claim(TypedDict):
    """The outcome of a claim: a task; none now, because other annotators hold the last ones; or
    nothing more to do. Training and qualification are done on the page at `url`."""

    # Whether you hold a task now, and if not, why.
    outcome: ClaimOutcomeEnum
    # The task that you hold; null if there is none.
    task: Task | None
    # The number of assignments that others are working on; null unless the outcome is
    # `none_now`.
    held_by_others: int | None
    # The page of training or qualification, which has to be done in a browser; otherwise null.
    url: str | None


ClaimOutcomeEnum: TypeAlias = Literal['task', 'none_now', 'finished', 'closed', 'training', 'qualification']


class Column(TypedDict):
    """What one column is. `name` is the criterion of ratings, the system of `question_of`, or
    the name under which a score is stored; `rater` is the one rater of a column of ratings,
    blank if another column names the raters. `round` counts the ratings that one rater gave on
    one criterion in several columns. `why` is the reason of a proposal, which pages show;
    `is_direction_guessed` says that nothing in the file shows the direction, so that the check
    asks about it."""

    # What the column holds; blank if it is left out, `ask` if you must decide.
    role: NotRequired[Literal['question', 'passage', 'sentence', 'answer', 'answer_start', 'target_type', 'modality', 'language', 'source_id', 'system', 'position', 'key', 'question_type', 'submitted_answer', 'rater', 'criterion', 'value', 'note', 'mark', 'mark_start', 'mark_end', 'mark_text', '', 'reference', 'question_of', 'ratings', 'llm_judge', 'ask', 'metric', 'human_mean', 'metadata', 'source_metadata', 'rating_metadata']]
    # The criterion of ratings, the system of questions, or the name of scores; blank if none is
    # needed.
    name: NotRequired[str]
    # The label of the annotator who gave all ratings of the column; blank if another column
    # names them.
    rater: NotRequired[str]
    # Which of several ratings by the same annotator on the same criterion it holds, from 1.
    round: NotRequired[int]
    # Whether higher or lower scores are better; blank if the column holds no scores.
    direction: NotRequired[ColumnDirectionEnum | BlankEnum]
    # Whether nothing in the file shows the direction of the scores.
    is_direction_guessed: NotRequired[bool]
    # Whether scores are fractions, percentages, or on another scale (`none`).
    scale: NotRequired[ColumnScaleEnum]
    # Why this role is proposed; blank if you set it.
    why: NotRequired[str]


ColumnDirectionEnum: TypeAlias = Literal['higher', 'lower']


ColumnScaleEnum: TypeAlias = Literal['none', 'fraction', 'percent']


class Control(TypedDict):
    """A criterion that is asked about a question or a set of questions."""

    # The key of the answer in a draft or a submission.
    name: str
    # The key of the criterion in the protocol.
    criterion: str
    # The name of the criterion, as annotators read it.
    title: str
    # The question that annotators read above the scale.
    prompt: str
    # The definition of the criterion in the protocol.
    definition: str
    # Whether the task cannot be submitted without it.
    required: bool
    # Whether its stage is open.
    open: bool
    # The chosen value; null if there is none yet.
    value: int | None
    # The rule that forces this value; blank if you choose it.
    forced_because: str
    # The points of the scale, which are the values of an answer.
    points: list[Point]


class CriterionSoFar(TypedDict):
    """The ratings on a criterion so far, and the annotators' agreement."""

    # The key of the criterion in the protocol.
    criterion: str
    # The number of times that each value was given, by value.
    values: dict[str, int]
    # Krippendorff's alpha so far; null for users who judge the dataset, or until it is
    # computed.
    alpha: Alpha | None
    # Alpha at earlier moments, the earliest first.
    alpha_over_time: list[AlphaMoment]


class Dataset(TypedDict):
    """A dataset, with how much it holds."""

    # The id by which other requests name the object.
    id: int
    # The name of the dataset.
    name: str
    # The licence of the dataset; blank if it is unknown.
    licence: NotRequired[str]
    # A language tag such as en or zh-Hant.
    language: NotRequired[str]
    # User name of the owner.
    owner: str
    # The number of sources.
    sources: int
    # The number of systems.
    systems: int
    # The number of questions.
    questions: int
    # The number of values that could not be stored.
    quarantined: int
    # When it was created.
    created_at: datetime


class DatasetOptions(TypedDict):
    """A new dataset; with `rows`, a job adds them under the roles that are proposed for their
    columns. A larger table is uploaded as a file."""

    # The licence of the dataset; blank if it is unknown.
    licence: NotRequired[str]
    # A language tag such as en or zh-Hant.
    language: NotRequired[str]


class DatasetsFilesListQuery(TypedDict):
    """Query: List the files of a dataset."""

    # Number of results to return per page.
    limit: NotRequired[int]
    # The current state.
    state: NotRequired[Literal['added', 'taken_back', 'waiting']]


class DatasetsItemsListQuery(TypedDict):
    """Query: List the items of a dataset: questions, and sets as a whole."""

    # The language tag, such as `en`; blank if it is the dataset's.
    language: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # What the source was made from, such as text or speech; blank if it is unknown.
    modality: NotRequired[str]
    # The id of the source in the dataset.
    source_id: NotRequired[str]
    # The name of the system.
    system: NotRequired[str]
    # The type of question that was asked for; blank if none was.
    target_type: NotRequired[str]


class DatasetsListQuery(TypedDict):
    """Query: List your datasets, shared ones, and those of your campaigns."""

    # The language tag of the dataset.
    language: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # A part of the name, in any case.
    name: NotRequired[str]
    # User name of the owner.
    owner: NotRequired[str]


DelimiterEnum: TypeAlias = Literal[',', ';', '\t', '|', '^']


class Delivery(TypedDict):
    """A message to a webhook, and its result. `id` is its header `webhook-id`."""

    # The id by which other requests name the object.
    id: str
    # The kind of the event, such as `task.submitted`.
    event: str
    # What the message says of the event; `webhooks` in this document describes it.
    data: Any
    # The current state.
    state: NotRequired[DeliveryStateEnum]
    # The number of times that the message was sent so far.
    attempts: NotRequired[int]
    # The HTTP status of the last response; null before there is one.
    status: NotRequired[int | None]
    # Why the last attempt was not accepted; blank if it was.
    problem: NotRequired[str]
    # When it was created.
    created_at: datetime
    # When a waiting message is sent next.
    next_attempt_at: datetime
    # When the receiver accepted the message; null before that.
    delivered_at: NotRequired[datetime | None]


DeliveryStateEnum: TypeAlias = Literal['waiting', 'delivered', 'failed']


class Deviation(TypedDict):
    """A change after the plan was locked."""

    # The id by which other requests name the object.
    id: int
    # What was changed.
    what: str
    # The value before; blank if there was none.
    before: NotRequired[str]
    # The value since; blank if there is none.
    after: NotRequired[str]
    # The reason that the user gave; blank if none was needed.
    reason: NotRequired[str]
    # User name of the user who made the change.
    made_by: str
    # When it was made.
    made_at: datetime


class DisputedItem(TypedDict):
    """An item with the mean squared distance of two annotators, from 0 to 1."""

    # The id of the item, as in the list of items of the dataset.
    item: int
    # The id of the source in the dataset.
    source_id: str
    # The mean squared distance of two annotators on the item, from 0 (equal) to 1.
    disagreement: float


class DocumentProblem(TypedDict):
    """A fault of a document, with its line and key."""

    # The line of the YAML; null if it is unknown.
    line: int | None
    # The part of the document, such as `criteria[0].scale`; blank for the whole.
    key: str
    # What is wrong, and how to correct it.
    reason: str


class DocumentRequest(TypedDict):
    """A protocol as a document or as YAML."""

    # The protocol as an object.
    document: NotRequired[dict[str, Any]]
    # The protocol as YAML.
    yaml: NotRequired[str]


class DryRun(TypedDict):
    """A dry run: the copy of the campaign that simulated annotators judged, and what was
    assumed of them."""

    # The number of the dry run in the campaign, from 1.
    number: int
    # The UUID of the copy of the campaign that simulated annotators judged.
    copy: str
    # The assumptions about simulated annotators; shares from 0 to 1.
    settings: dict[str, Any]


class Enrolment(TypedDict):
    """An annotator of a campaign by their label, with their progress in the main round.
    Managers who judge in a campaign with checks do not see their own progress."""

    # The id by which other requests name the object.
    id: int
    # The name by which reports and exports know the annotator, such as A01.
    label: str
    # The id of the invitation by which the annotator joined; null if there was none.
    invitation: int | None
    # The annotator's seat in a rotated panel; null if there is none.
    seat: NotRequired[int | None]
    # Whether the annotator is excluded from the analysis now.
    is_excluded: bool
    # The exclusions of the annotator from the analysis, including lifted ones.
    exclusions: list[Exclusion]
    # The number of submitted assignments; null if it is hidden from you.
    submitted: int | None
    # The number of assignments that annotators are working on; null if it is hidden from you.
    held: int | None
    # Seconds at work in the main round, without long breaks; null if they are hidden from you.
    active_seconds: float | None
    # When the annotator agreed to the consent text; null before that.
    consented_at: NotRequired[datetime | None]
    # When the annotator finished the training; null before that.
    trained_at: NotRequired[datetime | None]
    # When the annotator passed the qualification; null before that.
    qualified_at: NotRequired[datetime | None]
    # When the annotator was stopped; null if they may continue. Submitted work counts.
    stopped_at: datetime | None
    # When it was created.
    created_at: datetime


class Estimate(TypedDict):
    """The calls, tokens and cost of asking a judge, estimated from the lengths of texts; and
    the prompt."""

    # The instruction that the model gets.
    prompt: str
    # The number of calls without a verdict.
    calls: int
    # The estimated number of tokens that are sent.
    tokens_in: int
    # The estimated number of tokens that are answered.
    tokens_out: int
    # The estimated cost in the currency, as a decimal number.
    cost: str
    # The first question as the judge sees it; blank for users who judge the dataset.
    example: str


class Event(TypedDict):
    """An act of a user who manages; `about`, `before` and `after` name accounts by number."""

    # The id by which other requests name the object.
    id: int
    # The moment.
    at: datetime
    # The id of the account that acted; null if nobody was logged in.
    account: int | None
    # User name of the user who acted; null if the account is unknown.
    who: str | None
    # What was done.
    act: str
    # What was acted on, such as `account 7` or `A03`; blank if there is nothing to name.
    about: str
    # The value before; blank if there was none.
    before: str
    # The value since; blank if there is none.
    after: str


EventsEnum: TypeAlias = Literal['campaign.state', 'task.submitted', 'target.reached', 'run.finished']


class Exclusion(TypedDict):
    """An exclusion of an annotator from the analysis, lifted or not."""

    # The reason that the user gave; the report prints it.
    reason: str
    # User name of the user who excluded the annotator.
    excluded_by: str
    # When the annotator was excluded.
    excluded_at: datetime
    # When the exclusion was lifted; null while it stands.
    lifted_at: NotRequired[datetime | None]


class ExclusionRules(TypedDict):
    """The exclusion rules of a campaign in words, and the annotators they propose now."""

    # The exclusion rules, as sentences.
    rules: list[str]
    # The annotators whom the rules propose.
    proposals: list[ProposedExclusion]


class Fact(TypedDict):
    """A piece of information about a question that the annotator sees."""

    # What the text is, such as Answer.
    name: str
    # The text itself.
    text: str


class File(TypedDict):
    """A file of a dataset. Nothing of it is in the dataset before its state is `added`."""

    # The number of the file in its dataset, in the order of uploads, from 1.
    number: int
    # The name of the file.
    name: str
    # The size of the file in bytes.
    size: int
    # The SHA-256 digest of the file.
    sha256: str
    # The current state.
    state: NotRequired[FileState]
    # User name of the user who uploaded the file.
    added_by: str
    # The id of the protocol of the ratings in the file; null if it has none.
    protocol: int | None
    # The UUID of the campaign that the ratings of the file went into; null if it has none.
    campaign: str | None
    # Whether every column has a usable role, so that the file can be previewed.
    has_roles: bool
    # Whether the file has a current preview.
    is_previewed: bool
    # When the file was uploaded.
    uploaded_at: datetime
    # When the file was added to the dataset; null before that.
    added_at: NotRequired[datetime | None]
    # When the file was taken back; null if it was not.
    taken_back_at: NotRequired[datetime | None]


class FileJob(TypedDict):
    """A job about one file."""

    # The id by which other requests name the object.
    id: str
    # The address in the API, without the host.
    url: str
    # The name of the task that does it.
    kind: str
    # The current state.
    state: NotRequired[JobState]
    # The number of steps that are done.
    done: NotRequired[int]
    # The number of steps in all; 0 until it is known.
    total: NotRequired[int]
    # What it is doing.
    message: NotRequired[str]
    # Why it failed; blank unless it failed.
    error: NotRequired[str]
    # The id of the dataset that it is about; null if it is about none.
    dataset: int | None
    # The UUID of the campaign that it is about; null if it is about none.
    campaign: str | None
    # When it was created.
    created_at: datetime
    # The number of the file.
    file: int


FileState: TypeAlias = Literal['waiting', 'added', 'taken_back']


class Flag(TypedDict):
    """A sign that a manager should check; `own` and `others` are seconds or shares."""

    # Which sign it is, such as `speed` (too fast) or `same` (equal values).
    reason: str
    # The key of the criterion; blank if the flag is about all of them.
    criterion: str
    # The annotator's number: seconds, a share, a distance or hours, by the reason.
    own: float
    # The same number of the other annotators; null if there is none.
    others: float | None
    # The number of values that the flag is based on.
    n: int


class Forecast(TypedDict):
    """When the last assignment is submitted at the pace so far, with the 95% interval."""

    # When the last assignment is submitted at the pace so far.
    expected_at: datetime
    # The lower end of the interval.
    earliest: datetime
    # Null if the pace is too irregular for an upper end.
    latest: datetime | None


class Group(TypedDict):
    """Questions that are shown together, with what is asked about them as a set."""

    # The heading of the group; blank if there is only one.
    title: str
    # The questions of the group, in the order in which they are shown.
    questions: list[ShownQuestion]
    # The criteria that are asked about the questions as a set.
    controls: list[Control]


class Highlight(TypedDict):
    """A range of the passage that the page highlights."""

    # The start of the range in the passage, in code points from 0.
    start: int
    # The end of the range in the passage, behind its last code point.
    end: int
    # Whether the range is the sentence, the answer (`mark`), or both.
    kind: HighlightKindEnum


HighlightKindEnum: TypeAlias = Literal['sentence', 'mark', 'sentence_mark']


class HypothesesRequest(TypedDict):
    """A plan's declarations about tests."""

    # The primary hypotheses, in the order in which they are tested.
    primary: NotRequired[list[PrimaryHypothesisRequest]]
    # The significance level of the primary tests, from 0 to 1.
    level: NotRequired[float]
    # Over several primary hypotheses: Holm's correction, or each only if all before it are
    # supported.
    multiplicity: NotRequired[MultiplicityEnum]
    # The margins by criterion.
    margins: NotRequired[dict[str, MarginRequest]]
    # Criteria over whose pairs of systems Holm's correction extends.
    corrected_together: NotRequired[list[str]]


class Invitation(TypedDict):
    """A link by which annotators join. Managers of the campaign see the link itself."""

    # The id by which other requests name the object.
    id: int
    # The name of the invitation, which only managers see; blank if it has none.
    label: NotRequired[str]
    # The number of annotators who may join; null for no limit.
    places: NotRequired[int | None]
    # The number of annotators who joined by the invitation.
    joined: int
    # The address at which annotators join; null if you do not manage the campaign, or the
    # invitation is revoked.
    link: str | None
    # The token by which programs join; null if you do not manage the campaign, or it is
    # revoked.
    token: str | None
    # When the invitation stops being valid; null if it never does.
    expires_at: NotRequired[datetime | None]
    # When the invitation was revoked; null while it is valid.
    revoked_at: NotRequired[datetime | None]
    # When it was created.
    created_at: datetime


class Item(TypedDict):
    """A question with its source; without `question`, one that the system did not return;
    without `position`, a set as a whole. For a user who still judges the dataset, only the
    source is filled."""

    # The id of the item; null for users who judge the dataset.
    item: int | None
    # The id of the source in the dataset.
    source_id: str
    # The name of the system; null for users who judge the dataset.
    system: str | None
    # The place of the question in the system's set, from 1; null for a set as a whole.
    position: NotRequired[int | None]
    # The id of the question in the imported file; blank or null if it has none.
    question_id: NotRequired[str | None]
    # The text of the question; null if the system returned none, for a set, or for users who
    # judge.
    question: NotRequired[str | None]
    # The type of the question as the system declared it; blank or null if it declared none.
    question_type: NotRequired[str | None]
    # The answer that the system gave with its question; blank or null if it gave none.
    submitted_answer: NotRequired[str | None]
    # Values of metadata columns by their names; null for users who judge the dataset.
    attributes: dict[str, str] | None
    # The text that the question is about; null if there is none.
    passage: NotRequired[str | None]
    # The sentence of the passage that contains the answer; blank if it is unknown.
    sentence: str
    # The answer that the question should have; blank if there is none.
    answer: str
    # The start of the answer in the passage, in code points from 0; null if it is unknown.
    answer_start: int | None
    # The type of question that was asked for; blank if none was.
    target_type: str
    # What the source was made from, such as text or speech; blank if it is unknown.
    modality: str
    # The language tag, such as `en`; blank if it is the dataset's.
    language: str
    # The reference questions of the source; null for users who judge the dataset.
    references: list[str] | None


ItemsEnum: TypeAlias = Literal['own', 'common']


class Job(TypedDict):
    """A job: its state, how far it is, and why it failed."""

    # The id by which other requests name the object.
    id: str
    # The address in the API, without the host.
    url: str
    # The name of the task that does it.
    kind: str
    # The current state.
    state: NotRequired[JobState]
    # The number of steps that are done.
    done: NotRequired[int]
    # The number of steps in all; 0 until it is known.
    total: NotRequired[int]
    # What it is doing.
    message: NotRequired[str]
    # Why it failed; blank unless it failed.
    error: NotRequired[str]
    # The id of the dataset that it is about; null if it is about none.
    dataset: int | None
    # The UUID of the campaign that it is about; null if it is about none.
    campaign: str | None
    # When it was created.
    created_at: datetime


JobState: TypeAlias = Literal['queued', 'running', 'done', 'failed', 'cancelled']


class JobsListQuery(TypedDict):
    """Query: List the jobs of your datasets and campaigns."""

    # The UUID of the campaign.
    campaign: NotRequired[str]
    # The id of the dataset.
    dataset: NotRequired[float]
    # The kind of the job, such as `analysis.run`.
    kind: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # The current state.
    state: NotRequired[Literal['cancelled', 'done', 'failed', 'queued', 'running']]


class Joined(TypedDict):
    """The label of the annotator who joined, and their token for the API. It is shown once."""

    # The UUID of the campaign.
    campaign: str
    # The label under which the annotator judges.
    label: str
    # The API token of the annotator, of the scope `annotate`.
    token: str
    # The annotator's address for using a browser.
    personal_link: str


class JudgeOptions(TypedDict):
    """A new LLM judge with its verdicts: a `file` in any format that the page takes, or
    `verdicts`, one object for each question with its `item` and a value for each criterion."""

    # The name of the LLM judge in reports.
    name: str
    # The name of the model, as its provider writes it, such as `gpt-4o-2024-08-06`.
    model: str
    # Release, revision or date of the weights.
    version: NotRequired[str]
    # The sampling temperature of the model; null if it is unknown.
    temperature: NotRequired[float | None]
    # The date on which the model judged; null if it is unknown.
    judged_on: NotRequired[date | None]
    # The cost of the verdicts in the currency, as a decimal number; null if it is unknown.
    cost: NotRequired[str | None]
    # The code of the currency, such as EUR; blank if it is unknown.
    currency: NotRequired[str]
    # The instruction that the model got, word for word; blank if it is unknown.
    prompt: NotRequired[str]
    # The names of the systems of the model's own family, which the report looks at separately.
    own_systems: NotRequired[list[str]]


class Judgment(TypedDict):
    """A judgment with the text of its question. Annotators are named by their labels."""

    # The id of the judgment.
    id: int
    # The id of the item, as in the list of items of the dataset.
    item: int
    # The id of the source in the dataset.
    source_id: str
    # The name of the system.
    system: str
    # The place of the question in the system's set, from 1; null for a set as a whole.
    position: int | None
    # The text of the question; null for a set as a whole, or if the system returned none.
    question: NotRequired[str | None]
    # The annotator's label.
    annotator: str
    # The key of the criterion in the protocol.
    criterion: str
    # The value on the criterion's scale.
    value: int
    # `judged`, `rule` or `imported`; `simulated` in a campaign of simulated annotators.
    origin: str
    # The rule that set the value; blank if the annotator chose it.
    cause: NotRequired[str]
    # 1, and one more each time that the annotator changed the value after the submission.
    revision: NotRequired[int]
    # The kind of the round.
    round: str
    # The number of the round among those of its kind, from 1.
    round_number: int
    # The state of the assignment; `extra` if it was submitted after another annotator got the
    # task.
    state: str
    # Whether the annotator is excluded from the analysis.
    excluded: bool
    # When it was created.
    created_at: datetime
    # When the criterion was first shown, by the clock of the annotator's device; null if
    # unknown.
    first_shown_at: NotRequired[datetime | None]
    # When the value was chosen, by the clock of the annotator's device; null if it is unknown.
    answered_at: NotRequired[datetime | None]
    # The language of the page on which it was judged; blank if it is unknown.
    instruction_language: str
    # focus: one question at a time; list: all of them.
    view: str
    # phone, tablet or desktop, by the size of the screen.
    device: str
    # The input of most answers of the task: touch, mouse or keyboard.
    input: str
    # Whether the words of the question were highlighted in the passage: highlighted or plain.
    keywords: str
    # Whether the review was shown, if annotators could switch it off: shown or off.
    review: str


class JudgmentFilters(TypedDict):
    """Query: List the current judgments of a campaign."""

    # The annotator's label.
    annotator: NotRequired[str]
    # The key of the criterion in the protocol.
    criterion: NotRequired[str]
    # Also what was submitted after its assignment was given to another annotator.
    extras: NotRequired[bool]
    # The kind of the round.
    round: NotRequired[Literal['calibration', 'checks', 'main', 'pilot', 'training']]
    # The id of the source in the dataset.
    source_id: NotRequired[str]
    # The name of the system.
    system: NotRequired[str]
    # Also judgments of pilot and calibration rounds.
    trials: NotRequired[bool]
    # The value on the criterion's scale.
    value: NotRequired[int]


class LlmJudge(TypedDict):
    """An LLM judge, with how many verdicts it gave. Users who judge the dataset see no
    problems."""

    # The id by which other requests name the object.
    id: int
    # The name of the LLM judge in reports.
    name: str
    # The name of the model, as its provider writes it, such as `gpt-4o-2024-08-06`.
    model: str
    # Release, revision or date of the weights.
    version: NotRequired[str]
    # The sampling temperature of the model; null if it is unknown.
    temperature: NotRequired[float | None]
    # The date on which the model judged; null if it is unknown.
    judged_on: NotRequired[date | None]
    # The cost of the verdicts in the currency, as a decimal number; null if it is unknown.
    cost: NotRequired[str | None]
    # The code of the currency, such as EUR; blank if it is unknown.
    currency: NotRequired[str]
    # The instruction that the model got, word for word; blank if it is unknown.
    prompt: NotRequired[str]
    # The SHA-256 digest of the prompt; blank without a prompt.
    prompt_sha256: NotRequired[str]
    # Systems of the judge's own model family.
    own_systems: NotRequired[Any]
    # The name of the imported file; blank if there is none.
    file_name: NotRequired[str]
    # The number of verdicts.
    verdicts: int
    # The number of refused verdicts; more than 500 are not counted.
    refused: int
    # The rows and values that could not be used, with reasons; none for users who judge the
    # dataset.
    problems: list[str]
    # When it was created.
    created_at: datetime


class MadeInvitation(TypedDict):
    """A new link by which annotators join."""

    # The id by which other requests name the object.
    id: int
    # The name of the invitation, which only managers see; blank if it has none.
    label: NotRequired[str]
    # The number of annotators who may join; null for no limit.
    places: NotRequired[int | None]
    # The number of annotators who joined by the invitation.
    joined: int
    # The address at which annotators join; null if you do not manage the campaign, or the
    # invitation is revoked.
    link: NotRequired[str]
    # The token by which programs join; null if you do not manage the campaign, or it is
    # revoked.
    token: NotRequired[str]
    # When the invitation stops being valid; null if it never does.
    expires_at: NotRequired[datetime | None]
    # When the invitation was revoked; null while it is valid.
    revoked_at: NotRequired[datetime | None]
    # When it was created.
    created_at: datetime
    # `secret_shown_once` in the response to a repeated request, which lacks secrets.
    code: NotRequired[str]


class Mapping(TypedDict):
    """How a file is read. What is not given is detected or proposed; `columns` is empty until
    somebody decided about the columns. Opening: `sheets` of a workbook (all that look alike by
    default), `encoding`, `delimiter`, `quoted`, `header` (whether the first row names the
    columns) and `skip`, the rows above it. `recipe` is the export of a program that the file
    is, "table" for none. `as_is` lists steps that are not taken, `repairs` those that change
    texts and are taken on request only. Reading: `system`, `rater` and `modality` stand for
    columns that the file lacks. `expected` is the number of questions that each system owes a
    source; by default the largest number that any system returned for it or, if the systems
    were not `crossed` with the sources, its own. `repeats` says what rows are that equal an
    earlier one: further questions, further ratings or mistakes; by default the former if no
    column names raters, else the second. `blanks` are words for a blank cell, `numbers` how
    numbers are written, `points` the meaning of words used as ratings, by criterion; a blank
    point excludes them. `raters` are those of a column of raters who may be no annotators.
    `one_spelling` gives people and systems whose names differ only in case and blanks one name.
    `exclude_rows` lists, by column, values that mark rows to be excluded. `starts` gives, by
    the key of a source, the start of an answer that occurs more than once; `first_start` takes
    the first for all others."""

    # The program whose export the file is; `table` for none, blank if it is detected.
    recipe: NotRequired[str]
    # The sheets of a workbook that are read; empty for all that look alike.
    sheets: NotRequired[list[str]]
    # The encoding of the text, such as `cp1252`; blank if it is detected.
    encoding: NotRequired[str]
    # The character between cells; blank if it is detected.
    delimiter: NotRequired[DelimiterEnum | BlankEnum]
    # Whether cells may be quoted; null if it is detected.
    quoted: NotRequired[bool | None]
    # Whether the first row names the columns; null if it is detected.
    header: NotRequired[bool | None]
    # The number of rows above the header that are left out; null if it is detected.
    skip: NotRequired[int | None]
    # Steps that are not taken when the file is opened, such as `totals` (rows of totals are
    # kept).
    as_is: NotRequired[list[AsIsEnum]]
    # Repairs of texts, which are made only if they are listed.
    repairs: NotRequired[list[RepairsEnum]]
    # What each column holds, by the name of the column.
    columns: NotRequired[dict[str, Column]]
    # The name of the system that wrote all questions, if no column names systems; otherwise
    # blank.
    system: NotRequired[str]
    # The label of the annotator who gave all ratings, if no column names annotators; otherwise
    # blank.
    rater: NotRequired[str]
    # What all sources were made from, if no column says it; blank if it is unknown.
    modality: NotRequired[str]
    # The number of questions that each system should return for a source; null if it is
    # derived.
    expected: NotRequired[int | None]
    # Whether every system was run on every source, so that its missing questions count.
    crossed: NotRequired[bool]
    # What rows are that equal an earlier one; blank if it is derived.
    repeats: NotRequired[RepeatsEnum | BlankEnum]
    # Words that stand for a blank cell, such as `n/a`.
    blanks: NotRequired[list[str]]
    # How numbers are written, such as with a decimal comma.
    numbers: NotRequired[NumbersEnum]
    # The scale point that each word among the ratings means, by criterion; a blank one excludes
    # it.
    points: NotRequired[dict[str, dict[str, str]]]
    # What each name in the column of annotators is, if it may be no annotator.
    raters: NotRequired[dict[str, Literal['annotator', 'llm_judge', 'exclude', 'ask']]]
    # Whether names that differ only in case and blanks are the same annotator or system.
    one_spelling: NotRequired[bool]
    # Values that exclude the rows in which they occur, by column.
    exclude_rows: NotRequired[dict[str, list[str]]]
    # The start of an answer that occurs more than once in its passage, by the id of the source.
    starts: NotRequired[dict[str, int]]
    # Whether answers that occur more than once start at their first occurrence.
    first_start: NotRequired[bool]


class MappingRequest(TypedDict):
    """How a file is read. What is not given is detected or proposed; `columns` is empty until
    somebody decided about the columns. Opening: `sheets` of a workbook (all that look alike by
    default), `encoding`, `delimiter`, `quoted`, `header` (whether the first row names the
    columns) and `skip`, the rows above it. `recipe` is the export of a program that the file
    is, "table" for none. `as_is` lists steps that are not taken, `repairs` those that change
    texts and are taken on request only. Reading: `system`, `rater` and `modality` stand for
    columns that the file lacks. `expected` is the number of questions that each system owes a
    source; by default the largest number that any system returned for it or, if the systems
    were not `crossed` with the sources, its own. `repeats` says what rows are that equal an
    earlier one: further questions, further ratings or mistakes; by default the former if no
    column names raters, else the second. `blanks` are words for a blank cell, `numbers` how
    numbers are written, `points` the meaning of words used as ratings, by criterion; a blank
    point excludes them. `raters` are those of a column of raters who may be no annotators.
    `one_spelling` gives people and systems whose names differ only in case and blanks one name.
    `exclude_rows` lists, by column, values that mark rows to be excluded. `starts` gives, by
    the key of a source, the start of an answer that occurs more than once; `first_start` takes
    the first for all others."""

    # The program whose export the file is; `table` for none, blank if it is detected.
    recipe: NotRequired[str]
    # The sheets of a workbook that are read; empty for all that look alike.
    sheets: NotRequired[list[str]]
    # The encoding of the text, such as `cp1252`; blank if it is detected.
    encoding: NotRequired[str]
    # The character between cells; blank if it is detected.
    delimiter: NotRequired[DelimiterEnum | BlankEnum]
    # Whether cells may be quoted; null if it is detected.
    quoted: NotRequired[bool | None]
    # Whether the first row names the columns; null if it is detected.
    header: NotRequired[bool | None]
    # The number of rows above the header that are left out; null if it is detected.
    skip: NotRequired[int | None]
    # Steps that are not taken when the file is opened, such as `totals` (rows of totals are
    # kept).
    as_is: NotRequired[list[AsIsEnum]]
    # Repairs of texts, which are made only if they are listed.
    repairs: NotRequired[list[RepairsEnum]]
    # What each column holds, by the name of the column.
    columns: NotRequired[dict[str, Column]]
    # The name of the system that wrote all questions, if no column names systems; otherwise
    # blank.
    system: NotRequired[str]
    # The label of the annotator who gave all ratings, if no column names annotators; otherwise
    # blank.
    rater: NotRequired[str]
    # What all sources were made from, if no column says it; blank if it is unknown.
    modality: NotRequired[str]
    # The number of questions that each system should return for a source; null if it is
    # derived.
    expected: NotRequired[int | None]
    # Whether every system was run on every source, so that its missing questions count.
    crossed: NotRequired[bool]
    # What rows are that equal an earlier one; blank if it is derived.
    repeats: NotRequired[RepeatsEnum | BlankEnum]
    # Words that stand for a blank cell, such as `n/a`.
    blanks: NotRequired[list[str]]
    # How numbers are written, such as with a decimal comma.
    numbers: NotRequired[NumbersEnum]
    # The scale point that each word among the ratings means, by criterion; a blank one excludes
    # it.
    points: NotRequired[dict[str, dict[str, str]]]
    # What each name in the column of annotators is, if it may be no annotator.
    raters: NotRequired[dict[str, Literal['annotator', 'llm_judge', 'exclude', 'ask']]]
    # Whether names that differ only in case and blanks are the same annotator or system.
    one_spelling: NotRequired[bool]
    # Values that exclude the rows in which they occur, by column.
    exclude_rows: NotRequired[dict[str, list[str]]]
    # The start of an answer that occurs more than once in its passage, by the id of the source.
    starts: NotRequired[dict[str, int]]
    # Whether answers that occur more than once start at their first occurrence.
    first_start: NotRequired[bool]


class MarginRequest(TypedDict):
    """The largest difference of two means without practical meaning."""

    # In points of the criterion's scale.
    points: float
    # Why a smaller difference has no practical meaning.
    reason: str


class MarkControl(TypedDict):
    """The spans to be marked in the passage for one question."""

    # The key of the marks in a draft or a submission.
    name: str
    # What is to be marked.
    prompt: str
    # Whether the task cannot be submitted without it.
    required: bool
    # Whether its stage is open, so that marks can change.
    open: bool
    # Whether you said that nothing in the passage answers the question.
    nothing: bool
    # The marked ranges of the passage.
    ranges: list[ShownRange]


class MarkedRequest(TypedDict):
    """The ranges that are marked, or that nothing in the passage answers the question."""

    # The marked ranges of the passage.
    ranges: NotRequired[list[RangeRequest]]
    # Whether nothing in the passage answers the question.
    nothing: NotRequired[bool]


class Me(TypedDict):
    """The user, what they may do, and the scope of the token."""

    # The id by which other requests name the object.
    id: int
    # The user name.
    username: str
    # The email address; blank if it is unknown.
    email: NotRequired[str]
    # Whether the user may create campaigns and datasets.
    may_create_campaigns: bool
    # read, manage or annotate; session if no token was sent.
    scope: str


MetricLevelEnum: TypeAlias = Literal['pooled', 'within_source', 'systems']


MixedModelEnum: TypeAlias = Literal['quick', 'always', 'never']


MultiplicityEnum: TypeAlias = Literal['holm', 'in_order']


class NewDryRunRequest(TypedDict):
    """Settings of the simulated annotators. Omitted fields have the defaults of the page;
    shares are in per cent."""

    # The true difference between one system and the next, in per cent of the scale.
    gap: NotRequired[int]
    # Whether conclusions extend to `sources`, or to `sources+annotators`.
    design: NotRequired[str]
    # The number of simulated annotators; by default as many as the plan needs.
    annotators: NotRequired[int]
    # The standard deviation of annotators' severity, in per cent of the scale.
    severity: NotRequired[int]
    # The standard deviation of chance in single values, in per cent of the scale.
    noise: NotRequired[int]
    # The standard deviation of a system's questions, in per cent of the scale.
    question: NotRequired[int]
    # The number of simulated annotators who choose values at random.
    careless: NotRequired[int]
    # The time that careless annotators take, in per cent of what others take.
    hurry: NotRequired[int]
    # The mean time for a value, in seconds; by default the protocol's estimate.
    seconds: NotRequired[float]
    # The standard deviation of the times of single values, as a logarithm.
    seconds_spread: NotRequired[float]
    # The standard deviation of annotators' speeds, as a logarithm.
    pace_spread: NotRequired[float]
    # The share of right values of careful annotators in the qualification, in per cent.
    knows: NotRequired[int]
    # The standard deviation of that share between annotators, in per cent.
    knows_spread: NotRequired[int]
    # The share of careless annotators who take care in the qualification, in per cent.
    wary: NotRequired[int]
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: NotRequired[int]


class NewInvitationRequest(TypedDict):
    """A new link; without `expires_at` it is valid for two weeks."""

    # The name of the invitation, which only managers see; blank if it has none.
    label: NotRequired[str]
    # The number of annotators who may join; null for no limit.
    places: NotRequired[int]
    # When the invitation stops being valid; null if it never does.
    expires_at: NotRequired[datetime]


class NewPowerAnalysisRequest(TypedDict):
    """Settings of a power analysis. Omitted fields have the defaults of the page."""

    # The key of one of the sources of variances.
    variances: NotRequired[str]
    # The smallest difference of two systems' means to find.
    difference: NotRequired[float]
    # The greatest number of annotators for each item, from 1 to 10.
    annotators: NotRequired[int]
    # The power to reach, from 0.5 to 0.99.
    power: NotRequired[float]
    # The significance level of the tests, from 0 to 1.
    level: NotRequired[float]
    # The number of pairs of systems to compare; the level is divided by it.
    comparisons: NotRequired[int]


NewRoundKindEnum: TypeAlias = Literal['calibration', 'pilot']


class NewRoundRequest(TypedDict):
    """A pilot or calibration round on sources drawn for it."""

    # The kind of the round.
    kind: NewRoundKindEnum
    # The number of sources.
    size: int
    # The number of annotators who judge each task of the round.
    annotators: int
    # Exclude these sources from the main round.
    apart: NotRequired[bool]


class NewRunRequest(TypedDict):
    """Settings of a run. Omitted fields have the defaults of the page; by default the metrics
    are those that can be computed on the dataset."""

    # The name of the run; blank if it has none.
    name: NotRequired[str]
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: NotRequired[int]
    # The number of resamples of intervals and tests.
    resamples: NotRequired[int]
    # What conclusions extend to, such as `sources` or `sources+annotators`.
    design: NotRequired[str]
    # The ids of the metrics to compute; by default those that can be computed on the dataset.
    metrics: NotRequired[list[str]]
    # How questions are prepared for metrics that compare words, such as `nqg` or `raw`.
    prepare_hypothesis: NotRequired[str]
    # How references are prepared for metrics that compare words, such as `nqg` or `raw`.
    prepare_reference: NotRequired[str]
    # Correlations are `pooled` over all questions, `within_source`, or over means of `systems`.
    metric_level: NotRequired[MetricLevelEnum]
    # The questions on which metrics are compared: those of each metric (`own`), or those of all
    # (`common`).
    items: NotRequired[ItemsEnum]
    # Further analyses, such as `annotators` or `dawid_skene`; by default there are none.
    further: NotRequired[list[str]]
    # The metadata columns by whose values results are shown, too.
    slices: NotRequired[list[str]]
    # When a mixed model of systems, annotators and sources is fitted.
    mixed_model: NotRequired[MixedModelEnum]
    # How lone, identical and missing questions count: as released, or by the protocol's rules.
    reading: NotRequired[str]
    # Whether excluded annotators count.
    with_excluded: NotRequired[bool]
    # Whether answers count that were submitted after their assignment was given to another
    # annotator.
    extras: NotRequired[bool]
    # Whether adjudicated ratings replace those of annotators for systems and metrics.
    settled: NotRequired[bool]
    # By how much an LLM judge may be worse than an annotator (0.1, 0.15 or 0.2) to replace one.
    judge_epsilon: NotRequired[float]
    # The names of systems that are left out.
    without_systems: NotRequired[list[str]]
    # The keys of criteria that are left out.
    without_criteria: NotRequired[list[str]]
    # The fingerprints of metrics that are left out.
    without_metrics: NotRequired[list[str]]
    # The labels of annotators who do not count.
    without_annotators: NotRequired[list[str]]


class NewWebhookRequest(TypedDict):
    """A new webhook. Without `events` all are sent."""

    # The address to which messages are sent.
    url: str
    # The events that are sent; without them, all.
    events: NotRequired[list[EventsEnum]]


NumbersEnum: TypeAlias = Literal['point', 'comma', 'point_thousands', 'comma_thousands']


OrderEnum: TypeAlias = Literal['depth', 'breadth', 'panel']


OriginEnum: TypeAlias = Literal['judged', 'imported', 'simulated']


OverEnum: TypeAlias = Literal['sources', 'column', 'systems']


class Overview(TypedDict):
    """A campaign so far. Agreement, pairs, disputed items and systems are null for users who
    judge the dataset; agreement is also null until a worker has computed it."""

    # When progress and ratings were counted.
    counted_at: datetime
    # The number of questions to judge; null before the main round is planned.
    questions: int | None
    # The number of planned assignments of the main round.
    assignments: int
    # The number of submitted assignments; null if it is hidden from you.
    submitted: int
    # The number of assignments that annotators are working on; null if it is hidden from you.
    held: int
    # When the campaign will be complete; null unless it is open and the pace is known.
    forecast: Forecast | None
    # The ratings on each criterion.
    criteria: list[CriterionSoFar]
    # The work of each annotator.
    annotators: list[AnnotatorSoFar]
    # The judged items of each system; null for users who judge the dataset.
    systems: list[SystemSoFar] | None
    # When agreement was computed; null before that, and for users who judge the dataset.
    agreement_computed_at: datetime | None
    # The alpha from which tentative conclusions are usual.
    threshold: float
    # The pairs of annotators who judged the same items; null for users who judge the dataset,
    # or until computed.
    pairs: list[AnnotatorPair] | None
    # The items on which annotators differ most; null for users who judge the dataset, or until
    # computed.
    disputed_items: list[DisputedItem] | None


class PatchedDatasetChangeRequest(TypedDict):
    """The name and the licence of a dataset."""

    # The name of the dataset.
    name: NotRequired[str]
    # The licence of the dataset; blank if it is unknown.
    licence: NotRequired[str]


class PatchedDesignRequest(TypedDict):
    """The design of a draft: protocol, annotators, order, lease, the texts annotators read, and
    its declared hypotheses. `hypotheses` and `translated_texts` replace the earlier ones."""

    # The id of the protocol version under which the dataset is judged.
    protocol: NotRequired[int]
    # The title of the campaign.
    title: NotRequired[str]
    # The number of annotators who judge each task.
    annotators_per_task: NotRequired[int]
    # The greatest number of tasks that one annotator may judge; null if there is no limit.
    tasks_per_annotator: NotRequired[int | None]
    # The order in which tasks are given to annotators.
    order: NotRequired[OrderEnum]
    # The minutes for which a task is kept for an annotator after each save.
    lease_minutes: NotRequired[int]
    # The language of the annotators' pages; empty if annotators choose.
    fixed_language: NotRequired[str]
    # How tasks are laid out; empty if annotators choose.
    fixed_view: NotRequired[View | BlankEnum]
    # Whether annotators see all answers of a task before they submit it.
    review_before_submit: NotRequired[bool]
    # Whether annotators may switch the review off after three tasks.
    review_is_optional: NotRequired[bool]
    # Whether the words of a question are highlighted in its passage.
    highlight_keywords: NotRequired[bool]
    # The time zone in which times are shown, such as Europe/Berlin.
    time_zone: NotRequired[str]
    # The language in which introduction, consent and pay were first written.
    text_language: NotRequired[str]
    # What annotators read before they begin.
    introduction: NotRequired[str]
    # What annotators get, in words.
    pay: NotRequired[str]
    # What annotators agree to; they tick it before the first task.
    consent: NotRequired[str]
    # Whom annotators can ask about the study; blank if nobody is named.
    contact: NotRequired[str]
    # Which body approved the study, with its number; or that none did.
    ethics: NotRequired[str]
    # Annotators may erase what they did themselves, until the campaign is closed.
    withdrawal: NotRequired[bool]
    # Days after closing until accounts of annotators without a password are deleted; null,
    # never.
    retention_days: NotRequired[int | None]
    # What will be compared, written before the lock.
    analysis_plan: NotRequired[str]
    # Why so many questions and annotators are planned; blank if it is not said.
    sample_reason: NotRequired[str]
    # The declared hypotheses, which replace the earlier ones.
    hypotheses: NotRequired[HypothesesRequest]
    # Introduction, consent and pay in other languages, by language tag such as `de`.
    translated_texts: NotRequired[dict[str, TextsRequest]]


class PatchedWebhookRequest(TypedDict):
    """An address to which events of a campaign are sent."""

    # The address to which messages are sent.
    url: NotRequired[str]
    # The events that are sent.
    events: NotRequired[list[EventsEnum]]
    # Whether messages are sent.
    is_active: NotRequired[bool]


class Point(TypedDict):
    """A point of a scale."""

    # The value on the criterion's scale.
    value: int
    # The label of the point; blank if it has none.
    label: str
    # What the point means; blank if the protocol does not say.
    description: str
    # Whether it is no value, such as “cannot say”.
    missing: bool


class PowerAnalysis(TypedDict):
    """A power analysis: its job, what was asked, and what was found once the job is done."""

    # The id by which other requests name the object.
    id: str
    # The address in the API, without the host.
    url: str
    # The name of the task that does it.
    kind: str
    # The current state.
    state: NotRequired[JobState]
    # The number of steps that are done.
    done: NotRequired[int]
    # The number of steps in all; 0 until it is known.
    total: NotRequired[int]
    # What it is doing.
    message: NotRequired[str]
    # Why it failed; blank unless it failed.
    error: NotRequired[str]
    # The id of the dataset that it is about; null if it is about none.
    dataset: int | None
    # The UUID of the campaign that it is about; null if it is about none.
    campaign: str | None
    # When it was created.
    created_at: datetime
    # The settings that were used, by name.
    parameters: dict[str, Any]
    # What was found; empty until the job is done.
    result: dict[str, Any]


class Preview(TypedDict):
    """What a file would add, according to its last preview."""

    # What the file holds, as a sentence.
    summary: str
    # They must be accepted before the file is added.
    surprises: list[str]
    # Whether all surprises were accepted.
    accepted: bool
    # A sentence to be confirmed, or blank.
    mostly_new: str
    # The number of rows of each kind.
    expected: dict[str, int]
    # The number of rows that were matched by each way, such as by id or by text.
    tiers: dict[str, int]
    # The first rows of each kind, with reasons.
    examples: dict[str, Any]
    # Why the file cannot be added, as sentences; empty if it can.
    obstacles: list[str]
    # The systems, as the file calls them.
    named: list[str]
    # The systems behind the letters of the file, with the rows that speak for each.
    votes: NotRequired[list[dict[str, Any]]]
    # The first rows and values that would go to quarantine, with reasons.
    refused: list[dict[str, Any]]
    # The number of rows and values that would go to quarantine.
    refused_count: int


PrimaryHypothesisDirectionEnum: TypeAlias = Literal['two_sided', 'greater', 'non_inferior']


class PrimaryHypothesisRequest(TypedDict):
    """A hypothesis about two systems; or, if `metric_level` names a level, about Spearman's
    correlation of one metric or of two with the human ratings."""

    # The key of the criterion in the protocol.
    criterion: str
    # A system or a metric.
    first: str
    # The other system or metric; blank for one metric.
    second: NotRequired[str]
    # `non_inferior`: the first system is not worse by the criterion's margin or more.
    direction: NotRequired[PrimaryHypothesisDirectionEnum]
    # The level of the correlation; blank for a hypothesis about systems.
    metric_level: NotRequired[MetricLevelEnum | BlankEnum]


class Progress(TypedDict):
    """How many tasks the annotator has submitted, and how many there are; null if too many to
    count."""

    # The number of tasks that you have submitted.
    done: int
    # The number of tasks in all; null if there are too many to count.
    total: int | None
    # The number of this task among yours, from 1; null if it cannot be counted.
    current: int | None


class Proposal(TypedDict):
    """What a file holds under its mapping. Columns without a decision have proposed roles."""

    # How the file is read.
    mapping: Mapping
    # The id of the protocol of the ratings in the file; null if it has none.
    protocol: NotRequired[int | None]
    # The names of the columns, in the order of the file.
    header: list[str]
    # The columns with their values and proposed roles.
    columns: list[dict[str, Any]]
    # The first rows, each with its number.
    rows: list[Any]
    # The names of the sheets of the file.
    sheets: list[str]
    # How the file was opened and shaped.
    sentences: list[str]
    # Repairs of texts that were not made.
    offers: list[str]
    # What the file holds, as a sentence.
    summary: str
    # The number of annotators' ratings with each value, by criterion.
    criteria: dict[str, Any]
    # The file's values beside the protocol's scales.
    scales: list[dict[str, Any]]
    # What the check of the study found; those with `needs_yes` must be accepted.
    findings: list[dict[str, Any]]
    # They must be accepted before the file is added.
    surprises: list[str]
    # Why the file cannot be added, as sentences; empty if it can.
    obstacles: list[str]
    # Rows and values that cannot be used as they are, with reasons.
    problems: list[dict[str, Any]]


class ProposedExclusion(TypedDict):
    """An annotator whom rules propose for exclusion."""

    # The id of the enrolment, which is an annotator's part in the campaign.
    enrolment: int
    # The annotator's label.
    label: str
    # The reason that the exclusion gets.
    reason: str


class Protocol(TypedDict):
    """A version of a protocol. It never changes."""

    # The id by which other requests name the object.
    id: int
    # The key, which all versions of the protocol share.
    key: str
    # The version, such as `1.0`.
    version: str
    # The title of the protocol.
    title: str
    # What one task shows.
    task: TaskEnum
    # The SHA-256 digest of the document, in hexadecimal digits.
    digest: str
    # User name of the owner; null for protocols that come with the software.
    owner: NotRequired[str | None]
    # When it was created.
    created_at: datetime


class ProtocolsListQuery(TypedDict):
    """Query: List the shipped protocols, your own, and those of your campaigns."""

    # The key of the protocol.
    key: NotRequired[str]
    # Number of results to return per page.
    limit: NotRequired[int]
    # User name of the owner.
    owner: NotRequired[str]
    # Whether the protocol comes with the software.
    shipped: NotRequired[bool]
    # What one task shows.
    task: NotRequired[Literal['question_set', 'source', 'unit']]
    # The version of the protocol.
    version: NotRequired[str]


class Quality(TypedDict):
    """Checks between tasks, thresholds of flags, and exclusion rules. A rule that is null or
    false proposes no annotator."""

    # The number of values before which nothing is flagged.
    least_values: NotRequired[int]
    # Annotators are flagged who take fewer seconds for a value.
    fastest: NotRequired[float]
    # Annotators are flagged who are this many times as fast as the median of the others.
    faster_than_others: NotRequired[float]
    # The share of one value from which equal values are flagged, from 0 to 1.
    same_share: NotRequired[float]
    # The number of equal values in a row that is flagged if it is rare among the others.
    longest_run: NotRequired[int]
    # The share of gold questions that must be right, from 0 to 1.
    least_gold: NotRequired[float]
    # The share of values that must be equal on hidden repeats, from 0 to 1.
    least_same: NotRequired[float]
    # Hidden repeats in each 100 tasks.
    repeats: NotRequired[int]
    # Gold questions in each 100 tasks.
    gold: NotRequired[int]
    # Degraded copies in each 100 tasks.
    degraded: NotRequired[int]
    # The least number of tasks between a task and its repeat.
    gap: NotRequired[int]
    # Whether annotators are proposed who were flagged as too fast.
    exclude_speed: NotRequired[bool]
    # Whether annotators are proposed who were flagged for equal values or a long run.
    exclude_same: NotRequired[bool]
    # Annotators are proposed who fail more gold questions than this; null for no such rule.
    exclude_gold: NotRequired[int | None]
    # The number of gold questions from which `exclude_gold` applies; null for the first.
    exclude_gold_of: NotRequired[int | None]
    # Annotators are proposed whose share of equal values on repeats is lower; null for no such
    # rule.
    exclude_repeats: NotRequired[float | None]
    # Whether annotators are proposed who do not rate degraded copies lower.
    exclude_degraded: NotRequired[bool]


class QualityRequest(TypedDict):
    """Checks between tasks, thresholds of flags, and exclusion rules. A rule that is null or
    false proposes no annotator."""

    # The number of values before which nothing is flagged.
    least_values: NotRequired[int]
    # Annotators are flagged who take fewer seconds for a value.
    fastest: NotRequired[float]
    # Annotators are flagged who are this many times as fast as the median of the others.
    faster_than_others: NotRequired[float]
    # The share of one value from which equal values are flagged, from 0 to 1.
    same_share: NotRequired[float]
    # The number of equal values in a row that is flagged if it is rare among the others.
    longest_run: NotRequired[int]
    # The share of gold questions that must be right, from 0 to 1.
    least_gold: NotRequired[float]
    # The share of values that must be equal on hidden repeats, from 0 to 1.
    least_same: NotRequired[float]
    # Hidden repeats in each 100 tasks.
    repeats: NotRequired[int]
    # Gold questions in each 100 tasks.
    gold: NotRequired[int]
    # Degraded copies in each 100 tasks.
    degraded: NotRequired[int]
    # The least number of tasks between a task and its repeat.
    gap: NotRequired[int]
    # Whether annotators are proposed who were flagged as too fast.
    exclude_speed: NotRequired[bool]
    # Whether annotators are proposed who were flagged for equal values or a long run.
    exclude_same: NotRequired[bool]
    # Annotators are proposed who fail more gold questions than this; null for no such rule.
    exclude_gold: NotRequired[int | None]
    # The number of gold questions from which `exclude_gold` applies; null for the first.
    exclude_gold_of: NotRequired[int | None]
    # Annotators are proposed whose share of equal values on repeats is lower; null for no such
    # rule.
    exclude_repeats: NotRequired[float | None]
    # Whether annotators are proposed who do not rate degraded copies lower.
    exclude_degraded: NotRequired[bool]


class RangeRequest(TypedDict):
    """A range of a passage, in code points; `end` is behind the last one."""

    # The start of the range in the passage, in code points from 0.
    start: int
    # The end of the range in the passage, behind its last code point.
    end: int


RepairsEnum: TypeAlias = Literal['entities', 'mojibake']


RepeatsEnum: TypeAlias = Literal['questions', 'ratings', 'mistakes']


class Report(TypedDict):
    """A problem that the annotator reports with a question."""

    # The key of the report in a draft or a submission.
    name: str
    # The reported problem; blank if there is none.
    text: str


class Round(TypedDict):
    """A round of a campaign, with how many of its assignments were submitted."""

    # The id by which other requests name the object.
    id: int
    # The kind of the round.
    kind: NotRequired[RoundKindEnum]
    # The number of the round among those of its kind, from 1.
    number: NotRequired[int]
    # The number of annotators who judge each task of the round.
    annotators: int
    # Whether the main round leaves out the sources judged here.
    apart: NotRequired[bool]
    # When it was opened; null before that.
    opened_at: NotRequired[datetime | None]
    # When it was closed; null before that.
    closed_at: NotRequired[datetime | None]
    # The number of planned assignments of the round.
    assignments: int
    # The number of submitted assignments of the round.
    submitted: int


RoundKindEnum: TypeAlias = Literal['main', 'pilot', 'calibration', 'training', 'checks']


class Run(TypedDict):
    """A run: how it was made, and the state of its job."""

    # The number of the run in the campaign, from 1.
    number: int
    # The address in the API, without the host.
    url: str
    # The name of the run; blank if it has none.
    name: str
    # Whether the judgments were made here, imported, or simulated.
    origin: str
    # The id of the job that computes it.
    job: str
    # The current state.
    state: JobState
    # The number of steps that are done.
    done: int
    # The number of steps in all; 0 until it is known.
    total: int
    # What the job is doing, or did last; blank if it has not begun.
    message: str
    # Why it failed; blank unless it failed.
    error: str
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: NotRequired[int]
    # The settings that were used, by name.
    parameters: dict[str, Any]
    # The versions of the software that computed it, by name.
    versions: dict[str, str]
    # The SHA-256 digest of everything that the run read; blank until it has been read.
    input_sha256: NotRequired[str]
    # When it was created.
    created_at: datetime


class RunJob(TypedDict):
    """The job of a run."""

    # The id by which other requests name the object.
    id: str
    # The address in the API, without the host.
    url: str
    # The name of the task that does it.
    kind: str
    # The current state.
    state: NotRequired[JobState]
    # The number of steps that are done.
    done: NotRequired[int]
    # The number of steps in all; 0 until it is known.
    total: NotRequired[int]
    # What it is doing.
    message: NotRequired[str]
    # Why it failed; blank unless it failed.
    error: NotRequired[str]
    # The id of the dataset that it is about; null if it is about none.
    dataset: int | None
    # The UUID of the campaign that it is about; null if it is about none.
    campaign: str | None
    # When it was created.
    created_at: datetime
    # The number of the run.
    run: int


class Sample(TypedDict):
    """How many sources are drawn: in all, from each value of a column, or for each system."""

    # The number of sources to draw.
    size: int
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: int
    # Whether sources are drawn from all, by the values of a column, or for each system.
    over: NotRequired[OverEnum]
    # The metadata column from whose values sources are drawn; blank unless `over` is `column`.
    column: NotRequired[str]
    # Whether `size` sources are drawn from each value, or in all.
    each: NotRequired[bool]


class SampleRequest(TypedDict):
    """How many sources are drawn: in all, from each value of a column, or for each system."""

    # The number of sources to draw.
    size: int
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: int
    # Whether sources are drawn from all, by the values of a column, or for each system.
    over: NotRequired[OverEnum]
    # The metadata column from whose values sources are drawn; blank unless `over` is `column`.
    column: NotRequired[str]
    # Whether `size` sources are drawn from each value, or in all.
    each: NotRequired[bool]


class Saved(TypedDict):
    """The sequence number under which the draft was saved."""

    # The number under which the draft was saved.
    sequence: int


class ScoringOptions(TypedDict):
    """The metrics to compute, with their settings by metric."""

    # Such as {"bleu_4": {"smoothing": "add_one"}}.
    settings: NotRequired[dict[str, dict[str, Any]]]
    # How questions are prepared for metrics that compare words, such as `nqg` or `raw`.
    prepare_hypothesis: NotRequired[str]
    # How references are prepared for metrics that compare words, such as `nqg` or `raw`.
    prepare_reference: NotRequired[str]


class SecretWebhook(TypedDict):
    """A webhook with its new secret, which is not shown again."""

    # The id by which other requests name the object.
    id: int
    # The address to which messages are sent.
    url: str
    # The events that are sent.
    events: list[EventsEnum]
    # Whether messages are sent.
    is_active: NotRequired[bool]
    # When it was created.
    created_at: datetime
    # The secret that signs messages, which begins with `whsec_`; it is shown once.
    secret: NotRequired[str]
    # `secret_shown_once` in the response to a repeated request, which lacks secrets.
    code: NotRequired[str]


class SelectionRequest(TypedDict):
    """The part of the dataset that is judged; without a choice, all of it."""

    # The names of the selected systems; without them, all.
    systems: NotRequired[list[str]]
    # The wanted values of columns of metadata.
    columns: NotRequired[dict[str, list[str]]]
    # Pairs of a source's key and a system; a blank system means all of them.
    list: NotRequired[list[list[str]]]
    # A random sample of sources; without it, all are selected.
    sample: NotRequired[SampleRequest]


class ShownQuestion(TypedDict):
    """A question in the place where it is shown; `text` is null if the system returned none."""

    # The letter under which the question is shown.
    letter: str
    # The text of the question; null if the system returned none.
    text: str | None
    # What the annotator sees of the question besides its text.
    about: list[Fact]
    # The criteria that are asked about the question.
    controls: list[Control]
    # The spans that are marked in the passage for this question; null if none are asked for.
    mark: MarkControl | None
    # The field in which you can report a broken question; null if the protocol has none.
    report: Report | None


class ShownRange(TypedDict):
    """A range of a passage, in code points."""

    # The start of the range in the passage, in code points from 0.
    start: int
    # The end of the range in the passage, behind its last code point.
    end: int


class ShownSource(TypedDict):
    """The source of the questions, as far as the open stage shows it."""

    # The text that the questions are about; blank if there is none.
    passage: str
    # The highlighted ranges of the passage.
    highlights: list[Highlight]
    # The sentence of the passage that contains the answer; blank if it is unknown.
    sentence: str
    # The answer that the question should have; blank if there is none.
    answer: str
    # The type of question that was asked for; blank if none was.
    target_type: str
    # What the source was made from, such as text or speech; blank if it is unknown.
    modality: str
    # The language tag of the source; blank if it is the dataset's.
    language: str


class ShownUnit(TypedDict):
    """A question of a task, or a set as a whole, which has neither position nor text."""

    # The id of the item, as in the list of items of the dataset.
    item: int
    # The id of the source in the dataset.
    source_id: str
    # The name of the system.
    system: str
    # The place in the system's set.
    position: int | None
    # The text of the question; null for a set as a whole, or if the system returned none.
    question: NotRequired[str | None]


class SourceText(TypedDict):
    """The input of the systems."""

    # The id of the source in the dataset.
    source_id: str
    # The text that the questions are about; null if there is none.
    passage: NotRequired[str | None]
    # The sentence of the passage that contains the answer; blank if it is unknown.
    sentence: str
    # The answer that the question should have; blank if there is none.
    answer: str
    # The type of question that was asked for; blank if none was.
    target_type: str
    # What the source was made from, such as text or speech; blank if it is unknown.
    modality: str


class Stage(TypedDict):
    """The open stage of the task."""

    # The key of the stage in the protocol.
    key: str
    # The title of the stage.
    title: str
    # The number of the open stage, from 1.
    number: int
    # The number of stages.
    of: int


class Submitted(TypedDict):
    """The state of the task, and the next one, which the annotator holds now."""

    # The current state.
    state: AssignmentState
    # The id of your next task; null if there is none now.
    next: str | None


class System(TypedDict):
    """A system, with its numbers of returned and of missing questions."""

    # The id by which other requests name the object.
    id: int
    # The name of the system.
    name: str
    # Whether it is a model, a human, or a deliberate degradation.
    kind: NotRequired[SystemKind]
    # The number of questions that the system returned.
    questions: int
    # The number of questions that the system should have returned but did not.
    missing: int
    # The number of questions that repeat another one of the same set.
    duplicates: int


class SystemChange(TypedDict):
    """A change of a dataset's systems. For merged systems, `after` is the name that remains."""

    # The id by which other requests name the object.
    id: int
    # What was changed.
    what: SystemChangeWhatEnum
    # Its name or kind before.
    before: str
    # Its name or kind since.
    after: str
    # User name of the user who made the change.
    made_by: str
    # When it was made.
    made_at: datetime
    # When the change was undone; null if it was not.
    undone_at: NotRequired[datetime | None]


SystemChangeWhatEnum: TypeAlias = Literal['renamed', 'marked', 'merged', 'split']


class SystemChangesRequest(TypedDict):
    """Changes that are made together. Systems that get the same name are merged."""

    # The systems to change.
    systems: list[ChangedSystemRequest]
    # Campaigns whose plan is locked list the change with it.
    reason: NotRequired[str]


SystemKind: TypeAlias = Literal['model', 'human', 'degradation']


class SystemSoFar(TypedDict):
    """The judged units of a system, with the range over annotators."""

    # The name of the system.
    system: str
    # The number of judged items of the system, counted for each annotator.
    judged: int
    # The number of judged items of the annotator who has judged the fewest.
    fewest: int
    # The number of judged items of the annotator who has judged the most.
    most: int


class Task(TypedDict):
    """A task as the judging page shows it, with the draft so far."""

    # The id of the task.
    id: str
    # The address in the API, without the host.
    url: str
    # The UUID of the campaign.
    campaign: str
    # The current state.
    state: AssignmentState
    # When the task is given to another annotator unless you save; null after the submission.
    leased_until: NotRequired[datetime | None]
    # When the task was first submitted; null before that.
    submitted_at: datetime | None
    # Send it back with the submission; each submission changes it.
    token: str
    # The next draft needs a higher number.
    sequence: int
    # Your comment on the task; blank if there is none.
    note: str
    # The open stage; null if the protocol has only one stage.
    stage: Stage | None
    # Your progress in the round.
    progress: Progress
    # The source of the questions; null if they have sources of their own, which `about` shows.
    source: ShownSource | None
    # The questions in the groups in which they are shown.
    groups: list[Group]


TaskEnum: TypeAlias = Literal['source', 'question_set', 'unit']


class TextsRequest(TypedDict):
    """Texts that annotators read, in another language than the campaign's."""

    # The text that annotators read before they begin; blank if there is none.
    introduction: NotRequired[str]
    # What annotators get, in words; blank if it is not said.
    pay: NotRequired[str]
    # The text that annotators agree to; blank if there is none.
    consent: NotRequired[str]


class Validation(TypedDict):
    """Whether a document is a valid protocol, with its problems and warnings."""

    # Whether the document is a valid protocol.
    is_valid: bool
    # The faults that make the document no valid protocol.
    problems: list[DocumentProblem]
    # Parts of the document that are valid but unusual.
    warnings: list[DocumentProblem]


View: TypeAlias = Literal['focus', 'list']


ViewOrBlank: TypeAlias = Literal['focus', 'list']


class Webhook(TypedDict):
    """An address to which events of a campaign are sent."""

    # The id by which other requests name the object.
    id: int
    # The address to which messages are sent.
    url: str
    # The events that are sent.
    events: list[EventsEnum]
    # Whether messages are sent.
    is_active: NotRequired[bool]
    # When it was created.
    created_at: datetime


class WholeCampaign(TypedDict):
    """A campaign with its texts and the other parts of its plan."""

    # The UUID of the campaign.
    uuid: str
    # The title of the campaign.
    title: str
    # The current state.
    state: CampaignState
    # Whether the judgments were made here, imported, or simulated.
    origin: OriginEnum
    # The id of the dataset.
    dataset: int
    # The name of the dataset.
    dataset_name: str
    # The id of the protocol version under which the dataset is judged.
    protocol: int
    # The key of the protocol.
    protocol_key: str
    # The version of the protocol.
    protocol_version: str
    # The number of annotators who judge each task.
    annotators_per_task: int
    # The greatest number of tasks that one annotator may judge; null if there is no limit.
    tasks_per_annotator: int | None
    # The order in which tasks are given to annotators.
    order: OrderEnum
    # The minutes for which a task is kept for an annotator after each save.
    lease_minutes: int
    # The language of the annotators' pages; empty if annotators choose.
    fixed_language: str
    # How tasks are laid out; blank: annotators choose.
    fixed_view: ViewOrBlank | BlankEnum
    # Whether annotators see all answers of a task before they submit it.
    review_before_submit: bool
    # Whether annotators may switch the review off after three tasks.
    review_is_optional: bool
    # Whether the words of a question are highlighted in its passage.
    highlight_keywords: bool
    # The time zone in which times are shown, such as Europe/Berlin.
    time_zone: str
    # The language in which introduction, consent and pay were first written.
    text_language: str
    # What annotators get, in words.
    pay: str
    # Whom annotators can ask about the study; blank if nobody is named.
    contact: str
    # Which body approved the study, with its number; or that none did.
    ethics: str
    # Annotators may erase what they did themselves, until the campaign is closed.
    withdrawal: bool
    # Days after closing until accounts of annotators without a password are deleted; null,
    # never.
    retention_days: int | None
    # The UUID of the campaign that this one repeats with new annotators; null if it repeats
    # none.
    reproduces: str | None
    # The SHA-256 digest of what was locked; blank in a draft.
    locked_digest: str
    # User name of the user who created it.
    created_by: str
    # When it was created.
    created_at: datetime
    # When the plan was locked; null in a draft.
    locked_at: datetime | None
    # When it was closed; null before that.
    closed_at: datetime | None
    # The number of planned assignments of the main round.
    assignments: int
    # The number of submitted assignments; null if it is hidden from you.
    submitted: int
    # The number of assignments that annotators are working on; null if it is hidden from you.
    held: int
    # What annotators read before they begin.
    introduction: str
    # What annotators agree to; they tick it before the first task.
    consent: str
    # What will be compared, written before the lock.
    analysis_plan: str
    # Why so many questions and annotators are planned; blank if it is not said.
    sample_reason: str
    # Introduction, consent and pay in other languages, by language tag such as `de`.
    translated_texts: Any
    # The declared hypotheses; empty if there are none.
    hypotheses: Any
    # Which part of the dataset is judged; empty for all of it.
    selection: Any
    # The quality plan, as `GET campaigns/{campaign}/quality/` returns it; empty before it is
    # set.
    quality: Any
    # The planned pay: amount, currency, minutes for a task, least pay for an hour; empty if
    # none is planned.
    rate: Any
    # The locked plan; null in a draft.
    locked: dict[str, Any] | None


class WholeDryRun(TypedDict):
    """A dry run with what it found."""

    # The number of the dry run in the campaign, from 1.
    number: int
    # The UUID of the copy of the campaign that simulated annotators judged.
    copy: str
    # The assumptions about simulated annotators; shares from 0 to 1.
    settings: dict[str, Any]
    # What the dry run found, such as the power for each pair of systems.
    outcome: dict[str, Any]


class WholeProtocol(TypedDict):
    """A version of a protocol with its document."""

    # The id by which other requests name the object.
    id: int
    # The key, which all versions of the protocol share.
    key: str
    # The version, such as `1.0`.
    version: str
    # The title of the protocol.
    title: str
    # What one task shows.
    task: TaskEnum
    # The SHA-256 digest of the document, in hexadecimal digits.
    digest: str
    # User name of the owner; null for protocols that come with the software.
    owner: NotRequired[str | None]
    # When it was created.
    created_at: datetime
    # The protocol as an object.
    document: dict[str, Any]


class WholeRun(TypedDict):
    """A run, with the names of its tables and figures."""

    # The number of the run in the campaign, from 1.
    number: int
    # The address in the API, without the host.
    url: str
    # The name of the run; blank if it has none.
    name: str
    # Whether the judgments were made here, imported, or simulated.
    origin: str
    # The id of the job that computes it.
    job: str
    # The current state.
    state: JobState
    # The number of steps that are done.
    done: int
    # The number of steps in all; 0 until it is known.
    total: int
    # What the job is doing, or did last; blank if it has not begun.
    message: str
    # Why it failed; blank unless it failed.
    error: str
    # The seed of everything that uses chance; equal seeds give equal results.
    seed: NotRequired[int]
    # The settings that were used, by name.
    parameters: dict[str, Any]
    # The versions of the software that computed it, by name.
    versions: dict[str, str]
    # The SHA-256 digest of everything that the run read; blank until it has been read.
    input_sha256: NotRequired[str]
    # When it was created.
    created_at: datetime
    # The names of the tables.
    tables: list[str]
    # The names of the figures.
    figures: list[str]
