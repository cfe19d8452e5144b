"""The requests and answers of the API: written by `generate_types.py`, not by hand."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Alpha(TypedDict):
    """Krippendorff's alpha of a criterion; the value is null for the reason given."""

    value: NotRequired[float | None]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    n: int
    reason: str


class AlphaMoment(TypedDict):
    """Alpha at an earlier moment."""

    at: datetime
    value: float


class AmendmentRequest(TypedDict):
    """A change after the lock, with its reason, which the report lists."""

    what: AmendmentWhatEnum
    value: str
    reason: str


AmendmentWhatEnum: TypeAlias = Literal['lease_minutes', 'introduction', 'consent', 'ethics', 'contact', 'pay']


class AnnotatorPair(TypedDict):
    """The share of equal ratings of two annotators on the same items, over all criteria."""

    first: str
    second: str
    percent_agreement: float
    n: int


class AnnotatorSoFar(TypedDict):
    """The work of an annotator so far."""

    enrolment: int
    label: str
    tasks: int
    answers: int
    quick_answers: int
    seconds_a_value: float | None
    flags: list[Flag]


class AnswersOptions(TypedDict):
    """Answers by the names of their controls; null takes an answer back."""

    marks: NotRequired[dict[str, MarkedRequest]]
    reports: NotRequired[dict[str, str]]
    note: NotRequired[str | None]


AsIsEnum: TypeAlias = Literal['sheets', 'lists', 'totals', 'percent', 'fill_down']


class AskRequest(TypedDict):
    """The model to ask, its address, the questions and the budget. Fields that are not sent
    have the values that the page offers."""

    address: str
    model: str
    name: NotRequired[str]
    key: NotRequired[str]
    temperature: NotRequired[float]
    repeats: NotRequired[int]
    first: NotRequired[int]
    at_once: NotRequired[int]
    criteria: NotRequired[list[str]]
    price_in: NotRequired[str]
    price_out: NotRequired[str]
    currency: NotRequired[str]
    budget: NotRequired[str]
    own_systems: NotRequired[list[str]]


class Assignment(TypedDict):
    """An annotator's work on a task, with its times."""

    annotator: str
    state: NotRequired[AssignmentState]
    stage: NotRequired[int]
    held_at: NotRequired[datetime | None]
    lease_expires_at: NotRequired[datetime | None]
    submitted_at: NotRequired[datetime | None]
    released_at: NotRequired[datetime | None]
    active_seconds: NotRequired[float]


AssignmentState: TypeAlias = Literal['open', 'held', 'submitted', 'released', 'extra']


BlankEnum: TypeAlias = Literal['']


class Campaign(TypedDict):
    """A campaign, with how many assignments of its main round there are."""

    uuid: str
    title: str
    state: CampaignState
    origin: OriginEnum
    dataset: int
    dataset_name: str
    protocol: int
    protocol_key: str
    protocol_version: str
    annotators_per_task: int
    tasks_per_annotator: int | None
    order: OrderEnum
    lease_minutes: int
    fixed_language: str
    fixed_view: ViewOrBlank | BlankEnum
    review_before_submit: bool
    review_is_optional: bool
    highlight_keywords: bool
    time_zone: str
    text_language: str
    pay: str
    contact: str
    ethics: str
    withdrawal: bool
    retention_days: int | None
    reproduces: str | None
    locked_digest: str
    created_by: str
    created_at: datetime
    locked_at: datetime | None
    closed_at: datetime | None
    assignments: int
    submitted: int
    held: int


class CampaignOptions(TypedDict):
    """A new draft: dataset, protocol and design. Without `annotators_per_task` there are as
    many as the protocol says."""

    annotators_per_task: NotRequired[int]
    tasks_per_annotator: NotRequired[int | None]
    order: NotRequired[OrderEnum]
    lease_minutes: NotRequired[int]
    fixed_language: NotRequired[str]
    fixed_view: NotRequired[View | BlankEnum]
    review_before_submit: NotRequired[bool]
    review_is_optional: NotRequired[bool]
    highlight_keywords: NotRequired[bool]
    time_zone: NotRequired[str]
    text_language: NotRequired[str]
    introduction: NotRequired[str]
    pay: NotRequired[str]
    consent: NotRequired[str]
    contact: NotRequired[str]
    ethics: NotRequired[str]
    withdrawal: NotRequired[bool]
    retention_days: NotRequired[int | None]
    analysis_plan: NotRequired[str]
    sample_reason: NotRequired[str]
    hypotheses: NotRequired[HypothesesRequest]
    translated_texts: NotRequired[dict[str, TextsRequest]]


CampaignState: TypeAlias = Literal['draft', 'locked', 'open', 'paused', 'closed', 'archived']


class CampaignTask(TypedDict):
    """A task with the texts it shows, and the assignments of its annotators."""

    id: int
    round: str
    round_number: int
    number: int
    sources: list[SourceText]
    units: list[ShownUnit]
    assignments: list[Assignment]


class CampaignTexts(TypedDict):
    """A campaign with the texts that its annotators read before they begin."""

    uuid: str
    title: str
    state: NotRequired[CampaignState]
    label: str
    contact: NotRequired[str]
    introduction: str
    consent: str
    consent_digest: str
    agreed: bool
    guideline: str
    decisions: str


class CampaignsEnrolmentsListQuery(TypedDict):
    """Query: List the annotators of a campaign with their progress."""

    excluded: NotRequired[bool]
    invitation: NotRequired[float]
    label: NotRequired[str]
    limit: NotRequired[int]


