"""The ends of sessions and API tokens: a new password, a new link, being idle, and "log out
everywhere"."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from judging.people.actions import accounts, tokens, visits
from judging.people.forms.accounts import ChangedPasswordForm
from judging.people.models.user import ApiToken, User, Visit
from tests import factories

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def browser_of(user: User) -> Client:
    client = Client(headers={"user-agent": FIREFOX})
    client.force_login(user)
    assert client.get("/campaigns/").status_code == 200
    return client


def is_in(client: Client) -> bool:
    return client.get("/campaigns/").status_code == 200


def api(key: str, method: str = "get", path: str = "/api/v1/campaigns/", **form) -> int:
    return getattr(Client(), method)(
        path,
        form,
        headers={"Authorization": f"Token {key}"},
        **({"content_type": "application/json"} if form else {}),
    ).status_code


def made(user: User, **options) -> str:
    return tokens.make_token(user=User.objects.get(pk=user.pk), now=timezone.now(), **options)


def test_new_password_ends_other_sessions_and_the_key() -> None:
    user = factories.researcher()
    here, elsewhere, key = browser_of(user), browser_of(user), made(user)
    new = "an even longer phrase"
    here.post(
        "/password/",
        {"old_password": factories.PASSWORD, "new_password1": new, "new_password2": new},
    )
    assert (is_in(here), is_in(elsewhere), api(key)) == (True, False, 401)


def test_of_two_new_passwords_by_the_same_old_one_the_first_stands(monkeypatch) -> None:
    user = factories.researcher()
    client, checked = browser_of(user), ChangedPasswordForm.clean_old_password

    def changed_meanwhile(form: ChangedPasswordForm) -> str:
        old = checked(form)
        other = User.objects.get(pk=user.pk)
        other.set_password("what the owner chose")
        other.save(update_fields=["password"])
        return old

    monkeypatch.setattr(ChangedPasswordForm, "clean_old_password", changed_meanwhile)
    new = "what a thief chose"
    form = {"old_password": factories.PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/password/", form).context["form"].has_error("old_password")
    assert User.objects.get(pk=user.pk).check_password("what the owner chose")


def test_password_link_ends_every_session_and_the_key() -> None:
    user = factories.researcher()
    thief, key, new = browser_of(user), made(user), "an even longer phrase"
    parts = accounts.password_link_parts(user=User.objects.get(pk=user.pk))
    form = Client()
    where = form.get(f"/password/new/{parts['uidb64']}/{parts['token']}/").url
    form.post(where, {"new_password1": new, "new_password2": new})
    assert (is_in(thief), api(key)) == (False, 401)


def test_log_out_everywhere_ends_every_session_and_the_key() -> None:
    user = factories.researcher()
    here, elsewhere, key = browser_of(user), browser_of(user), made(user)
    assert here.post("/sessions/end/").url == "/login/"
    assert (is_in(here), is_in(elsewhere), api(key)) == (False, False, 401)
    assert not Visit.objects.exists()


def test_sessions_are_listed_and_one_is_ended() -> None:
    user = factories.researcher()
    here, elsewhere = browser_of(user), browser_of(user)
    page = here.get("/sessions/").text
    assert page.count("Firefox, Linux") >= 2
    assert page.count("this browser") == 1
    other = Visit.objects.exclude(session_key=here.session.session_key).get()
    assert elsewhere.session.session_key not in page
    here.post(f"/sessions/{other.pk}/end/")
    assert (is_in(here), is_in(elsewhere)) == (True, False)


def test_sessions_of_others_are_not_found() -> None:
    other = factories.researcher()
    browser_of(other)
    mine = browser_of(factories.researcher())
    assert mine.post(f"/sessions/{other.visits.get().pk}/end/").status_code == 404
    assert Client().get("/sessions/").url.startswith("/login/")
    assert mine.get("/sessions/end/").status_code == 405


def left_alone(client: Client, minutes: int) -> None:
    session = client.session
    session["seen"] -= minutes * 60
    session.save()


def test_researcher_who_leaves_the_browser_alone_is_logged_out_and_an_annotator_is_not(
    settings,
) -> None:
    researcher, annotator = browser_of(factories.researcher()), Client()
    annotator.force_login(User.objects.create_user("annotator-x"))
    annotator.get("/work/")
    for client in (researcher, annotator):
        left_alone(client, settings.IDLE_MINUTES - 1)
    assert is_in(researcher)
    for client in (researcher, annotator):
        left_alone(client, settings.IDLE_MINUTES + 1)
    assert not is_in(researcher)
    assert annotator.get("/work/").status_code == 200


def test_signs_of_life_are_written_once_a_minute(django_assert_num_queries) -> None:
    client = browser_of(factories.researcher())
    with django_assert_num_queries(
        4
    ):  # session, account, the jobs in the header, and the page's own
        client.get("/sessions/")


def test_key_for_reading_reads_only() -> None:
    researcher, datasets = factories.researcher(), "/api/v1/datasets/"
    reads = made(researcher)
    assert (api(reads), api(reads, "post", datasets, name="Locks")) == (200, 403)
    manages = made(researcher, scope="manage")
    assert api(manages, "post", datasets, name="Locks") == 201


def test_key_ends_with_its_time_and_says_when_it_was_used() -> None:
    user = factories.researcher()
    key = made(user, days=1)
    assert api(key) == 200
    assert ApiToken.objects.get().used_at is not None
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert api(key) == 401
    assert not user.api_tokens.valid(now=timezone.now()).exists()


def test_sessions_that_are_over_are_removed() -> None:
    over, stays = browser_of(factories.researcher()), browser_of(factories.researcher())
    Session.objects.filter(pk=over.session.session_key).update(
        expire_date=timezone.now() - timedelta(days=1)
    )
    assert visits.clear_sessions(now=timezone.now()) == 1
    assert Visit.objects.get().session_key == stays.session.session_key
