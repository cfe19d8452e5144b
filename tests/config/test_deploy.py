"""The files for operators speak of settings that exist, and parse."""

import re
from pathlib import Path

import pytest
import yaml

from config.bodies import MAY_SEND_FILES, TAKE_FILES
from judging.base.limits import MAX_BODY_BYTES, MAX_UPLOAD_BYTES
from tests.config.test_bodies import address

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
READ_ELSEWHERE = {"QUAESTOR_HOST"}  # compose's own: the host of the two below it


def settings_read() -> set[str]:
    code = "".join(
        path.read_text() for path in [*(ROOT / "config").rglob("*.py"), DEPLOY / "gunicorn.conf.py"]
    )
    keys = {f"QUAESTOR_{name.upper()}" for name in re.findall(r'_secret\("(\w+)"\)', code)}
    return keys | set(re.findall(r'"(QUAESTOR_\w+|DATABASE_URL|CELERY_BROKER_URL)"', code))


@pytest.mark.parametrize("name", ["compose.yaml", "README.md", "Dockerfile"])
def test_every_setting_that_is_named_is_read(name):
    text = (DEPLOY / name).read_text()

    named = set(re.findall(r"\b(QUAESTOR_[A-Z_]+|DATABASE_URL|CELERY_BROKER_URL)\b", text))
    assert named - READ_ELSEWHERE <= settings_read()
    assert named


def test_containers_write_to_memory_and_volumes_alone_and_their_images_have_a_full_version():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]

    for each in services.values():
        assert each["read_only"] is True
        assert each["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in each["security_opt"]
        assert each["image"] == "quaestor" or re.search(r":\d+\.\d+", each["image"])


def test_services_of_the_compose_file_are_complete():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]

    assert set(services) == {"db", "migrate", "web", "worker", "sweeps", "beat", "nginx"}
    assert all(
        {"DATABASE_URL", "QUAESTOR_SECRET_KEY"} <= set(services[name]["environment"])
        for name in ("web", "worker", "sweeps", "beat")
    )


def test_nginx_keeps_large_bodies_only_of_who_may_send_some_and_where_files_are_taken():
    text = (DEPLOY / "nginx.conf").read_text()
    places = re.findall(r"location ~ (\S+) \{\s+auth_request /may-send-files/;", text)
    where = "|".join(places)
    most = [int(each) * 1024**2 for each in re.findall(r"client_max_body_size (\d+)m;", text)]
    uuid = "646efda2-2b35-4164-8cb7-b44916a2e03b"
    parts = (
        {},
        {"pk": 12},
        {"dataset": 12},
        {"uuid": uuid},
        {"campaign": uuid},
        {"key": "qgbench"},
    )
    others = {"login", "annotation:home", "judging:campaign_new", "judging:dataset"}
    reached = {
        name
        for name in TAKE_FILES | others
        if any(re.search(where, address(name, each)) for each in parts)
    }

    assert reached == TAKE_FILES
    assert f"proxy_pass http://quaestor{MAY_SEND_FILES};" in text
    assert min(most) > MAX_BODY_BYTES
    assert max(most) >= MAX_UPLOAD_BYTES + MAX_BODY_BYTES
    assert most.count(min(most)) == 1  # of everybody, and larger ones only of who may send some