class CampaignsHistoryListQuery(TypedDict):
    """Query: List what was done in a campaign."""

    act: NotRequired[Literal['account.made', 'account.rights', 'adjudication.named', 'adjudication.settled', 'annotator.author', 'annotator.declined', 'annotator.erased', 'annotator.excluded', 'annotator.readmitted', 'annotator.seat', 'annotators.forgotten', 'campaign.agreement', 'campaign.archived', 'campaign.closed', 'campaign.copied', 'campaign.deviation', 'campaign.discarded', 'campaign.draws', 'campaign.locked', 'campaign.made', 'campaign.open', 'campaign.paused', 'campaign.reproduction', 'check.gold', 'check.retired', 'crowd.changed', 'crowd.left', 'dataset.degraded', 'dataset.deleted', 'dataset.ended', 'dataset.handed_over', 'dataset.scores', 'dataset.shared', 'dataset.systems', 'dry_run.made', 'dry_run.removed', 'exercise.added', 'exercise.key', 'exercise.removed', 'exit_form.changed', 'export', 'file.added', 'file.ids', 'file.taken_back', 'guideline.decided', 'key.made', 'key.revoked', 'link.made', 'link.revoked', 'link.undone', 'llm_judge.added', 'llm_judge.asked', 'llm_judge.removed', 'log_in', 'log_in.failed', 'log_out.everywhere', 'password.changed', 'password.link', 'places.reopened', 'role.given', 'role.taken', 'round.closed', 'round.opened', 'site.backup', 'site.key', 'site.restored', 'two_factor.off', 'two_factor.on', 'two_factor.recovery', 'webhook.added', 'webhook.changed', 'webhook.deleted']]
    limit: NotRequired[int]
    since: NotRequired[datetime]
    until: NotRequired[datetime]
    who: NotRequired[str]


class CampaignsListQuery(TypedDict):
    """Query: List the campaigns that you manage or analyse."""

    dataset: NotRequired[float]
    limit: NotRequired[int]
    origin: NotRequired[Literal['imported', 'judged', 'simulated']]
    protocol: NotRequired[str]
    state: NotRequired[Literal['archived', 'closed', 'draft', 'locked', 'open', 'paused']]
    title: NotRequired[str]


class CampaignsLlmJudgesListQuery(TypedDict):
    """Query: List the LLM judges of a campaign."""

    limit: NotRequired[int]
    model: NotRequired[str]
    name: NotRequired[str]


class CampaignsRunsListQuery(TypedDict):
    """Query: List the runs of a campaign, the newest first."""

    limit: NotRequired[int]
    number: NotRequired[int]
    state: NotRequired[Literal['cancelled', 'done', 'failed', 'queued', 'running']]


class CampaignsTasksListQuery(TypedDict):
    """Query: List the tasks of a campaign with their texts and assignments."""

    annotator: NotRequired[str]
    limit: NotRequired[int]
    number: NotRequired[int]
    round: NotRequired[Literal['calibration', 'main', 'pilot', 'training']]
    state: NotRequired[Literal['extra', 'held', 'open', 'released', 'submitted']]


class CampaignsWebhooksDeliveriesListQuery(TypedDict):
    """Query: List the deliveries of a webhook, the newest first."""

    event: NotRequired[str]
    limit: NotRequired[int]
    state: NotRequired[Literal['delivered', 'failed', 'waiting']]


class ChangedSystemRequest(TypedDict):
    """The changes of one system: a name, a kind, or the subset that its questions come from."""

    id: int
    name: NotRequired[str]
    kind: NotRequired[SystemKind]
    subset: NotRequired[str]


class Chosen(TypedDict):
    """A selection, and how many questions and sources it contains."""

    systems: NotRequired[list[str]]
    columns: NotRequired[dict[str, list[str]]]
    list: NotRequired[list[list[str]]]
    sample: NotRequired[Sample]
    questions: int
    out_of: int
    sources: int


class Claim(TypedDict):
    """The outcome of a claim: a task; none now, because other annotators hold the last ones; or
    nothing more to do. Training and qualification are done on the page at `url`."""

    outcome: ClaimOutcomeEnum
    task: Task | None
    held_by_others: int | None
    url: str | None


ClaimOutcomeEnum: TypeAlias = Literal['task', 'none_now', 'finished', 'closed', 'training', 'qualification']


class Column(TypedDict):
    """What one column is. `name` is the criterion of ratings, the system of `question_of`, or
    the name under which a score is stored; `rater` is the one rater of a column of ratings,
    blank if another column names the raters. `round` counts the ratings that one rater gave on
    one criterion in several columns. `why` is the reason of a proposal, which pages show;
    `is_direction_guessed` says that nothing in the file shows the direction, so that the check
    asks about it."""

    role: NotRequired[Literal['question', 'passage', 'sentence', 'answer', 'answer_start', 'target_type', 'modality', 'language', 'source_id', 'system', 'position', 'key', 'question_type', 'submitted_answer', 'rater', 'criterion', 'value', 'note', 'mark', 'mark_start', 'mark_end', 'mark_text', '', 'reference', 'question_of', 'ratings', 'llm_judge', 'ask', 'metric', 'human_mean', 'metadata', 'source_metadata', 'rating_metadata']]
    name: NotRequired[str]
    rater: NotRequired[str]
    round: NotRequired[int]
    direction: NotRequired[ColumnDirectionEnum | BlankEnum]
    is_direction_guessed: NotRequired[bool]
    scale: NotRequired[ColumnScaleEnum]
    why: NotRequired[str]


ColumnDirectionEnum: TypeAlias = Literal['higher', 'lower']


