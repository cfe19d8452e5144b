"""The second factor: set up, asked for at each log-in, required if the site is set so, and removed
if lost."""

import base64
import re
import time
from datetime import UTC, datetime, timedelta

import pyotp
import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from judging.base.actions import seals
from judging.people.actions import two_factors
from judging.people.models.event import Event
from judging.people.models.two_factor import TwoFactor
from judging.people.models.user import User
from tests import factories

pytestmark = pytest.mark.django_db
PAGE, CODE = "/two-factor/", "/login/code/"


def code_of(user: User, *, later: timedelta = timedelta()) -> str:
    """Return what the device shows; `later` because no code is taken twice."""
    return pyotp.TOTP(two_factors._secret(TwoFactor.objects.get(user=user))).at(
        timezone.now() + later
    )


def set_up(user: User) -> list[str]:
    """Turn the factor on by a code of a while ago, so that the present one is still to be had."""
    two_factors.start_two_factor(user=user)
    then = timezone.now() - timedelta(minutes=5)
    device = pyotp.TOTP(two_factors.pending_two_factor(user).secret)
    return two_factors.confirm_two_factor(user=user, code=device.at(then), now=then)


def half_in(user: User, **form: str) -> Client:
    client = Client()
    asked = {"username": user.username, "password": factories.PASSWORD, **form}
    assert client.post("/login/", asked).url == CODE
    return client


def is_in(client: Client) -> bool:
    return client.get("/campaigns/").status_code == 200


def test_code_is_that_of_rfc_6238() -> None:
    user = factories.user()
    secret = base64.b32encode(b"12345678901234567890")
    TwoFactor.objects.create(
        user=user,
        secret=seals.locks(two_factors.SALT).encrypt(secret).decode(),
        confirmed_at=timezone.now(),
    )
    at = datetime(1970, 1, 1, 0, 0, 59, tzinfo=UTC)  # appendix B: 94287082 of eight digits
    with pytest.raises(two_factors.WrongCode):
        two_factors.check_code(user=user, code="287083", now=at)
    two_factors.check_code(user=user, code="287082", now=at)


def test_owner_sets_it_up_and_logs_in_with_it() -> None:
    user = factories.researcher()
    here, elsewhere = factories.logged_in(user), factories.logged_in(user)
    assert is_in(here) and is_in(elsewhere)
    here.post(PAGE, {"act": "begin"})
    page = here.get(PAGE).text
    secret = re.findall(r"[A-Z2-7]{32}", page)[0]
    assert 'src="data:image/svg+xml' in page
    assert here.post(PAGE, {"code": "000000"}).status_code == 422
    if (spent := time.time() % 30) > 20:  # the next half minute leaves a slow machine enough time
        time.sleep(30 - spent)
    shown = here.post(PAGE, {"code": pyotp.TOTP(secret).at(timezone.now() - timedelta(seconds=30))})
    assert len(re.findall(r"<code>[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}</code>", shown.text)) == 10
    assert "no-store" in shown["Cache-Control"]
    assert (is_in(here), is_in(elsewhere)) == (True, False)

    client = half_in(user, next="/datasets/")
    assert not is_in(client)
    assert client.post(CODE, {"code": code_of(user)}).url == "/datasets/"
    assert is_in(client)
    assert list(Event.objects.filter(who=user.pk).order_by("pk").values_list("act", "after")) == [
        ("two_factor.on", ""),
        ("log_in", "with a second factor"),
    ]


def test_secret_is_encrypted_and_codes_are_hashed() -> None:
    user = factories.user()
    codes = set_up(user)
    kept = TwoFactor.objects.get()
    assert two_factors._secret(kept) not in kept.secret
    assert not any(code in str(kept.recovery) for code in codes)


def test_no_code_is_taken_twice_and_none_far_from_now() -> None:
    user = factories.user()
    set_up(user)
    code = code_of(user)
    assert half_in(user).post(CODE, {"code": code}).status_code == 302
    second = half_in(user)
    assert second.post(CODE, {"code": code}).status_code == 422
    assert second.post(CODE, {"code": code_of(user, later=timedelta(minutes=3))}).status_code == 422
    assert not is_in(second)


def test_recovery_code_works_once() -> None:
    user = factories.user()
    codes = set_up(user)
    assert half_in(user).post(CODE, {"code": codes[3].upper().replace("-", " ")}).status_code == 302
    assert half_in(user).post(CODE, {"code": codes[3]}).status_code == 422
    assert Event.objects.get(act="two_factor.recovery").after == "9 left"


def test_guesses_of_codes_have_to_wait() -> None:
    user = factories.user()
    set_up(user)
    client = half_in(user)
    assert [client.post(CODE, {"code": f"00000{n}"}).status_code for n in range(6)] == [422] * 5 + [
        429
    ]
    assert client.post(CODE, {"code": code_of(user)}).status_code == 429
    assert Event.objects.filter(act="log_in.failed", after="wrong code").count() == 5


