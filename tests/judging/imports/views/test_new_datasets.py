import pytest
from django.urls import reverse

from judging.actions import rubrics
from judging.models import AddedFile, Campaign, Collection, Judgment, Quarantine, Question, User
from judging.protocols import documents
from tests import factories, shared_data
from tests.judging.imports.formats.test_workbook import of_sheets
from tests.judging.studies import QUESTIONS
from tests.judging.views.importing import added_by, at, form_of, imported, mapped, send, sent, use

pytestmark = pytest.mark.django_db


def test_a_new_dataset_keeps_the_file_for_its_owner(page, owner):
    answer = send(page, QUESTIONS)

    added = AddedFile.objects.get()
    assert (added.collection.owner, added.name, added.state) == (owner, "canals.csv", "waiting")
    assert bytes(added.file.content) == QUESTIONS.encode()
    assert answer.url == at("columns", added)


def test_a_file_is_imported_by_its_columns_and_its_preview(page, owner):
    answer = imported(page, sent(page, licence="CC BY 4.0", language="en"))

    made = Collection.objects.get()
    assert answer.url == reverse("judging:collection", args=[made.pk])
    assert (made.name, made.owner, made.licence, made.language) == (
        "Canal towns",
        owner,
        "CC BY 4.0",
        "en",
    )
    assert made.file_name == "canals.csv"
    assert made.mapping["columns"]["question"] == "question"
    assert (made.sources.count(), made.systems.count(), Question.objects.count()) == (2, 2, 3)
    assert made.metrics.get().scale == "fraction"


def test_preview_shows_what_would_be_stored_and_stores_nothing(page):
    added = sent(page, QUESTIONS + "x,y,Alba,Why?,high,z\n")
    mapped(page, added)

    answer = page.get(at("preview", added))

    found = answer.context["found"]
    assert [(each["name"], each["returned"], each["missing"]) for each in found["per_system"]] == [
        ("Alba", 3, 0),
        ("Brisa", 1, 2),
    ]
    assert found["refused_count"] == 1
    assert "The score is not a number." in answer.text
    assert "<mark>Agnes</mark>" in answer.text
    assert '<span class="letter" aria-hidden="true">A</span>' in answer.text
    assert Question.objects.count() == 0


def test_language_of_a_dataset_is_that_of_its_first_file(page):
    arabic = 'passage,system,question\n"بنى سامي القصر.",Alba,من بنى القصر؟\n'
    imported(page, sent(page, arabic + '"بنى سامي القصر.",Brisa,\n'))

    assert Collection.objects.get().language == "ar"


def test_a_malformed_language_tag_is_refused(page):
    answer = send(page, QUESTIONS, language="not a tag")

    assert answer.status_code == 422
    assert Collection.objects.count() == 0


def test_columns_page_keeps_what_was_decided(page):
    added = sent(page)
    header = QUESTIONS.splitlines()[0]
    form = use(
        form_of(page.get(at("columns", added))), header, "Bleu_4", name="BLEU", direction="lower"
    )
    page.post(at("columns", added), form | {"expected": "2"})
    page.get(at("preview", added))

    answer = page.get(at("columns", added))

    assert answer.context["formset"][4]["name"].value() == "BLEU"
    assert answer.context["formset"][4]["direction"].value() == "lower"
    assert answer.context["form"]["expected"].value() == 2


@pytest.mark.long
def test_preview_of_a_file_that_names_no_system_asks_whose_questions_they_are(page):
    added = sent(page, "question\nWhy?\n")
    mapped(page, added)

    assert "Name their system." in page.get(at("preview", added)).text
    mapped(page, added, default_system="Alba")
    assert "Name their system." not in page.get(at("preview", added)).text


@pytest.mark.long
def test_the_same_file_in_two_datasets_is_told(page):
    imported(page, sent(page))
    first = Collection.objects.get()
    added = sent(page)
    mapped(page, added)

    shown = page.get(at("preview", added)).text

    assert "You imported this file on" in shown
    assert reverse("judging:collection", args=[first.pk]) in shown


def test_columns_shows_first_values_and_a_proposal(page):
    answer = page.get(at("columns", sent(page)))

    assert "The lock was built by Agnes." in answer.text
    uses = [each["use"].value() for each in answer.context["formset"]]
    assert uses == ["passage", "answer", "system", "question", "metric", "metadata"]