ColumnRole: TypeAlias = Literal['question', 'passage', 'sentence', 'answer', 'answer_start', 'target_type', 'modality', 'language', 'source_id', 'system', 'position', 'key', 'question_type', 'submitted_answer', 'rater', 'criterion', 'value', 'note', 'mark', 'mark_start', 'mark_end', 'mark_text', '', 'reference', 'question_of', 'ratings', 'llm_judge', 'ask', 'metric', 'human_mean', 'metadata', 'source_metadata', 'rating_metadata']


ColumnScaleEnum: TypeAlias = Literal['none', 'fraction', 'percent']


class Control(TypedDict):
    """A criterion that is asked about a question or a set of questions."""

    name: str
    criterion: str
    title: str
    prompt: str
    definition: str
    required: bool
    open: bool
    value: int | None
    forced_because: str
    points: list[Point]


class CriterionSoFar(TypedDict):
    """The ratings on a criterion so far, and the annotators' agreement."""

    criterion: str
    values: dict[str, int]
    alpha: Alpha | None
    alpha_over_time: list[AlphaMoment]


class Dataset(TypedDict):
    """A dataset, with how much it holds."""

    id: int
    name: str
    licence: NotRequired[str]
    language: NotRequired[str]
    owner: str
    sources: int
    systems: int
    questions: int
    quarantined: int
    created_at: datetime


class DatasetOptions(TypedDict):
    """A new dataset; with `rows`, a job adds them under the roles that are proposed for their
    columns. A larger table is uploaded as a file."""

    licence: NotRequired[str]
    language: NotRequired[str]


class DatasetsFilesListQuery(TypedDict):
    """Query: List the files of a dataset."""

    limit: NotRequired[int]
    state: NotRequired[Literal['added', 'taken_back', 'waiting']]


class DatasetsItemsListQuery(TypedDict):
    """Query: List the items of a dataset: questions, and sets as a whole."""

    language: NotRequired[str]
    limit: NotRequired[int]
    modality: NotRequired[str]
    source_id: NotRequired[str]
    system: NotRequired[str]
    target_type: NotRequired[str]


class DatasetsListQuery(TypedDict):
    """Query: List your datasets, shared ones, and those of your campaigns."""

    language: NotRequired[str]
    limit: NotRequired[int]
    name: NotRequired[str]
    owner: NotRequired[str]


DelimiterEnum: TypeAlias = Literal[',', ';', '\t', '|', '^']


class Delivery(TypedDict):
    """A message to a webhook, and its result. `id` is its header `webhook-id`."""

    id: str
    event: str
    data: Any
    state: NotRequired[DeliveryStateEnum]
    attempts: NotRequired[int]
    status: NotRequired[int | None]
    problem: NotRequired[str]
    created_at: datetime
    next_attempt_at: datetime
    delivered_at: NotRequired[datetime | None]


DeliveryStateEnum: TypeAlias = Literal['waiting', 'delivered', 'failed']


DesignEnum: TypeAlias = Literal['sources', 'sources+systems', 'sources+annotators', 'sources+systems+annotators']


class Deviation(TypedDict):
    """A change after the plan was locked."""

    id: int
    what: str
    before: NotRequired[str]
    after: NotRequired[str]
    reason: NotRequired[str]
    made_by: str
    made_at: datetime


class DisputedItem(TypedDict):
    """An item with the mean squared distance of two annotators, from 0 to 1."""

    item: int
    source_id: str
    disagreement: float


class DocumentProblem(TypedDict):
    """A fault of a document, with its line and key."""

    line: int | None
    key: str
    reason: str


class DocumentRequest(TypedDict):
    """A protocol as a document or as YAML."""

    document: NotRequired[dict[str, Any]]
    yaml: NotRequired[str]


class DryRun(TypedDict):
    """A dry run: the copy of the campaign that simulated annotators judged, and what was
    assumed of them."""

    number: int
    copy: str
    settings: dict[str, Any]


class Enrolment(TypedDict):
    """An annotator of a campaign by their label, with their progress in the main round.
    Managers who judge in a campaign with checks do not see their own progress."""

    id: int
    label: str
    invitation: int | None
    seat: NotRequired[int | None]
    is_excluded: bool
    exclusions: list[Exclusion]
    submitted: int | None
    held: int | None
    active_seconds: float | None
    consented_at: NotRequired[datetime | None]
    trained_at: NotRequired[datetime | None]
    qualified_at: NotRequired[datetime | None]
    stopped_at: datetime | None
    created_at: datetime


class Estimate(TypedDict):
    """The calls, tokens and cost of asking a judge, estimated from the lengths of texts; and
    the prompt."""

    prompt: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: str
    example: str


class Event(TypedDict):
    """An act of a user who manages; `about`, `before` and `after` name accounts by number."""

    id: int
    at: datetime
    account: int | None
    who: str | None
    act: str
    about: str
    before: str
    after: str


EventsEnum: TypeAlias = Literal['campaign.state', 'task.submitted', 'target.reached', 'run.finished']


class Exclusion(TypedDict):
    """An exclusion of an annotator from the analysis, lifted or not."""

    reason: str
    excluded_by: str
    excluded_at: datetime
    lifted_at: NotRequired[datetime | None]


class ExclusionRules(TypedDict):
    """The exclusion rules of a campaign in words, and the annotators they propose now."""

    rules: list[str]
    proposals: list[ProposedExclusion]


class Fact(TypedDict):
    """A piece of information about a question that the annotator sees."""

    name: str
    text: str


class File(TypedDict):
    """A file of a dataset. Nothing of it is in the dataset before its state is `added`."""

    number: int
    name: str
    size: int
    sha256: str
    state: NotRequired[FileState]
    added_by: str
    protocol: int | None
    campaign: str | None
    has_roles: bool
    is_previewed: bool
    uploaded_at: datetime
    added_at: NotRequired[datetime | None]
    taken_back_at: NotRequired[datetime | None]


