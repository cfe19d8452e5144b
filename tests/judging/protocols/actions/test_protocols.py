from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Criterion, Protocol, ScalePoint
from tests import factories

pytestmark = pytest.mark.django_db


def test_install_makes_rows_for_criteria_and_scale_points():
    document = documents.shipped("qgbench")

    made = protocols.install(document=document)

    assert (made.key, made.task, made.page_size) == ("qgbench", "source", 1)
    assert made.digest == documents.hash_document(document)
    assert documents.protocol_from_document(made.document) == document
    assert list(made.criteria.values_list("key", "position", "unit", "asked", "level", "best")) == [
        (each.key, position, each.unit, each.asked, each.level, each.best)
        for position, each in enumerate(document.criteria)
    ]
    assert ScalePoint.objects.filter(criterion__protocol=made).count() == sum(
        len(c.points) for c in document.criteria
    )


def test_install_numbers_stages_in_their_order():
    made = protocols.install(document=documents.shipped("qgbench-staged"))

    stages = dict(made.criteria.values_list("key", "stage"))
    assert stages["grammaticality"] == 0
    assert stages["correctness"] == 1


def test_install_twice_is_one_protocol():
    first = protocols.install(document=documents.shipped("qgbench"))
    second = protocols.install(document=documents.shipped("qgbench"))

    assert first == second
    assert Criterion.objects.filter(protocol__key="qgbench").count() == 3


def test_install_of_a_changed_document_is_another_protocol():
    document = documents.shipped("qgbench")
    first = protocols.install(document=document)

    second = protocols.install(document=replace(document, title="QG-Bench, changed"))

    assert first != second
    assert Protocol.objects.filter(key="qgbench").count() == 2


def test_install_for_an_owner_is_their_own():
    document = documents.shipped("qgbench")
    shipped, own = (
        protocols.install(document=document),
        protocols.install(document=document, owner=factories.user()),
    )

    assert shipped != own


def test_command_installs_what_is_shipped_and_says_so(capsys):
    call_command("install_protocols")
    call_command("install_protocols")

    assert set(Protocol.objects.values_list("key", flat=True)) == set(documents.shipped_keys())
    assert Protocol.objects.count() == len(documents.shipped_keys())
    assert "protocols are installed" in capsys.readouterr().out


def test_command_names_file_and_reason_of_a_bad_protocol(tmp_path: Path):
    (tmp_path / "bad.yaml").write_text("key: bad\ncriterea: []\n")

    with pytest.raises(CommandError, match=r"bad\.yaml.*criterea"):
        call_command("install_protocols", str(tmp_path))


def test_command_refuses_what_is_no_folder(tmp_path: Path):
    with pytest.raises(CommandError):
        call_command("install_protocols", str(tmp_path / "nowhere"))