def test_code_without_password_or_after_a_new_one_lets_nobody_in() -> None:
    user = factories.user()
    set_up(user)
    assert Client().post(CODE, {"code": code_of(user)}).url == "/login/"
    client = half_in(user)
    user = User.objects.get(pk=user.pk)
    user.set_password("another long phrase")
    user.save()
    assert client.post(CODE, {"code": code_of(user)}).url == "/login/"
    assert not is_in(client)


def test_half_a_log_in_is_forgotten_after_minutes() -> None:
    user = factories.user()
    set_up(user)
    client = half_in(user)
    session = client.session
    session["log_in_half_done"]["until"] -= 301
    session.save()
    assert client.post(CODE, {"code": code_of(user)}).url == "/login/"


def test_log_in_leads_nowhere_else_by_way_of_the_code() -> None:
    user = factories.user()
    set_up(user)
    client = half_in(user, next="https://evil.example/")
    assert client.post(CODE, {"code": code_of(user)}).url == "/"


def test_administrator_must_have_one_where_the_site_says_so(settings) -> None:
    settings.SECOND_FACTOR = "administrators"
    administrator, researcher = factories.user(is_superuser=True), factories.researcher()
    client = factories.logged_in(administrator)
    for path in ("/accounts/", "/campaigns/", "/tokens/", "/api/v1/campaigns/", "/nowhere/"):
        assert client.get(path).url == PAGE
    assert is_in(factories.logged_in(researcher))
    set_up(administrator)
    inside = half_in(administrator)
    inside.post(CODE, {"code": code_of(administrator)})
    assert inside.get("/accounts/").status_code == 200
    inside.post(PAGE, {"act": "off"})
    assert two_factors.is_on(administrator)


def test_everybody_with_a_password_must_have_one_where_the_site_says_so(settings) -> None:
    settings.SECOND_FACTOR = "everybody"
    assert factories.logged_in(factories.researcher()).get("/campaigns/").url == PAGE
    annotator = factories.logged_in(User.objects.create_user("annotator-x"))
    assert annotator.get("/work/").status_code == 200


def test_owner_turns_it_off() -> None:
    user = factories.user()
    client = factories.logged_in(user)
    set_up(user)
    client = half_in(user)
    client.post(CODE, {"code": code_of(user)})
    client.post(PAGE, {"act": "begin"})  # there is one already
    assert two_factors.is_on(user)
    client.post(PAGE, {"act": "off"})
    assert not TwoFactor.objects.exists()
    assert Event.objects.filter(act="two_factor.off", who=user.pk).count() == 1


def test_administrator_takes_a_lost_one_away_and_its_sessions_end() -> None:
    user, administrator = factories.researcher(), factories.user(is_superuser=True)
    set_up(user)
    client = half_in(user)
    client.post(CODE, {"code": code_of(user)})
    assert is_in(client)
    page = factories.logged_in(administrator)
    page.post(f"/accounts/{user.pk}/two-factor/remove/")
    assert (two_factors.is_on(user), is_in(client)) == (False, False)
    assert (
        factories.logged_in(factories.researcher())
        .post(f"/accounts/{user.pk}/two-factor/remove/")
        .status_code
        == 403
    )
    assert page.get(f"/accounts/{user.pk}/two-factor/remove/").status_code == 405
    assert page.post("/accounts/999999/two-factor/remove/").status_code == 404


def test_command_takes_it_away_for_the_only_administrator() -> None:
    user = factories.user(is_superuser=True)
    set_up(user)
    call_command("remove_two_factor", user.username)
    assert not two_factors.is_on(user)
    with pytest.raises(CommandError):
        call_command("remove_two_factor", user.username)


def test_new_site_key_keeps_the_two_factor_while_the_old_one_is_named(settings) -> None:
    user, old = factories.user(), settings.SECRET_KEY
    set_up(user)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [old]
    two_factors.check_code(user=user, code=code_of(user), now=timezone.now())
    assert two_factors.rotate_two_factors() == 1
    settings.SECRET_KEY_FALLBACKS = []
    later = timedelta(seconds=30)
    two_factors.check_code(user=user, code=code_of(user, later=later), now=timezone.now() + later)


def test_where_the_key_is_lost_recovery_codes_are_left() -> None:
    user = factories.user()
    codes = set_up(user)
    TwoFactor.objects.update(secret=Fernet(Fernet.generate_key()).encrypt(b"x").decode())
    client = half_in(user)
    assert client.post(CODE, {"code": "123456"}).status_code == 422
    assert client.post(CODE, {"code": codes[0]}).status_code == 302