class FileJob(TypedDict):
    """A job about one file."""

    id: str
    url: str
    kind: str
    state: NotRequired[JobState]
    done: NotRequired[int]
    total: NotRequired[int]
    message: NotRequired[str]
    error: NotRequired[str]
    dataset: int | None
    campaign: str | None
    created_at: datetime
    file: int


FileState: TypeAlias = Literal['waiting', 'added', 'taken_back']


class Flag(TypedDict):
    """A sign that a manager should check; `own` and `others` are seconds or shares."""

    reason: str
    criterion: str
    own: float
    others: float | None
    n: int


class Forecast(TypedDict):
    """When the last assignment is submitted at the pace so far, with the 95% interval."""

    expected_at: datetime
    earliest: datetime
    latest: datetime | None


class Group(TypedDict):
    """Questions that are shown together, with what is asked about them as a set."""

    title: str
    questions: list[ShownQuestion]
    controls: list[Control]


class Highlight(TypedDict):
    """A range of the passage that the page highlights."""

    start: int
    end: int
    kind: HighlightKindEnum


HighlightKindEnum: TypeAlias = Literal['sentence', 'mark', 'sentence_mark']


class HypothesesRequest(TypedDict):
    """A plan's declarations about tests."""

    primary: NotRequired[list[PrimaryHypothesisRequest]]
    level: NotRequired[float]
    multiplicity: NotRequired[MultiplicityEnum]
    margins: NotRequired[dict[str, MarginRequest]]
    corrected_together: NotRequired[list[str]]


class Invitation(TypedDict):
    """A link by which annotators join. Managers of the campaign see the link itself."""

    id: int
    label: NotRequired[str]
    places: NotRequired[int | None]
    joined: int
    link: str | None
    token: str | None
    expires_at: NotRequired[datetime | None]
    revoked_at: NotRequired[datetime | None]
    created_at: datetime


class Item(TypedDict):
    """A question with its source; without `question`, one that the system did not return;
    without `position`, a set as a whole. For a user who still judges the dataset, only the
    source is filled."""

    item: int | None
    source_id: str
    system: str | None
    position: NotRequired[int | None]
    question_id: NotRequired[str | None]
    question: NotRequired[str | None]
    question_type: NotRequired[str | None]
    submitted_answer: NotRequired[str | None]
    attributes: dict[str, str] | None
    passage: NotRequired[str | None]
    sentence: str
    answer: str
    answer_start: int | None
    target_type: str
    modality: str
    language: str
    references: list[str] | None


ItemsEnum: TypeAlias = Literal['own', 'common']


class Job(TypedDict):
    """A job: its state, how far it is, and why it failed."""

    id: str
    url: str
    kind: str
    state: NotRequired[JobState]
    done: NotRequired[int]
    total: NotRequired[int]
    message: NotRequired[str]
    error: NotRequired[str]
    dataset: int | None
    campaign: str | None
    created_at: datetime


JobState: TypeAlias = Literal['queued', 'running', 'done', 'failed', 'cancelled']


class JobsListQuery(TypedDict):
    """Query: List the jobs of your datasets and campaigns."""

    campaign: NotRequired[str]
    dataset: NotRequired[float]
    kind: NotRequired[str]
    limit: NotRequired[int]
    state: NotRequired[Literal['cancelled', 'done', 'failed', 'queued', 'running']]


class Joined(TypedDict):
    """The label of the annotator who joined, and their token for the API. It is shown once."""

    campaign: str
    label: str
    token: str
    personal_link: str


class JudgeOptions(TypedDict):
    """A new LLM judge with its verdicts: a `file` in any format that the page takes, or
    `verdicts`, one object for each question with its `item` and a value for each criterion."""

    name: str
    model: str
    version: NotRequired[str]
    temperature: NotRequired[float | None]
    judged_on: NotRequired[date | None]
    cost: NotRequired[str | None]
    currency: NotRequired[str]
    prompt: NotRequired[str]
    own_systems: NotRequired[list[str]]


class Judgment(TypedDict):
    """A judgment with the text of its question. Annotators are named by their labels."""

    id: int
    item: int
    source_id: str
    system: str
    position: int | None
    question: NotRequired[str | None]
    annotator: str
    criterion: str
    value: int
    origin: str
    cause: NotRequired[str]
    revision: NotRequired[int]
    round: str
    round_number: int
    state: str
    excluded: bool
    created_at: datetime
    first_shown_at: NotRequired[datetime | None]
    answered_at: NotRequired[datetime | None]
    instruction_language: str
    view: str
    device: str
    input: str
    keywords: str
    review: str


class JudgmentFilters(TypedDict):
    """Query: List the current judgments of a campaign."""

    annotator: NotRequired[str]
    criterion: NotRequired[str]
    extras: NotRequired[bool]
    round: NotRequired[Literal['calibration', 'checks', 'main', 'pilot', 'training']]
    source_id: NotRequired[str]
    system: NotRequired[str]
    trials: NotRequired[bool]
    value: NotRequired[int]


class LlmJudge(TypedDict):
    """An LLM judge, with how many verdicts it gave. Users who judge the dataset see no
    problems."""

    id: int
    name: str
    model: str
    version: NotRequired[str]
    temperature: NotRequired[float | None]
    judged_on: NotRequired[date | None]
    cost: NotRequired[str | None]
    currency: NotRequired[str]
    prompt: NotRequired[str]
    prompt_sha256: NotRequired[str]
    own_systems: NotRequired[Any]
    file_name: NotRequired[str]
    verdicts: int
    refused: int
    problems: list[str]
    created_at: datetime