@pytest.mark.long
def test_words_for_missing_in_the_question_column_are_proposed_and_become_missing_questions(page):
    header = "passage,answer,system,question\n"
    asked = {"Alba": ("When do ravens store food?", "None"), "Brisa": ("nan", "What is stored?")}
    rows = "".join(
        f"Ravens store food in autumn {place}.,in autumn,{system},{text}\n"
        for system, texts in asked.items()
        for place, text in enumerate(texts)
    )
    upload = sent(page, header + rows)
    assert page.get(at("columns", upload)).context["form"]["missing_words"].value() == "None, nan"
    mapped(page, upload)

    shown = page.get(at("preview", upload))
    added_by(page, upload)

    assert [
        (each["name"], each["returned"], each["missing"])
        for each in shown.context["found"]["per_system"]
    ] == [("Alba", 1, 1), ("Brisa", 1, 1)]
    assert set(Question.objects.values_list("text", flat=True)) == {
        "When do ravens store food?",
        "What is stored?",
    }


ODDITY = "question,oddity,BLEU\nWhy?,0.5,0.4\nWho?,0.7,0.3\n"


def test_columns_step_metric_of_unknown_direction_is_asked_about_and_accepted_as_shown(page):
    upload = sent(page, ODDITY)

    shown = page.get(at("columns", upload))
    answer = mapped(page, upload, default_system="Alba")

    fields = {each.column: each["direction"].value() for each in shown.context["formset"]}
    assert fields["oddity"] == "higher"
    assert shown.text.count("The name does not say which is better. Check this.") == 1
    assert answer.url == at("preview", upload)
    again = page.get(at("columns", upload)).text
    assert "The name does not say" not in again, "it was chosen"


@pytest.mark.long
def test_columns_step_metric_without_direction_is_refused_beside_its_column(page):
    upload = sent(page, ODDITY)

    answer = mapped(page, upload, default_system="Alba", **{"columns-1-direction": ""})

    assert answer.status_code == 422
    assert "Say whether higher or lower is better." in answer.text


@pytest.mark.long
def test_columns_step_mean_of_people_of_unknown_direction_is_refused(page):
    upload = sent(page, "question,correctness\nWhy?,1.5\nWho?,1.7\n")

    assert mapped(page, upload, default_system="Alba").status_code == 422


def test_a_table_with_a_column_for_each_system_is_imported_as_proposed(page):
    passage = "The lock of {} was built by Agnes, who also dug the harbour and planted the limes along the towpath."
    rows = [
        f'"{passage.format(town)}",Agnes,Who built {town}?,What is in {town}?'
        for town in ("Ems", "Lek")
    ]
    upload = sent(page, "\n".join(["passage,answer,t5 question,rules question", *rows]))
    proposed = [
        (each["use"].value(), each["name"].value())
        for each in page.get(at("columns", upload)).context["formset"]
    ]
    assert proposed == [
        ("passage", None),
        ("answer", None),
        ("by_system", "t5"),
        ("by_system", "rules"),
    ]

    header = "passage,answer,t5 question,rules question"
    refused = page.post(
        at("columns", upload),
        use(form_of(page.get(at("columns", upload))), header, "t5 question", name=""),
    )
    assert refused.status_code == 422 and "Say which system it is." in refused.text
    imported(page, upload)

    asked = Question.objects.values_list("unit__question_set__system__name", "text").order_by("pk")
    assert sorted(asked) == [
        ("rules", "What is in Ems?"),
        ("rules", "What is in Lek?"),
        ("t5", "Who built Ems?"),
        ("t5", "Who built Lek?"),
    ]


@pytest.mark.long
def test_two_columns_for_one_thing_are_refused_with_both_names(page):
    upload = sent(page)
    header = QUESTIONS.splitlines()[0]
    form = use(form_of(page.get(at("columns", upload))), header, "topic", use="question")

    answer = page.post(at("columns", upload), form)

    assert answer.status_code == 422
    assert (
        "Only one column can be the generated question, not “question” and “topic”." in answer.text
    )
    assert "give each question a row of its own" in answer.text


@pytest.mark.long
@pytest.mark.parametrize(
    "tampered",
    [
        {"columns-TOTAL_FORMS": "1"},
        {"columns-TOTAL_FORMS": "x"},
        {"columns-0-use": "nonsense"},
        {"rubric": "999999"},
        {"expected": "-1"},
    ],
)
def test_tampered_columns_are_refused(page, tampered):
    assert mapped(page, sent(page), **tampered).status_code == 422


RATED = "question,system,correctness@Ann,correctness@Bo\nWhy?,Alba,1,3\nWho?,Brisa,31,2\n"


def test_the_protocol_that_has_the_ratings_criteria_is_proposed(page):
    small, _other = factories.rubric(), factories.rubric("qgeval")
    answer = page.get(at("columns", sent(page, RATED.replace("31", "1"))))
    assert answer.context["form"]["rubric"].value() == small.pk