class MadeInvitation(TypedDict):
    """A new link by which annotators join."""

    id: int
    label: NotRequired[str]
    places: NotRequired[int | None]
    joined: int
    link: NotRequired[str]
    token: NotRequired[str]
    expires_at: NotRequired[datetime | None]
    revoked_at: NotRequired[datetime | None]
    created_at: datetime
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

    recipe: NotRequired[str]
    sheets: NotRequired[list[str]]
    encoding: NotRequired[str]
    delimiter: NotRequired[DelimiterEnum | BlankEnum]
    quoted: NotRequired[bool | None]
    header: NotRequired[bool | None]
    skip: NotRequired[int | None]
    as_is: NotRequired[list[AsIsEnum]]
    repairs: NotRequired[list[RepairsEnum]]
    columns: NotRequired[dict[str, Column]]
    system: NotRequired[str]
    rater: NotRequired[str]
    modality: NotRequired[str]
    expected: NotRequired[int | None]
    crossed: NotRequired[bool]
    repeats: NotRequired[RepeatsEnum | BlankEnum]
    blanks: NotRequired[list[str]]
    numbers: NotRequired[NumbersEnum]
    points: NotRequired[dict[str, dict[str, str]]]
    raters: NotRequired[dict[str, Literal['annotator', 'llm_judge', 'exclude', 'ask']]]
    one_spelling: NotRequired[bool]
    exclude_rows: NotRequired[dict[str, list[str]]]
    starts: NotRequired[dict[str, int]]
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

    recipe: NotRequired[str]
    sheets: NotRequired[list[str]]
    encoding: NotRequired[str]
    delimiter: NotRequired[DelimiterEnum | BlankEnum]
    quoted: NotRequired[bool | None]
    header: NotRequired[bool | None]
    skip: NotRequired[int | None]
    as_is: NotRequired[list[AsIsEnum]]
    repairs: NotRequired[list[RepairsEnum]]
    columns: NotRequired[dict[str, Column]]
    system: NotRequired[str]
    rater: NotRequired[str]
    modality: NotRequired[str]
    expected: NotRequired[int | None]
    crossed: NotRequired[bool]
    repeats: NotRequired[RepeatsEnum | BlankEnum]
    blanks: NotRequired[list[str]]
    numbers: NotRequired[NumbersEnum]
    points: NotRequired[dict[str, dict[str, str]]]
    raters: NotRequired[dict[str, Literal['annotator', 'llm_judge', 'exclude', 'ask']]]
    one_spelling: NotRequired[bool]
    exclude_rows: NotRequired[dict[str, list[str]]]
    starts: NotRequired[dict[str, int]]
    first_start: NotRequired[bool]


class MarginRequest(TypedDict):
    """The largest difference of two means without practical meaning."""

    points: float
    reason: str


class MarkControl(TypedDict):
    """The spans to be marked in the passage for one question."""

    name: str
    prompt: str
    required: bool
    open: bool
    nothing: bool
    ranges: list[ShownRange]


class MarkedRequest(TypedDict):
    """The ranges that are marked, or that nothing in the passage answers the question."""

    ranges: NotRequired[list[RangeRequest]]
    nothing: NotRequired[bool]


class Me(TypedDict):
    """The user, what they may do, and the scope of the token."""

    id: int
    username: str
    email: NotRequired[str]
    may_create_campaigns: bool
    scope: str


MetricLevelEnum: TypeAlias = Literal['pooled', 'within_source', 'systems']


MixedModelEnum: TypeAlias = Literal['quick', 'always', 'never']


MultiplicityEnum: TypeAlias = Literal['holm', 'in_order']


class NewDryRunRequest(TypedDict):
    """Settings of the simulated annotators. Omitted fields have the defaults of the page;
    shares are in per cent."""

    gap: NotRequired[int]
    design: NotRequired[str]
    annotators: NotRequired[int]
    severity: NotRequired[int]
    noise: NotRequired[int]
    question: NotRequired[int]
    careless: NotRequired[int]
    hurry: NotRequired[int]
    seconds: NotRequired[float]
    seconds_spread: NotRequired[float]
    pace_spread: NotRequired[float]
    knows: NotRequired[int]
    knows_spread: NotRequired[int]
    wary: NotRequired[int]
    seed: NotRequired[int]


class NewInvitationRequest(TypedDict):
    """A new link; without `expires_at` it is valid for two weeks."""

    label: NotRequired[str]
    places: NotRequired[int]
    expires_at: NotRequired[datetime]


class NewPowerAnalysisRequest(TypedDict):
    """Settings of a power analysis. Omitted fields have the defaults of the page."""

    variances: NotRequired[str]
    difference: NotRequired[float]
    annotators: NotRequired[int]
    power: NotRequired[float]
    level: NotRequired[float]
    comparisons: NotRequired[int]


NewRoundKindEnum: TypeAlias = Literal['calibration', 'pilot']


class NewRoundRequest(TypedDict):
    """A pilot or calibration round on sources drawn for it."""

    kind: NewRoundKindEnum
    size: int
    annotators: int
    apart: NotRequired[bool]


class NewRunRequest(TypedDict):
    """Settings of a run. Omitted fields have the defaults of the page; by default the metrics
    are those that can be computed on the dataset."""

    name: NotRequired[str]
    seed: NotRequired[int]
    resamples: NotRequired[int]
    design: NotRequired[DesignEnum]
    clusters: NotRequired[str]
    metrics: NotRequired[list[str]]
    prepare_hypothesis: NotRequired[str]
    prepare_reference: NotRequired[str]
    metric_level: NotRequired[MetricLevelEnum]
    items: NotRequired[ItemsEnum]
    further: NotRequired[list[str]]
    slices: NotRequired[list[str]]
    mixed_model: NotRequired[MixedModelEnum]
    reading: NotRequired[ReadingEnum]
    with_excluded: NotRequired[bool]
    extras: NotRequired[bool]
    adjudicated: NotRequired[bool]
    judge_epsilon: NotRequired[float]
    without_systems: NotRequired[list[str]]
    without_criteria: NotRequired[list[str]]
    without_metrics: NotRequired[list[str]]
    without_annotators: NotRequired[list[str]]


class NewWebhookRequest(TypedDict):
    """A new webhook. Without `events` all are sent."""

    url: str
    events: NotRequired[list[EventsEnum]]


NumbersEnum: TypeAlias = Literal['point', 'comma', 'point_thousands', 'comma_thousands']


OrderEnum: TypeAlias = Literal['depth', 'breadth', 'panel']


OriginEnum: TypeAlias = Literal['judged', 'imported', 'simulated']


OverEnum: TypeAlias = Literal['sources', 'column', 'systems']


class Overview(TypedDict):
    """A campaign so far. Agreement, pairs, disputed items and systems are null for users who
    judge the dataset; agreement is also null until a worker has computed it."""

    counted_at: datetime
    questions: int | None
    assignments: int
    submitted: int
    held: int
    forecast: Forecast | None
    criteria: list[CriterionSoFar]
    annotators: list[AnnotatorSoFar]
    systems: list[SystemSoFar] | None
    agreement_computed_at: datetime | None
    threshold: float
    pairs: list[AnnotatorPair] | None
    disputed_items: list[DisputedItem] | None


class PatchedDatasetChangeRequest(TypedDict):
    """The name and the licence of a dataset."""

    name: NotRequired[str]
    licence: NotRequired[str]


class PatchedDesignRequest(TypedDict):
    """The design of a draft: protocol, annotators, order, lease, the texts annotators read, and
    its declared hypotheses. `hypotheses` and `translated_texts` replace the earlier ones."""

    protocol: NotRequired[int]
    title: NotRequired[str]
    annotators_per_task: NotRequired[int]
    tasks_per_annotator: NotRequired[int | None]
    order: NotRequired[OrderEnum]
    lease_minutes: NotRequired[int]
    fixed_language: NotRequired[str]
    fixed_view: NotRequired[View | BlankEnum]
    review_before_submit: NotRequired[bool]
    review_is_optional: NotRequired[bool]
    highlight_keywords: NotRequired[bool]
    time_zone: NotRequired[str]
    text_language: NotRequired[str]
    introduction: NotRequired[str]
    pay: NotRequired[str]
    consent: NotRequired[str]
    contact: NotRequired[str]
    ethics: NotRequired[str]
    withdrawal: NotRequired[bool]
    retention_days: NotRequired[int | None]
    analysis_plan: NotRequired[str]
    sample_reason: NotRequired[str]
    hypotheses: NotRequired[HypothesesRequest]
    translated_texts: NotRequired[dict[str, TextsRequest]]


class PatchedWebhookRequest(TypedDict):
    """An address to which events of a campaign are sent."""

    url: NotRequired[str]
    events: NotRequired[list[EventsEnum]]
    is_active: NotRequired[bool]


class Point(TypedDict):
    """A point of a scale."""

    value: int
    label: str
    description: str
    missing: bool


class PowerAnalysis(TypedDict):
    """A power analysis: its job, what was asked, and what was found once the job is done."""

    id: str
    url: str
    kind: str
    state: NotRequired[JobState]
    done: NotRequired[int]
    total: NotRequired[int]
    message: NotRequired[str]
    error: NotRequired[str]
    dataset: int | None
    campaign: str | None
    created_at: datetime
    parameters: dict[str, Any]
    result: dict[str, Any]


class Preview(TypedDict):
    """What a file would add, according to its last preview."""

    summary: str
    surprises: list[str]
    accepted: bool
    mostly_new: str
    expected: dict[str, int]
    tiers: dict[str, int]
    examples: dict[str, Any]
    obstacles: list[str]
    named: list[str]
    votes: NotRequired[list[dict[str, Any]]]
    refused: list[dict[str, Any]]
    refused_count: int


PrimaryHypothesisDirectionEnum: TypeAlias = Literal['two_sided', 'greater', 'non_inferior']


class PrimaryHypothesisRequest(TypedDict):
    """A hypothesis about two systems; or, if `metric_level` names a level, about Spearman's
    correlation of one metric or of two with the human ratings."""

    criterion: str
    first: str
    second: NotRequired[str]
    direction: NotRequired[PrimaryHypothesisDirectionEnum]
    metric_level: NotRequired[MetricLevelEnum | BlankEnum]


class Progress(TypedDict):
    """How many tasks the annotator has submitted, and how many there are; null if too many to
    count."""

    done: int
    total: int | None
    current: int | None


class Proposal(TypedDict):
    """What a file holds under its mapping. Columns without a decision have proposed roles."""

    mapping: Mapping
    protocol: NotRequired[int | None]
    header: list[str]
    columns: list[dict[str, Any]]
    rows: list[Any]
    sheets: list[str]
    sentences: list[str]
    offers: list[str]
    summary: str
    criteria: dict[str, Any]
    scales: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    surprises: list[str]
    obstacles: list[str]
    problems: list[dict[str, Any]]