def test_no_protocol_is_proposed_whose_scale_most_ratings_are_off(page):
    factories.rubric()
    lines = ["question,system,correctness@Ann,correctness@Bo", "Why?,Alba,4,3", "Who?,Brisa,5,4"]
    answer = page.get(at("columns", sent(page, "\n".join(lines))))
    assert answer.context["form"]["rubric"].value() is None


def test_ratings_ask_for_their_protocol(page):
    assert "choose the protocol they were given under" in mapped(page, sent(page, RATED)).text


def test_ratings_of_a_criterion_the_protocol_lacks_are_told_with_those_it_has(page):
    rubric = factories.rubric()
    text = RATED.replace("correctness", "charm")

    answer = mapped(page, sent(page, text), rubric=str(rubric.pk))

    assert answer.status_code == 422
    assert "It has no criterion “charm”; it has Grammaticality, Correctness." in answer.text


def test_ratings_become_a_campaign_and_an_impossible_value_stands_in_quarantine(page, owner):
    rubric, upload = factories.rubric(), sent(page, RATED)
    mapped(page, upload, rubric=str(rubric.pk))

    preview = page.get(at("preview", upload))
    assert "It is not on the scale of Correctness: 1, 2, 3." in preview.text
    page.post(at("add", upload), {"accepted": "on"})

    campaign = Campaign.objects.get()
    assert (campaign.title, campaign.state, campaign.rubric) == (
        "Canal towns: released ratings",
        "closed",
        rubric,
    )
    assert campaign.memberships.get().user == owner
    assert Judgment.objects.count() == 3
    assert Quarantine.objects.get().value == "31"


@pytest.mark.long
def test_a_protocol_of_somebody_else_is_no_choice(page):
    theirs = rubrics.install(document=documents.shipped("qgbench"), owner=factories.user())

    assert mapped(page, sent(page, RATED), rubric=str(theirs.pk)).status_code == 422


@pytest.mark.long
def test_another_way_of_reading_starts_the_columns_over(page):
    upload = sent(page, "question;b,system;c\nWhy?;1,Alba;2\n")
    answer = page.get(at("columns", upload))
    assert answer.context["head"].header == ("question", "b,system", "c")

    page.post(at("reading", upload), {"delimiter": ","})

    assert page.get(at("columns", upload)).context["head"].header == ("question;b", "system;c")


@pytest.mark.long
def test_sheets_of_a_workbook_are_told_and_chosen(page):
    questions = [("id", "question"), ("P1", "Who?")]
    data = of_sheets(texts=[("id", "passage"), ("P1", "Owls.")], t5=questions, bart=questions)
    upload = sent(page, data, "outputs.xlsx")
    answer = page.get(at("columns", upload))
    told = "The sheets “t5”, “bart” are read as one table, of “texts”, “t5”, “bart”."
    assert told in answer.text
    reading = at("reading", upload)

    page.post(reading, {"sheet": ["texts", "bart"]})
    answer = page.get(at("columns", upload))
    assert answer.context["head"].header == ("sheet", "id", "passage", "question")
    assert answer.context["otherwise"]["sheet"].value() == ["texts", "bart"]

    page.post(reading, {"sheet": ["none of these"]})
    assert "The workbook has no sheet “none of these”" in page.get(at("columns", upload)).text
    page.post(reading, {"sheet": ["\0"]})  # refused: the file is read as before
    assert "has no sheet “none of these”" in page.get(at("columns", upload)).text


def test_qgstec_xml_has_no_columns_to_name(page):
    rubric = rubrics.install(document=documents.shipped("qgstec2010-b"))
    upload = sent(
        page, shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes(), "released.xml"
    )

    assert page.get(at("columns", upload)).context["formset"] is None
    mapped(page, upload, rubric=str(rubric.pk))
    preview = page.get(at("preview", upload))
    assert preview.context["found"]["refused_count"] == 3
    added_by(page, upload)

    assert Question.objects.count() == 896
    assert Campaign.objects.get().enrollments.count() == 6


def test_a_new_dataset_without_files_is_refused(page):
    answer = page.post(reverse("judging:collection_new"), {"name": "Canals"})

    assert answer.status_code == 422
    assert not Collection.objects.exists()


def test_who_may_not_create_is_told_so_and_strangers_are_sent_to_log_in(client, page, owner):
    address = reverse("judging:collection_new")
    client.force_login(owner)
    User.objects.filter(pk=owner.pk).update(may_create_campaigns=False)

    assert client.get(address).status_code == 403
    client.logout()
    assert client.get(address).url.startswith(reverse("login"))