class ProposedExclusion(TypedDict):
    """An annotator whom rules propose for exclusion."""

    enrolment: int
    label: str
    reason: str


class Protocol(TypedDict):
    """A version of a protocol. It never changes."""

    id: int
    key: str
    version: str
    title: str
    task: TaskEnum
    digest: str
    owner: NotRequired[str | None]
    created_at: datetime


class ProtocolsListQuery(TypedDict):
    """Query: List the shipped protocols, your own, and those of your campaigns."""

    key: NotRequired[str]
    limit: NotRequired[int]
    owner: NotRequired[str]
    shipped: NotRequired[bool]
    task: NotRequired[Literal['question_set', 'source', 'unit']]
    version: NotRequired[str]


class Quality(TypedDict):
    """Checks between tasks, thresholds of flags, and exclusion rules. A rule that is null or
    false proposes no annotator."""

    least_values: NotRequired[int]
    fastest: NotRequired[float]
    faster_than_others: NotRequired[float]
    same_share: NotRequired[float]
    longest_run: NotRequired[int]
    least_gold: NotRequired[float]
    least_same: NotRequired[float]
    repeats: NotRequired[int]
    gold: NotRequired[int]
    degraded: NotRequired[int]
    gap: NotRequired[int]
    exclude_speed: NotRequired[bool]
    exclude_same: NotRequired[bool]
    exclude_gold: NotRequired[int | None]
    exclude_gold_of: NotRequired[int | None]
    exclude_repeats: NotRequired[float | None]
    exclude_degraded: NotRequired[bool]


class QualityRequest(TypedDict):
    """Checks between tasks, thresholds of flags, and exclusion rules. A rule that is null or
    false proposes no annotator."""

    least_values: NotRequired[int]
    fastest: NotRequired[float]
    faster_than_others: NotRequired[float]
    same_share: NotRequired[float]
    longest_run: NotRequired[int]
    least_gold: NotRequired[float]
    least_same: NotRequired[float]
    repeats: NotRequired[int]
    gold: NotRequired[int]
    degraded: NotRequired[int]
    gap: NotRequired[int]
    exclude_speed: NotRequired[bool]
    exclude_same: NotRequired[bool]
    exclude_gold: NotRequired[int | None]
    exclude_gold_of: NotRequired[int | None]
    exclude_repeats: NotRequired[float | None]
    exclude_degraded: NotRequired[bool]


class RangeRequest(TypedDict):
    """A range of a passage, in code points; `end` is behind the last one."""

    start: int
    end: int


ReadingEnum: TypeAlias = Literal['as_released', 'by_protocol']


RepairsEnum: TypeAlias = Literal['entities', 'mojibake']


RepeatsEnum: TypeAlias = Literal['questions', 'ratings', 'mistakes']


class Report(TypedDict):
    """A problem that the annotator reports with a question."""

    name: str
    text: str


class Round(TypedDict):
    """A round of a campaign, with how many of its assignments were submitted."""

    id: int
    kind: NotRequired[RoundKindEnum]
    number: NotRequired[int]
    annotators: int
    apart: NotRequired[bool]
    opened_at: NotRequired[datetime | None]
    closed_at: NotRequired[datetime | None]
    assignments: int
    submitted: int


RoundKindEnum: TypeAlias = Literal['main', 'pilot', 'calibration', 'training', 'checks']


class Run(TypedDict):
    """A run: how it was made, and the state of its job."""

    number: int
    url: str
    name: str
    origin: str
    job: str
    state: JobState
    done: int
    total: int
    message: str
    error: str
    seed: NotRequired[int]
    parameters: dict[str, Any]
    versions: dict[str, str]
    input_sha256: NotRequired[str]
    created_at: datetime


class RunJob(TypedDict):
    """The job of a run."""

    id: str
    url: str
    kind: str
    state: NotRequired[JobState]
    done: NotRequired[int]
    total: NotRequired[int]
    message: NotRequired[str]
    error: NotRequired[str]
    dataset: int | None
    campaign: str | None
    created_at: datetime
    run: int


class Sample(TypedDict):
    """How many sources are drawn: in all, from each value of a column, or for each system."""

    size: int
    seed: int
    over: NotRequired[OverEnum]
    column: NotRequired[str]
    each: NotRequired[bool]


class SampleRequest(TypedDict):
    """How many sources are drawn: in all, from each value of a column, or for each system."""

    size: int
    seed: int
    over: NotRequired[OverEnum]
    column: NotRequired[str]
    each: NotRequired[bool]


class Saved(TypedDict):
    """The sequence number under which the draft was saved."""

    sequence: int


class ScoringOptions(TypedDict):
    """The metrics to compute, with their settings by metric."""

    settings: NotRequired[dict[str, dict[str, Any]]]
    prepare_hypothesis: NotRequired[str]
    prepare_reference: NotRequired[str]


class SecretWebhook(TypedDict):
    """A webhook with its new secret, which is not shown again."""

    id: int
    url: str
    events: list[EventsEnum]
    is_active: NotRequired[bool]
    created_at: datetime
    secret: NotRequired[str]
    code: NotRequired[str]


class SelectionRequest(TypedDict):
    """The part of the dataset that is judged; without a choice, all of it."""

    systems: NotRequired[list[str]]
    columns: NotRequired[dict[str, list[str]]]
    list: NotRequired[list[list[str]]]
    sample: NotRequired[SampleRequest]


class ShownQuestion(TypedDict):
    """A question in the place where it is shown; `text` is null if the system returned none."""

    letter: str
    text: str | None
    about: list[Fact]
    controls: list[Control]
    mark: MarkControl | None
    report: Report | None


class ShownRange(TypedDict):
    """A range of a passage, in code points."""

    start: int
    end: int


class ShownSource(TypedDict):
    """The source of the questions, as far as the open stage shows it."""

    passage: str
    highlights: list[Highlight]
    sentence: str
    answer: str
    target_type: str
    modality: str
    language: str


class ShownUnit(TypedDict):
    """A question of a task, or a set as a whole, which has neither position nor text."""

    item: int
    source_id: str
    system: str
    position: int | None
    question: NotRequired[str | None]


class SourceText(TypedDict):
    """The input of the systems."""

    source_id: str
    passage: NotRequired[str | None]
    sentence: str
    answer: str
    target_type: str
    modality: str


class Stage(TypedDict):
    """The open stage of the task."""

    key: str
    title: str
    number: int
    of: int


class Submitted(TypedDict):
    """The state of the task, and the next one, which the annotator holds now."""

    state: AssignmentState
    next: str | None


class System(TypedDict):
    """A system, with its numbers of returned and of missing questions."""

    id: int
    name: str
    kind: NotRequired[SystemKind]
    questions: int
    missing: int
    duplicates: int


class SystemChange(TypedDict):
    """A change of a dataset's systems. For merged systems, `after` is the name that remains."""

    id: int
    what: SystemChangeWhatEnum
    before: str
    after: str
    made_by: str
    made_at: datetime
    undone_at: NotRequired[datetime | None]


SystemChangeWhatEnum: TypeAlias = Literal['renamed', 'marked', 'merged', 'split']


class SystemChangesRequest(TypedDict):
    """Changes that are made together. Systems that get the same name are merged."""

    systems: list[ChangedSystemRequest]
    reason: NotRequired[str]


SystemKind: TypeAlias = Literal['model', 'human', 'degradation']


class SystemSoFar(TypedDict):
    """The judged units of a system, with the range over annotators."""

    system: str
    judged: int
    fewest: int
    most: int


class Task(TypedDict):
    """A task as the judging page shows it, with the draft so far."""

    id: str
    url: str
    campaign: str
    state: AssignmentState
    leased_until: NotRequired[datetime | None]
    submitted_at: datetime | None
    token: str
    sequence: int
    note: str
    stage: Stage | None
    progress: Progress
    source: ShownSource | None
    groups: list[Group]


TaskEnum: TypeAlias = Literal['source', 'question_set', 'unit']


class TextsRequest(TypedDict):
    """Texts that annotators read, in another language than the campaign's."""

    introduction: NotRequired[str]
    pay: NotRequired[str]
    consent: NotRequired[str]


class Validation(TypedDict):
    """Whether a document is a valid protocol, with its problems and warnings."""

    is_valid: bool
    problems: list[DocumentProblem]
    warnings: list[DocumentProblem]


View: TypeAlias = Literal['focus', 'list']


ViewOrBlank: TypeAlias = Literal['focus', 'list']


class Webhook(TypedDict):
    """An address to which events of a campaign are sent."""

    id: int
    url: str
    events: list[EventsEnum]
    is_active: NotRequired[bool]
    created_at: datetime


class WholeCampaign(TypedDict):
    """A campaign with its texts and the other parts of its plan."""

    uuid: str
    title: str
    state: CampaignState
    origin: OriginEnum
    dataset: int
    dataset_name: str
    protocol: int
    protocol_key: str
    protocol_version: str
    annotators_per_task: int
    tasks_per_annotator: int | None
    order: OrderEnum
    lease_minutes: int
    fixed_language: str
    fixed_view: ViewOrBlank | BlankEnum
    review_before_submit: bool
    review_is_optional: bool
    highlight_keywords: bool
    time_zone: str
    text_language: str
    pay: str
    contact: str
    ethics: str
    withdrawal: bool
    retention_days: int | None
    reproduces: str | None
    locked_digest: str
    created_by: str
    created_at: datetime
    locked_at: datetime | None
    closed_at: datetime | None
    assignments: int
    submitted: int
    held: int
    introduction: str
    consent: str
    analysis_plan: str
    sample_reason: str
    translated_texts: Any
    hypotheses: Any
    selection: Any
    quality: Any
    rate: Any
    locked: dict[str, Any] | None


class WholeDryRun(TypedDict):
    """A dry run with what it found."""

    number: int
    copy: str
    settings: dict[str, Any]
    outcome: dict[str, Any]


class WholeProtocol(TypedDict):
    """A version of a protocol with its document."""

    id: int
    key: str
    version: str
    title: str
    task: TaskEnum
    digest: str
    owner: NotRequired[str | None]
    created_at: datetime
    document: dict[str, Any]


class WholeRun(TypedDict):
    """A run, with the names of its tables and figures."""

    number: int
    url: str
    name: str
    origin: str
    job: str
    state: JobState
    done: int
    total: int
    message: str
    error: str
    seed: NotRequired[int]
    parameters: dict[str, Any]
    versions: dict[str, str]
    input_sha256: NotRequired[str]
    created_at: datetime
    tables: list[str]
    figures: list[str]


QUALITY_DEFAULTS: dict[str, Any] = {'least_values': 12, 'fastest': 0.5, 'faster_than_others': 4.0, 'same_share': 0.95, 'longest_run': 20, 'least_gold': 0.67, 'least_same': 0.6, 'repeats': 0, 'gold': 0, 'degraded': 0, 'gap': 20, 'exclude_speed': False, 'exclude_same': False, 'exclude_gold': None, 'exclude_gold_of': None, 'exclude_repeats': None, 'exclude_degraded': False}


SAMPLE_DEFAULTS: dict[str, Any] = {'over': 'sources', 'column': '', 'each': False}
